/* Waits as a flame graph: stacks at their start, as wide as they waited. */
#ifndef ANALYZE_GPU_WAITFLAME_H
#define ANALYZE_GPU_WAITFLAME_H

#include "analyze/gpu/waits.h"

#include "flamegraph/fg.h"

/* Release with fg_tree_free(). */
int an_wait_tree(struct fg_tree **out, const struct an_gpu *g,
		 const struct an_wait_groups *groups, struct err *err);

#endif
