/* Intervals of many series, put together as they were read: all that were read
 * at about one moment are a tick. */
#ifndef ANALYZE_COUNTER_TICKS_H
#define ANALYZE_COUNTER_TICKS_H

#include "analyze/counter/counters.h"

struct an_tick_row {
	uint32_t series;
	uint32_t tick;
	struct an_interval i;
};

struct an_ticks {
	struct an_tick_row *v; /* by tick, then by series */
	size_t n;
	size_t *first;         /* of each tick in v; one more for the end */
	uint32_t n_ticks;
	/* What could be told of it (they are rows all the same). */
	uint64_t failed, back, not_counted, gone;
};

/* Takes all intervals that have a length, and those that say why there is none,
 * but for series of a whole run.
 * Release with an_ticks_fini(), whatever comes back. */
int an_ticks_make(struct an_ticks *out, const struct an_counters *c,
		  struct err *err);
void an_ticks_fini(struct an_ticks *t); /* a zeroed one is fine */

/* The row of a series in a tick; NULL: it has none. */
const struct an_tick_row *an_ticks_find(const struct an_ticks *t, uint32_t tick,
					uint32_t series);

/* How long it took from reading to reading of the series of a source (enum
 * tf_series_source), or of any: AN_ANY_SOURCE. */
struct an_jitter {
	uint64_t n;
	uint64_t shortest_ns, p50_ns, p99_ns, longest_ns;
};
#define AN_ANY_SOURCE UINT8_MAX
int an_jitter_of(const struct an_counters *c, uint8_t source,
		 struct an_jitter *out, struct err *err);

#endif
