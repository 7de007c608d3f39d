/* PMU/TERMS/: counters of a driver, described by sysfs alone. */
#ifndef RECORD_PERF_EVENT_PMU_H
#define RECORD_PERF_EVENT_PMU_H

#include "record/perf/event.h"

/* Appends an event for each PMU that the name stands for: the one of that name,
 * else all that match it as a pattern, all NAME_0, NAME_1, … (also behind
 * "uncore_"), or for "cpu" those of each type of core. 1: there is none. */
int rec_pmu_append(struct rec_events *to, const char *name, const char *terms,
		   struct err *err);

/* A message with those that there are. */
int rec_pmu_unknown(const struct rec_events *to, const char *name,
		    struct err *err);

#endif
