/* Names of events that look like one that is unknown. */
#ifndef RECORD_PERF_EVENT_NEAR_H
#define RECORD_PERF_EVENT_NEAR_H

#include <stddef.h>

/* Writes " (did you mean 'cpu-clock'?)" into to, or an empty string. */
void rec_event_near(char *to, size_t size, const char *name);

#endif
