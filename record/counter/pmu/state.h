/* The inside of the source of PMU events. */
#ifndef RECORD_COUNTER_PMU_STATE_H
#define RECORD_COUNTER_PMU_STATE_H

#include "record/counter/pmu/pmu.h"
#include "record/perf/cpus.h"
#include "record/perf/facts.h"
#include "record/perf/hotplug.h"

#include <pthread.h>

struct rec_pmu_count {
	uint64_t value, enabled, running;
};

/* Where one event counts. One behind another: by group, then by place, then by
 * member, so that a group at one place is read at once. */
struct rec_pmu_fd {
	int fd;           /* -1: its CPU came back, and it could not be opened
			   * again */
	uint32_t event;
	uint32_t cell;
	uint32_t members; /* read through this one, it included; 0: it is read
			   * through its leader */
	int cpu;          /* -1: wherever its task is */
	uint64_t id;      /* the kernel's, which stands beside its value */
};

/* What becomes one row: the sum of one event, or of one event on one CPU. */
struct rec_pmu_cell {
	uint32_t series, event;
	int cpu;          /* -1: the sum over all */
	bool failed;
	struct rec_pmu_count kept; /* of descriptors that are closed */
	struct rec_pmu_count now;  /* of the reading at hand */
	uint64_t enabled;          /* of the reading before, ns */
};

/* An event without a count that is always on: its clock tells whether those of
 * its CPU are still the kernel's. */
struct rec_pmu_guard {
	int cpu, fd;       /* -1: there is none */
	uint64_t enabled;  /* ns, as of the last look, */
	uint64_t at_ns;    /* which was then; of one that is away: up to where
			    * its absence is added up */
	bool away;
	bool unwell;       /* it is back, but not all of its events are */
};

struct rec_pmu {
	const struct rec_pmu_config *cfg;
	const struct log *log;
	const char *root;
	struct rec_perf_facts facts;
	struct rec_cpus cpus;       /* that may be counted on */
	struct rec_targets targets; /* one, -1, where none is a task */
	int *cgroups;               /* by event: its folder, -1: none */
	bool *missing;              /* by event */
	uint32_t told;              /* of these: the next to be told */
	struct rec_pmu_fd *fds;
	size_t n_fds, fds_cap;
	struct rec_pmu_cell *cells; /* by event, then CPU; behind them those of
				     * CPUs that came anew */
	size_t n_cells, cells_cap, n_named;
	uint64_t *words;            /* room for one reading of a group */
	struct rec_pmu_count *counts; /* and for what it tells */
	bool enabled;

	/* CPUs that are counted as a whole. */
	struct rec_cpus watched;
	struct rec_hotplug hotplug;
	struct rec_pmu_guard *guards; /* one each */
	size_t n_guards, guards_cap;
	uint64_t looked_ns;           /* when last; 0: never */
	struct err said;              /* by the last look; empty: it was well */
	struct rec_readings *to;
	pthread_mutex_t lock;         /* of all this while the thread runs */
	pthread_cond_t wake;
	pthread_t thread;             /* which looks at them */
	bool running, over;
};

/* Devices count for the whole machine, whoever is asked about. */
static inline bool rec_pmu_is_everywhere(const struct rec_pmu *p,
					 const struct rec_event *e)
{
	return p->cfg->system_wide || e->no_tasks;
}

/* Opens all; an event that cannot be had is marked and `to` says why. What was
 * opened before a failure is in *p. */
int rec_pmu_open(struct rec_pmu *p, struct rec_readings *to, struct err *err);

/* A descriptor, or -errno. `leader` is that of its group there, -1: none. */
int rec_pmu_open_at(struct rec_pmu *p, uint32_t event, pid_t tid, int cpu,
		    int leader);

/* A group at one place. A member that cannot be had is left out; a leader is
 * what the next one then is. */
int rec_pmu_open_group(struct rec_pmu *p, uint32_t first, pid_t tid, int cpu,
		       struct rec_readings *to, struct err *err);

/* Opens what counts on whole CPUs on one that came anew. */
int rec_pmu_open_on(struct rec_pmu *p, int cpu, struct rec_readings *to,
		    struct err *err);

/* Opens the group of fds[at] once more, on that CPU, in place of descriptors
 * that are closed. On failure they are -1. */
int rec_pmu_reopen(struct rec_pmu *p, size_t at, int cpu, struct err *err);

/* A series for each cell that has none. */
void rec_pmu_name_cells(struct rec_pmu *p, struct rec_readings *to);

/* The counts of the group of fds[at], by member, into p->counts; false: the
 * kernel gives nothing of it. */
bool rec_pmu_counts(struct rec_pmu *p, size_t at);

/* Closes the group of fds[at] and keeps what it counted. */
void rec_pmu_retire(struct rec_pmu *p, size_t at);

void rec_pmu_enable(const struct rec_pmu *p, size_t at);

#endif
