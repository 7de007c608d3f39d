/* Waits for fences that no event tells of: a thread that polls a sync file, or
 * waits for a syncobj, sleeps until a callback of the fence wakes it. They are
 * found among the times that threads were blocked. */
#ifndef ANALYZE_GPU_SILENT_H
#define ANALYZE_GPU_SILENT_H

#include "analyze/gpu/model.h"

/* Adds them to the waits of `g`. */
int an_waits_silent(struct an_gpu *g, struct err *err);

#endif
