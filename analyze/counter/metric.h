/* What an amount means: a share of the time, a rate, so many per something that
 * was counted with it. */
#ifndef ANALYZE_COUNTER_METRIC_H
#define ANALYZE_COUNTER_METRIC_H

#include "analyze/counter/peers.h"

#include <stdbool.h>

#define AN_METRICS_MAX 2u
#define AN_METRIC_TEXT 64

struct an_metric {
	double value;      /* as it is shown: 45.02 of "45.02% busyness" */
	unsigned decimals;
	bool percent;
	bool by_wall;      /* a rate by the time that passed: perf has none */
	char unit[AN_METRIC_TEXT]; /* "busyness", "insn per cycle", "K/sec" */
};

/* What was measured of a series, in its unit, over so long. */
struct an_measured {
	uint32_t series;
	double amount;
	uint64_t length_ns;
	bool together;   /* it is a sum over several CPUs' series */
	/* The amount of another series in the same time; false: not known. */
	bool (*ask)(const void *ctx, uint32_t series, double *amount);
	const void *ctx;
};

/* How many there are; the most telling one comes first. */
size_t an_metrics_of(const struct an_peers *p, const struct an_measured *m,
		     struct an_metric out[AN_METRICS_MAX]);

#endif
