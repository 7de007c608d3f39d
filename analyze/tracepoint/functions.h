/* Names of the kernel's functions by their address. */
#ifndef ANALYZE_TRACEPOINT_FUNCTIONS_H
#define ANALYZE_TRACEPOINT_FUNCTIONS_H

#include "analyze/trace.h"

struct an_function {
	uint64_t start, size; /* addresses as they were while it was recorded */
	uint32_t name;        /* string */
};

struct an_functions {
	struct an_function *v; /* by start */
	size_t n;
};

/* Of the kernel image, where the trace says where it was. */
int an_functions_make(struct an_functions *out, const struct an_trace *t,
		      struct err *err);
void an_functions_fini(struct an_functions *f); /* a zeroed one is fine */

const struct an_function *an_functions_find(const struct an_functions *f,
					    uint64_t address);

#endif
