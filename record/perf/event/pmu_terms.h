/* The terms that a PMU's driver describes: fields of its configuration
 * (format/) and events that are lists of them (events/). */
#ifndef RECORD_PERF_EVENT_PMU_TERMS_H
#define RECORD_PERF_EVENT_PMU_TERMS_H

#include "record/perf/event.h"

/* Applies those, and the ones that any event can have. */
int rec_pmu_terms(struct rec_event *e, const char *root, const char *pmu,
		  const char *terms, struct err *err);

#endif
