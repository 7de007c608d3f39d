/* Walks the parts of some tables as a cursor does, while threads decode those
 * that come next. */
#ifndef ANALYZE_AHEAD_H
#define ANALYZE_AHEAD_H

#include "format/reader.h"

struct an_trace;
struct an_ahead;

/* Threads that decode, the caller's among them: of the trace, or as many as
 * there are CPUs. */
#define AN_MAX_THREADS 8u
unsigned an_threads_usual(void);

/* The queries are copied, what they point to is used by all threads. Threads
 * start with the fifth part: most tables have fewer. */
int an_ahead_new(struct an_ahead **out, struct an_trace *t,
		 const struct tf_query *q, size_t n, struct err *err);

/* Before the first part: they come by their least time instead of in the order
 * of the file. Damage that is met is noted. */
int an_ahead_by_time(struct an_ahead *a, struct err *err);

/* As tf_cursor_next(): the same parts and failures in the same order, however
 * many threads there are. */
int an_ahead_next(struct an_ahead *a, const struct tf_view **out,
		  struct err *err);

/* By time: no part from the next call on has a row older than this, and the
 * number of the part that was given last, in the order of the file. */
uint64_t an_ahead_bound(const struct an_ahead *a);
uint64_t an_ahead_number(const struct an_ahead *a);

void an_ahead_free(struct an_ahead *a); /* NULL is fine */

#endif
