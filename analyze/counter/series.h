/* Series: what readings over time are of. They are part of a trace
 * (an_n_series(), an_series_of()); here is which of them are meant and what
 * they are called. */
#ifndef ANALYZE_COUNTER_SERIES_H
#define ANALYZE_COUNTER_SERIES_H

#include "analyze/selection.h"
#include "analyze/trace.h"

#include "format/base/buf.h"

/* Which series the options of a selection name: --event by name, --pid, --comm
 * by the label of those that are of a process, --cpu by that of the series; what
 * different options say must all hold. *out has a mark for each series, to be
 * freed; NULL: all. ERR_USAGE names what is malformed, names no series, or is an
 * option that readings cannot be chosen by. */
int an_series_choose(bool **out, const struct an_selection_args *args,
		     const struct an_trace *t, struct err *err);

/* The same for what shows them beside other rows, by the selection of those,
 * which may be NULL: series of no process and no CPU are of all of them. */
bool an_series_is_beside(const struct an_selection *sel, uint32_t series);

/* "i915/rcs0-busy/", or "drm-engine render 0000:03:00.0 glxgears/4242": what
 * tells it from others. */
void an_series_text(const struct an_trace *t, uint32_t series, struct buf *to);
/* The same without its CPU and run. */
void an_series_what(const struct an_trace *t, uint32_t series, struct buf *to);

/* Of a count of time (unit ns, us, ms, msec, s), whose difference by the time
 * between is a share: ns that one of its unit is; 0: it counts something else. */
double an_series_time_unit(const struct an_trace *t, const struct an_series *s);

/* Of all of a run, with one reading at its begin and one at its end: its
 * duration_time, user_time or system_time. */
bool an_series_is_whole(const struct an_trace *t, const struct an_series *s);

/* What it reads may step back without having happened again: the greatest value
 * is right then (counts of fdinfo). */
bool an_series_keeps_greatest(const struct an_series *s);

#endif
