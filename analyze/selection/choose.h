/* Words of an option against the things of one kind that a trace has. */
#ifndef ANALYZE_SELECTION_CHOOSE_H
#define ANALYZE_SELECTION_CHOOSE_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/opt.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct an_trace;

/* One kind. */
struct an_kind {
	const char *option, *what; /* "comm", "command" */
	bool number;               /* its words are numbers; else a name may
				    * hold commas: a whole value is tried before
				    * the words in it */
	bool (*is)(const struct an_trace *t, uint32_t i, struct span word);
	/* What to call it in a message; nothing: not to be named. */
	void (*show)(const struct an_trace *t, uint32_t i, struct buf *to);
};

/* Sets marks[i] of the n things that a word of `l` names. ERR_USAGE or
 * ERR_FORMAT, with what there is, where a word names nothing. */
int an_choose(const struct opt_list *l, const struct an_kind *kind,
	      const struct an_trace *t, uint32_t n, bool *marks,
	      struct err *err);

/* The refusal by itself; the kind needs no `is`. */
int an_choose_none(const struct an_kind *kind, struct span word,
		   const struct an_trace *t, uint32_t n, struct err *err);

/* Calls `each` for the words of all values, which commas part, until one
 * fails. */
int an_each_word(const struct opt_list *l,
		 int (*each)(void *ctx, struct span word), void *ctx);

/* Whether a word names a text: the same, or by * (any bytes) and ? (one). */
bool an_word_is(struct span word, struct span text);

/* Whether it names an event: "cpu-clock:u" is found as "cpu-clock" too,
 * "sched:sched_switch" is not found as "sched". */
bool an_word_is_event(struct span word, struct span name);

/* A decimal number up to `max` and nothing else. */
bool an_word_number(struct span word, uint64_t max, uint64_t *out);

static inline struct span an_word(const char *text)
{
	return span_of(text, __builtin_strlen(text));
}

#endif
