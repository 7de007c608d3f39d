/* Processors of several types of core: an event of the CPU is one event for
 * each type. */
#ifndef RECORD_PERF_EVENT_HYBRID_H
#define RECORD_PERF_EVENT_HYBRID_H

#include "record/perf/event.h"

#include <stdint.h>

/* Appends a hardware, cache or raw event, once for each type of core. */
int rec_hybrid_append(struct rec_events *to, const char *name, uint32_t type,
		      uint64_t config, struct err *err);

#endif
