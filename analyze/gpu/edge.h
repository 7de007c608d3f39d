/* Waits for fences whose begin or end is not in the trace: before or behind it,
 * lost, or of an event that was not recorded. */
#ifndef ANALYZE_GPU_EDGE_H
#define ANALYZE_GPU_EDGE_H

#include "analyze/gpu/model.h"

/* Fills in since when and until when the waits of `g` lasted that events tell
 * of. */
int an_waits_edges(struct an_gpu *g, struct err *err);

#endif
