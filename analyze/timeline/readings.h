/* Lanes of readings over time: how busy engines were, the level of what has one,
 * the rate of what is counted. A value is drawn from the reading before to its
 * own, which is the time that it is of. */
#ifndef ANALYZE_TIMELINE_READINGS_H
#define ANALYZE_TIMELINE_READINGS_H

#include "analyze/selection.h"
#include "analyze/timeline/timeline.h"
#include "analyze/trace.h"

/* Adds a lane for each series that goes with what is selected; nothing where the
 * trace has none. Damaged parts are noted in the trace and skipped. */
int an_readings_lanes(struct an_timeline *tl, struct an_trace *t,
		      const struct an_selection *sel, struct err *err);

#endif
