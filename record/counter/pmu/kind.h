/* What the counts of a PMU event mean beyond "so many": kernels tell units, not
 * whether a count is a frequency summed up over time. */
#ifndef RECORD_COUNTER_PMU_KIND_H
#define RECORD_COUNTER_PMU_KIND_H

#include "format/catalog.h"

#include <stddef.h>
#include <stdint.h>

/* The PMU of that type number by ROOT/sys/bus/event_source/devices; "" for those
 * of the kernel itself, which need no name. */
void rec_pmu_name(char *to, size_t size, const char *root, uint32_t type);

struct rec_pmu_kind {
	enum tf_series_kind kind;
	const char *unit; /* of the level; NULL: the one that the PMU tells */
};

/* `name` is the event as it was asked for, `config` that of perf_event_attr:
 * either tells. */
struct rec_pmu_kind rec_pmu_kind_of(const char *pmu, const char *name,
				    uint64_t config);

#endif
