/* The tasks to record: the threads of processes, and single threads. */
#ifndef RECORD_PERF_TARGETS_H
#define RECORD_PERF_TARGETS_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct rec_target {
	pid_t tid;  /* -1: all tasks */
	pid_t from; /* the pid or tid that was asked for */
};

struct rec_targets {
	struct rec_target *items; /* by tid, each once */
	size_t n;
	size_t cap;
};

void rec_targets_fini(struct rec_targets *t); /* zeroed is fine */
int rec_targets_add(struct rec_targets *t, pid_t tid, pid_t from,
		    struct err *err);

/* Adds the threads of the process `pid` by ROOT/proc/PID/task, read again
 * until two readings agree. ERR_USAGE: there is no such process. */
int rec_targets_process(struct rec_targets *t, const char *root, pid_t pid,
			struct err *err);

bool rec_targets_same(const struct rec_targets *a,
		      const struct rec_targets *b);

#endif
