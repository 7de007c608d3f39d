/* The call graph of one row, branch by branch as it is drawn: whole runs of
 * calls that all of a branch's weight passes, small branches left out. */
#ifndef ANALYZE_REPORT_CALLTREE_H
#define ANALYZE_REPORT_CALLTREE_H

#include "analyze/report/hist.h"

struct an_calltree_options {
	enum an_call_order order;
	bool children;       /* of all stacks the row is on, not only of those
			      * that end there */
	bool fractal;        /* shares of the parent branch, not of the event */
	double min_percent;  /* smaller branches are not shown */
	uint64_t limit;      /* branches shown under one; 0: all */
};

struct an_branch {
	unsigned depth;       /* 1: below nothing */
	const uint32_t *steps; /* groups of its frames, the first one first */
	size_t n_steps;       /* 0: the rest, what was too small (fractal) */
	uint64_t weight;
	uint64_t base;        /* 100 % of it */
	bool whole;           /* alone and all of the row: needs no percent */
	bool last;            /* of its parent's branches */
};

struct an_calltree; /* walks one row after the other */

/* The arguments must outlive it. */
int an_calltree_new(struct an_calltree **out, struct an_hist *h,
		    const struct an_trace *t, const struct an_grouping *g,
		    const struct an_calltree_options *o, struct err *err);
void an_calltree_free(struct an_calltree *c); /* NULL is fine */

/* Begins with the row of an entry. */
int an_calltree_start(struct an_calltree *c, uint32_t entry, struct err *err);

/* The next branch, parents before children; it lives until the next call. 1:
 * no more. */
int an_calltree_next(struct an_calltree *c, struct an_branch *out,
		     struct err *err);

#endif
