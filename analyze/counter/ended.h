/* Clients of GPUs that ended while they were read. */
#ifndef ANALYZE_COUNTER_ENDED_H
#define ANALYZE_COUNTER_ENDED_H

#include "analyze/counter/counters.h"

struct an_ended {
	size_t n;            /* clients */
	uint64_t longest_ns; /* from the last reading of one to when it was gone:
			      * what it used then is not known */
};

int an_ended_of(struct an_ended *out, const struct an_counters *c,
		struct err *err);

#endif
