/* Fences, from their making to their signal, and who waited for them. */
#ifndef ANALYZE_GPU_FENCE_H
#define ANALYZE_GPU_FENCE_H

#include "analyze/gpu/fields.h"

#include "format/base/map64.h"

struct an_fence {
	uint32_t context, seqno;   /* the low halves */
	/* Names from before it was signalled: kernels after 6.12 tell none
	 * then. Strings; 0: not known */
	uint32_t driver, timeline;
	uint64_t made, signaled;   /* 0: not seen */
	uint64_t seen;             /* first of all its rows */
	uint32_t maker, signaler;  /* tasks; AN_NONE: not known. The signaler is
				    * whoever was there: often an interrupt */
	bool in_interrupt;         /* it was signalled in one */
	uint32_t maker_thread;     /* row of `thread` */
	uint32_t job;              /* see job.h; AN_NONE: of none */
	uint32_t older;            /* that had the same numbers; AN_NONE */
};

/* Who waits is woken within that behind the row of the signal: callbacks run
 * right after it. */
#define AN_SIGNAL_WAKES_NS 300000u

enum an_wait_kind {
	AN_WAIT_EVENTS,  /* dma_fence_wait_start to _end */
	AN_WAIT_DRIVER,  /* the driver's own pair of events */
	AN_WAIT_CALL,    /* slept in a function that waits for fences */
	AN_WAIT_SIGNAL,  /* slept, and the signal of the fence woke it */
	AN_N_WAIT_KINDS,
};
const char *an_wait_kind_name(enum an_wait_kind k);

struct an_wait {
	uint64_t from, to;  /* 0: that edge is not in the trace */
	uint64_t since, until; /* the same, and of an edge that is not there as
			     * far as what the thread did tells: equal where
			     * nothing does */
	enum an_wait_kind kind;
	uint32_t fence;     /* AN_NONE: not known which */
	uint32_t task, thread, cpu;
	uint32_t ip, kstack, ustack; /* at its start, else at its end */
	uint8_t flags;      /* of that sample */
};

struct an_fences {
	struct an_fence *v;
	size_t n, cap;
	struct map64 index;   /* numbers to the last fence that had them */
	struct an_wait *waits; /* in the order of their begin, where it is known */
	size_t n_waits, waits_cap;
	uint32_t *by_task;     /* waits by task, then by begin */
	uint64_t events;       /* rows of dma_fence */
	uint64_t t_min, t_max; /* of the whole trace: a wait without an end
				* lasts until then */
};

int an_fences_make(struct an_fences *out, const struct an_trace *t,
		   const struct an_gpu_events *events, size_t n_tasks,
		   struct err *err);
void an_fences_fini(struct an_fences *f); /* a zeroed one is fine */

/* The fence of these numbers as it was at that time; AN_NONE: no row has it. */
uint32_t an_fences_find(const struct an_fences *f, uint64_t key,
			uint64_t time);

/* Adds a wait that was found otherwise. */
int an_fences_add_wait(struct an_fences *f, const struct an_wait *w,
		       struct err *err);
/* After the last one: puts them in order. */
int an_fences_order(struct an_fences *f, struct err *err);

/* The wait that a task is in at a time, or else its next one; AN_NONE: none. */
uint32_t an_fences_wait_at(const struct an_fences *f, uint32_t task,
			   uint64_t time);

/* When there was nothing more to wait for: the signal, if it came before the
 * end. */
uint64_t an_wait_ready(const struct an_fences *f, const struct an_wait *w);

/* How long it lasted, as far as is known. */
static inline uint64_t an_wait_ns(const struct an_wait *w)
{
	return w->until - w->since;
}

#endif
