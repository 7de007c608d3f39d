/* The rows of a report: the weight of an event by the chosen keys. */
#ifndef ANALYZE_REPORT_HIST_H
#define ANALYZE_REPORT_HIST_H

#include "analyze/report/calls.h"

#include <stdbool.h>

struct an_entry {
	uint32_t threads, row;  /* groups */
	uint64_t self, samples; /* of samples taken there */
	uint64_t total;         /* of stacks it is on, each sample once */
	uint32_t chain;         /* calls from it down, or to it where it ends
				 * a stack, at most */
	size_t first, n;        /* its calls in an_hist.order */
};

struct an_hist {
	struct an_entry *entries;
	size_t n, cap;
	uint32_t *sorted;       /* entries to show, largest first */
	size_t n_sorted;        /* without by_total only those with samples */
	struct an_calls calls;  /* empty without stacks */
	uint32_t *order;        /* calls by entry */
	uint64_t total;         /* of the event */
};

enum an_call_order {
	AN_CALLEE, /* from the row's function up to the root */
	AN_CALLER, /* from the root, or the row's function, down */
};

struct an_hist_options {
	enum an_weight weight;
	bool stacks;            /* make the call tree and count callers in
				 * an_entry.total, which is `self` otherwise */
	bool by_total;          /* sort by total, else by self */
};

/* Of rows with equal totals callers come first, whatever graphs are drawn; rows
 * that are equal by all that are ordered by what their keys show, in the order
 * of `sort`. */
int an_hist_make(struct an_hist *out, const struct an_trace *t,
		 const struct an_event_profile *e,
		 const struct an_grouping *g, const struct an_sort *sort,
		 const struct an_hist_options *o, struct err *err);
void an_hist_fini(struct an_hist *h); /* a zeroed one is fine */

#endif
