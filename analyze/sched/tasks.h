/* Threads by their number, whatever they were called meanwhile: tracepoints name
 * other threads by their number only. */
#ifndef ANALYZE_SCHED_TASKS_H
#define ANALYZE_SCHED_TASKS_H

#include "analyze/trace.h"

#include "format/base/map64.h"

struct an_task {
	int32_t tid;         /* 0: nobody, the CPU was idle */
	uint32_t source;     /* as of a thread */
	uint32_t comm;       /* string: as a tracepoint called it; 0: none did */
	uint32_t first;      /* of its rows of `thread`; AN_NONE: none */
};

struct an_tasks {
	const struct an_trace *t;
	struct an_task *v;
	size_t n, cap;
	uint32_t *next;      /* by thread: a further one of the same task */
	struct map64 index;  /* (source, tid) */
};

/* Those of the trace. */
int an_tasks_init(struct an_tasks *x, const struct an_trace *t,
		  struct err *err);
void an_tasks_fini(struct an_tasks *x); /* a zeroed one is fine */

/* AN_NONE: there is none. */
uint32_t an_tasks_find(const struct an_tasks *x, uint32_t source, int32_t tid);
uint32_t an_tasks_of_thread(const struct an_tasks *x, uint32_t thread);

/* The same, made where there is none. */
int an_tasks_get(struct an_tasks *x, uint32_t source, int32_t tid,
		 uint32_t comm, uint32_t *task, struct err *err);

/* The thread that it was at that time; AN_NONE: no row of `thread` has it. */
uint32_t an_task_thread(const struct an_tasks *x, uint32_t task, uint64_t time);

/* What it was called then, for printf. */
const char *an_task_name(const struct an_tasks *x, uint32_t task,
			 uint64_t time);
int32_t an_task_tid(const struct an_tasks *x, uint32_t task); /* -1: AN_NONE */

static inline bool an_task_is_idle(const struct an_tasks *x, uint32_t task)
{
	return task < x->n && !x->v[task].tid;
}

#endif
