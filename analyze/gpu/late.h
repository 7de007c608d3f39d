/* Late display frames by their number, for those who only want to know when one
 * was. */
#ifndef ANALYZE_GPU_LATE_H
#define ANALYZE_GPU_LATE_H

#include "analyze/trace.h"

/* From the client's frame before it to when it was shown. */
struct an_late {
	uint64_t from, to;
};

/* The one of that number, from 1, as `analyze stalls` says it of each. 1: there
 * are only *n. */
int an_late_find(struct an_late *out, uint64_t *n, struct an_trace *t,
		 uint64_t number, struct err *err);

#endif
