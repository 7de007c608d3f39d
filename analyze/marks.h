/* Marks: what a person or a program said while it was recorded. They are part
 * of a trace (an_n_marks(), an_mark_of()), in the order of their time. */
#ifndef ANALYZE_MARKS_H
#define ANALYZE_MARKS_H

#include "analyze/trace.h"

#include "format/base/json.h"

#include <stdio.h>

/* The first mark with this very text at `from` or later. false: there is none.
 */
bool an_mark_find_from(const struct an_trace *t, const char *text,
		       uint64_t from, uint64_t *time);

/* The members of an open JSON object, but for its time. */
void an_mark_json(const struct an_trace *t, const struct an_mark *m,
		  struct json *j);

/* Walks them in the order of their time: start with { trace, t_min, t_max }. */
struct an_mark_walk {
	const struct an_trace *t;
	uint64_t t_min, t_max; /* both included */
	uint32_t next;
};
/* The next one that is not later than `until`; NULL: there is none. */
const struct an_mark *an_mark_next(struct an_mark_walk *w, uint64_t until);

/* For an overview: how many, and the first of them. Without any, nothing is
 * printed. */
void an_marks_print(const struct an_trace *t, FILE *to);
void an_marks_json(const struct an_trace *t, struct json *j);

/* "TEXT (SOURCE, pid PID)" with what is not printable made so. */
void an_mark_print(const struct an_trace *t, const struct an_mark *m,
		   FILE *to);

#endif
