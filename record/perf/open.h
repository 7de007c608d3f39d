/* The perf_event_open call itself: what this kernel knows, and how an event
 * asks for less when it refuses. */
#ifndef RECORD_PERF_OPEN_H
#define RECORD_PERF_OPEN_H

#include "format/base/log.h"
#include "record/perf/event.h"

#include <stdbool.h>
#include <sys/types.h>

/* What kernels learned later than the rest, or keep from this user. */
struct rec_perf_features {
	bool lost;     /* PERF_FORMAT_LOST, 6.0 */
	bool build_id; /* mmap2 with build-id, 5.12 */
	bool ksymbol;  /* 5.1 */
};

/* Where an event is to count. */
struct rec_perf_place {
	pid_t pid;    /* -1: all tasks; the cgroup's descriptor with the flag
		       * PERF_FLAG_PID_CGROUP */
	int cpu;
	int group_fd; /* its leader's; -1: is its own */
	unsigned long flags;
};

/* A descriptor, or -errno. */
int rec_perf_call_at(const struct perf_event_attr *attr,
		     const struct rec_perf_place *at);
int rec_perf_call(const struct perf_event_attr *attr, pid_t pid, int cpu);

/* An event that counts nothing and carries records: all records of this
 * program have its clock. */
struct perf_event_attr rec_perf_dummy(void);

/* Tries each feature on a dummy event of this thread. 0, or the -errno with
 * which even a plain one is refused. */
int rec_perf_features_probe(struct rec_perf_features *f);

/* Whether cycles can be counted; *errnum says how it was refused. */
bool rec_perf_has_cycles(int *errnum);

/* Whether it can be sampled where it can be counted; true where neither can be
 * tried here. */
bool rec_perf_can_sample(const struct rec_event *e);

/* Opens an event. What it has to give up is changed in *e for all
 * later calls and logged: precision, excluding guests, kernel samples. Returns
 * the descriptor, or -errno with *e as before. */
int rec_perf_open_event(struct rec_event *e, const struct rec_perf_place *at,
			const struct log *log);

#endif
