/* What a recording asks of each of its events beyond what its text says. */
#ifndef RECORD_PERF_ATTR_H
#define RECORD_PERF_ATTR_H

#include "record/perf/facts.h"
#include "record/perf/open.h"
#include "record/perf/perf.h"

/* Completes the attr of the event at that index. ERR_USAGE: a rate that the
 * kernel does not allow. */
int rec_attr_sample(struct rec_event *e, size_t index,
		    const struct rec_perf_config *cfg,
		    const struct rec_perf_features *have,
		    const struct rec_perf_facts *facts, struct err *err);

struct perf_event_attr rec_attr_sideband(const struct rec_perf_config *cfg,
					 const struct rec_perf_features *have);

/* How the records of such an event are laid out. */
struct rec_layout rec_attr_layout(const struct perf_event_attr *a);

#endif
