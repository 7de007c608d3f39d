/* Makes new traces in memory out of others, and judges them. */
#ifndef TESTS_SUPPORT_REWRITTEN_H
#define TESTS_SUPPORT_REWRITTEN_H

#include "analyze/rewrite/feed.h"
#include "analyze/selection.h"
#include "analyze/trace.h"
#include "format/base/buf.h"

/* Appends a new trace of all rows of n feeds to `out`, which is initialized;
 * `apart`: as of several machines. */
int rewritten_feeds(struct buf *out, struct an_feed *feeds, size_t n,
		    bool apart, struct err *err);

/* The same of one trace, and of what a selection leaves of it. */
int rewritten_whole(struct buf *out, struct an_trace *t, struct err *err);
int rewritten_cut(struct buf *out, struct an_trace *t,
		  const struct an_selection_args *args, struct err *err);

/* What a full check finds wrong; the first problem is said in `first`, which
 * may be NULL. */
#define REWRITTEN_PROBLEM 300
uint64_t rewritten_problems(struct span file, char first[REWRITTEN_PROBLEM]);

/* For fuzzing: makes the whole one and a part of it, and aborts where one of
 * them is not sound. That it cannot be made is fine. */
void rewritten_or_abort(struct an_trace *t);
/* The same of one that was made with `rc`; empties it. */
void rewritten_sound(struct buf *made, int rc);

#endif
