/* System calls of threads, as far as they tell what a thread waits in. */
#ifndef ANALYZE_GPU_SYSCALL_H
#define ANALYZE_GPU_SYSCALL_H

#include "analyze/sched/points.h"
#include "analyze/sched/tasks.h"

struct an_syscall {
	uint64_t from, to;   /* to 0: it has not returned; `from`: not known */
	uint32_t task;
	uint32_t order;
	const char *name;    /* "ioctl"; of the trace */
	uint64_t cmd;        /* of an ioctl */
};

struct an_syscalls {
	struct an_syscall *v;   /* by task, then by time */
	size_t n, cap;
};

int an_syscalls_make(struct an_syscalls *out, struct an_trace *t,
		  const struct an_tasks *tasks, struct err *err);
void an_syscalls_fini(struct an_syscalls *c); /* a zeroed one is fine */

/* The call that a task is in at a time; NULL: none is known. */
const struct an_syscall *an_syscalls_at(const struct an_syscalls *c, uint32_t task,
				  uint64_t time);

/* The first one of a task that begins at a time or later, and those behind it
 * until the task changes; NULL: none. */
const struct an_syscall *an_syscalls_from(const struct an_syscalls *c, uint32_t task,
				    uint64_t time);

/* Shows a new picture: DRM's page flip, or an atomic commit. */
bool an_syscall_flips(const struct an_syscall *c);
/* The first of these. */
bool an_syscall_page_flips(const struct an_syscall *c);
/* Any ioctl of DRM. */
bool an_syscall_is_drm(const struct an_syscall *c);
/* Waits for files to become ready: poll and its like. */
bool an_syscall_polls(const struct an_syscall *c);
/* Sleeps for a time. */
bool an_syscall_sleeps(const struct an_syscall *c);

#endif
