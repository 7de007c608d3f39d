/* What the driver reports unasked: Xids, its numbers for what went wrong. */
#ifndef RECORD_COUNTER_NVML_EVENTS_H
#define RECORD_COUNTER_NVML_EVENTS_H

#include "record/counter/nvml/unit.h"

#include <stdbool.h>
#include <stddef.h>

struct rec_nvml_events {
	struct nvml_event_set *set;
	bool tried;
};

/* Takes what has come since, without waiting; its time is that of taking. The
 * first call only begins to listen. */
void rec_nvml_events_read(struct rec_nvml_events *e, const struct rec_nvml *lib,
			  struct rec_nvml_unit *units, size_t n);
void rec_nvml_events_fini(struct rec_nvml_events *e,
			  const struct rec_nvml *lib);

#endif
