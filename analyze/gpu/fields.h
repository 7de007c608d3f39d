/* Rows about a GPU, their fields decoded by name, in the order of time. */
#ifndef ANALYZE_GPU_FIELDS_H
#define ANALYZE_GPU_FIELDS_H

#include "analyze/gpu/roles.h"
#include "analyze/sched/tasks.h"

struct an_gpu_event {
	uint64_t time;
	uint32_t order;      /* in the file: settles equal times */
	enum an_gpu_role role;
	uint32_t cpu, thread, task, ip, kstack, ustack;
	uint8_t flags;       /* of the sample */
	bool in_interrupt;
	uint32_t has;        /* bit n: number n is there */
	uint64_t n[AN_GPU_N_NUMBERS];
	uint32_t t[AN_GPU_N_TEXTS]; /* strings of the trace, 0: not there */
};

struct an_gpu_events {
	struct an_gpu_event *v;
	size_t n, cap;
	uint64_t count[AN_GPU_N_ROLES];
	bool recorded[AN_GPU_N_ROLES]; /* there is such an event, with rows or
					* without, but for one whose rows cannot
					* be read */
};

int an_gpu_events_make(struct an_gpu_events *out, struct an_trace *t,
		       const struct an_tasks *tasks, struct err *err);
void an_gpu_events_fini(struct an_gpu_events *e); /* a zeroed one is fine */

static inline bool an_gpu_has(const struct an_gpu_event *e,
			      enum an_gpu_number n)
{
	return e->has >> n & 1;
}

/* A fence by the low halves of its numbers: dma_fence cuts them. */
static inline uint64_t an_gpu_key(uint64_t context, uint64_t seqno)
{
	return context << 32 | (seqno & UINT32_MAX);
}
static inline uint64_t an_gpu_fence_key(const struct an_gpu_event *e)
{
	return an_gpu_key(e->n[AN_GPU_CONTEXT], e->n[AN_GPU_SEQNO]);
}

#endif
