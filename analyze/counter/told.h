/* Of a trace that is followed: which intervals have been printed. The trace is
 * opened anew each time it has grown, and its series keep their numbers. */
#ifndef ANALYZE_COUNTER_TOLD_H
#define ANALYZE_COUNTER_TOLD_H

#include "analyze/counter/ticks.h"

struct an_told {
	uint64_t *until;  /* by series: the end of its last interval */
	size_t cap;       /* of these */
	uint32_t n_ticks; /* that are whole: of later ones more may come */
	size_t last_rows; /* of the last tick, as it was seen, and its begin */
	uint64_t last_ns;
	bool begun;       /* something was printed, what stands in front too */
	bool more;        /* what stands behind is yet to come */
};

/* What there is now. Of the last tick, more rows may be on their way to the
 * file: it is whole when it is seen unchanged once more, or `ended`. 1: it was
 * left out; 0: all there is can be printed. */
int an_told_see(struct an_told *t, const struct an_ticks *ticks,
		uint32_t n_series, bool ended, struct err *err);
void an_told_fini(struct an_told *t); /* a zeroed one is fine */

/* Whether the row is to be printed, and it counts as printed. */
bool an_told_take(struct an_told *t, const struct an_tick_row *r);

#endif
