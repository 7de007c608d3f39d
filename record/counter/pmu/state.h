/* The inside of the source of PMU events. */
#ifndef RECORD_COUNTER_PMU_STATE_H
#define RECORD_COUNTER_PMU_STATE_H

#include "record/counter/pmu/pmu.h"
#include "record/perf/cpus.h"
#include "record/perf/facts.h"

/* Where one event counts. One behind another: by group, then by place, then by
 * member, so that a group at one place is read at once. */
struct rec_pmu_fd {
	int fd;
	uint32_t event;
	uint32_t cell;
	uint32_t members; /* read through this one, it included; 0: it is read
			   * through its leader */
};

/* What becomes one row: the sum of one event, or of one event on one CPU. */
struct rec_pmu_cell {
	uint32_t series, event;
	int cpu;          /* -1: the sum over all */
	bool failed, ended;
	uint64_t value, enabled, running; /* of the reading at hand */
};

struct rec_pmu {
	const struct rec_pmu_config *cfg;
	const struct log *log;
	const char *root;
	struct rec_perf_facts facts;
	struct rec_cpus cpus;       /* that may be counted on */
	struct rec_targets targets; /* one, -1, where none is a task */
	bool *missing;              /* by event */
	uint32_t told;              /* of these: the next to be told */
	struct rec_pmu_fd *fds;
	size_t n_fds, fds_cap;
	struct rec_pmu_cell *cells; /* by event, then CPU */
	size_t n_cells, cells_cap;
	uint64_t *words;            /* room for one reading of a group */
	bool enabled;
};

/* Opens all; an event that cannot be had is marked and `to` says why. What was
 * opened before a failure is in *p. */
int rec_pmu_open(struct rec_pmu *p, struct rec_readings *to, struct err *err);

#endif
