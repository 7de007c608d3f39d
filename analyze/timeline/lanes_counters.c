/* A lane for each series of readings. */
#include "analyze/timeline/provider.h"
#include "analyze/timeline/readings.h"

static int fill(struct an_timeline *tl, struct an_timeline_input *in,
		struct err *err)
{
	return an_readings_lanes(tl, in->t, in->sel, err);
}

const struct an_provider an_lanes_counters = {
	.name = "counters",
	.summary = "readings over time: engines, clocks, memory, events",
	.fill = fill,
};
