/* PMU events that are counted: opened, read together, summed up over CPUs and
 * threads. What cannot be counted here is a series that says so, and never
 * takes the others with it. */
#ifndef RECORD_COUNTER_PMU_PMU_H
#define RECORD_COUNTER_PMU_PMU_H

#include "record/counter/source.h"
#include "record/perf/event.h"
#include "record/perf/targets.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rec_pmu_config {
	struct rec_events *events; /* what had to be given up is changed in it*/
	bool system_wide;
	const pid_t *pids, *tids;  /* processes with all their threads; single
				    * threads */
	size_t n_pids, n_tids;
	bool pids_may_end;
	pid_t child;               /* started but not yet executed, or 0 */
	bool enable_on_exec;       /* of the child; else by the first reading */
	const int *cpus;           /* only these; n_cpus 0: all */
	size_t n_cpus;
	bool inherit;
	bool per_cpu;              /* a series for each CPU, not their sum */
	uint32_t run;              /* of a repeated measurement, from 1 */
};

extern const struct rec_counter_source rec_counter_pmu;

#endif
