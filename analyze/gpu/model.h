/* All that a trace tells of GPUs, put together once. */
#ifndef ANALYZE_GPU_MODEL_H
#define ANALYZE_GPU_MODEL_H

#include "analyze/gpu/syscall.h"
#include "analyze/gpu/client.h"
#include "analyze/gpu/contrary.h"
#include "analyze/gpu/fence.h"
#include "analyze/gpu/head.h"
#include "analyze/gpu/hole.h"
#include "analyze/gpu/job.h"
#include "analyze/gpu/lossy.h"
#include "analyze/sched/sched.h"

struct an_gpu {
	struct an_trace *t;
	struct an_tasks tasks;
	struct an_sched *sched;  /* NULL: the trace has no switches */
	struct an_syscalls calls;
	struct an_gpu_events events;
	struct an_fences fences;
	struct an_jobs jobs;
	struct an_lossy lossy;
	struct an_holes holes;
	struct an_contraries contraries;
	struct an_heads heads;
	struct an_clients clients;
	uint64_t idle_ns;
};

/* A client is idle, not late, that shows nothing for longer than `idle_ns`. */
int an_gpu_make(struct an_gpu *out, struct an_trace *t, uint64_t idle_ns,
		struct err *err);
void an_gpu_fini(struct an_gpu *g); /* a zeroed one is fine */

#endif
