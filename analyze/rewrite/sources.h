/* Several traces that become one, and what is to be said of each. */
#ifndef ANALYZE_REWRITE_SOURCES_H
#define ANALYZE_REWRITE_SOURCES_H

#include "analyze/rewrite/align.h"
#include "analyze/rewrite/feed.h"
#include "analyze/trace.h"

struct an_merged {
	const char *path;
	struct an_trace *trace;
	struct an_offset offset;
	struct an_shift shift;   /* to the clock of the first one */
	size_t machine;          /* the first one of the same boot */
	size_t recording;        /* the first one of the same recording */
	struct an_feed feed;
};

struct an_merge_set {
	struct an_merged *v;
	size_t n;
	bool several_machines;
};

/* Opens them, finds out which belong together and how far clocks are apart. What
 * is no trace is imported, which `log` is told.
 * ERR_USAGE: the same trace twice; ERR_UNSUPPORTED: one without readings of its
 * clocks, or one that was merged before. */
int an_merge_set_open(struct an_merge_set *m, const char *const *paths,
		      size_t n, const struct log *log, struct err *err);
void an_merge_set_fini(struct an_merge_set *m); /* a zeroed one is fine */

/* Facts of each, under "source.N.", and those that hold for all of them. */
int an_merge_set_facts(const struct an_merge_set *m, struct an_rewrite *to,
		       struct err *err);

/* The fact "unrecorded" (analyze/breaks.h): of each, and what lies between those
 * of one machine. */
int an_merge_set_breaks(const struct an_merge_set *m, struct buf *to,
			struct err *err);

/* The fact "covers" (analyze/breaks.h) of all, where one of them has it. */
int an_merge_set_covers(const struct an_merge_set *m, struct buf *to,
			struct err *err);

/* For people: when several of one machine recorded the same event. */
int an_merge_set_overlaps(const struct an_merge_set *m, struct buf *to,
			  struct err *err);

/* "FILE (HOST)", for people. */
void an_merged_name(const struct an_merged *s, struct buf *to);

#endif
