/* Whether a selection takes something that is no row, but was put together of
 * some: a wait, a call. */
#ifndef ANALYZE_SELECTION_SPOTS_H
#define ANALYZE_SELECTION_SPOTS_H

#include "analyze/selection.h"
#include "analyze/spot.h"

/* A mark of a selection; all are where there are no marks. */
static inline bool an_selection_is_marked(const bool *marks, size_t n,
					  uint32_t i)
{
	return !marks || (i < n && marks[i]);
}

bool an_selection_has_thread(const struct an_selection *sel, uint32_t thread,
			     uint32_t cpu);

/* By its thread, CPU and place; times and events are the caller's. */
bool an_selection_has(const struct an_selection *sel, const struct an_trace *t,
		      uint32_t thread, uint32_t cpu,
		      const struct an_spot *spot);

#endif
