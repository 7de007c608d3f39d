/* What each series came to, over all that is loaded, and over runs of a repeated
 * measurement. */
#ifndef ANALYZE_COUNTER_TOTALS_H
#define ANALYZE_COUNTER_TOTALS_H

#include "analyze/counter/counters.h"

struct an_total {
	uint32_t series;
	enum an_interval_state state; /* READ: `amount` holds; else why not */
	/* Count: the sum, multiplied by enabled and running of all of it;
	 * levels: the mean by time, of a single reading itself. */
	double amount;
	double least, most, last; /* of levels */
	uint64_t begin_ns, end_ns; /* of what was read */
	uint64_t known_ns;        /* of these, in intervals that were read */
	uint64_t enabled_ns, running_ns;
	double share;             /* running by enabled; 1: all the time */
	uint64_t n;               /* intervals that were read */
	uint64_t unknown;         /* and that were not: failed, stepped back */
};

void an_total_of(struct an_total *out, const struct an_counters *c,
		 uint32_t series);

/* Equal series of several runs. */
struct an_repeat {
	uint32_t series;   /* that of the first run */
	uint32_t n;        /* runs that have an amount */
	double mean;
	double spread;     /* standard error of the mean by the mean, 0..: what
			    * perf stat -r prints; 0 of a single run */
};

struct an_totals {
	struct an_total *v;      /* by series, of those with readings */
	size_t n;
	struct an_repeat *repeats; /* in the order of their first series */
	size_t n_repeats;
	uint32_t runs;           /* the greatest number of one; 0: not repeated*/
	double *elapsed_ns;      /* of each run, from 1 on; [0] of all that is of
				  * none */
};

/* Release with an_totals_fini(), whatever comes back. */
int an_totals_make(struct an_totals *out, const struct an_counters *c,
		   struct err *err);
void an_totals_fini(struct an_totals *t); /* a zeroed one is fine */

/* Counts as they were counted: not multiplied by enabled and running. */
int an_totals_unscale(struct an_totals *t, const struct an_counters *c,
		      struct err *err);

/* NULL: it has no readings. */
const struct an_total *an_totals_find(const struct an_totals *t,
				      uint32_t series);

/* Mean and spread of n values. */
void an_spread(const double *v, size_t n, double *mean, double *spread);

#endif
