/* What a thread did with its time, piece by piece. */
#ifndef ANALYZE_GPU_ACCOUNT_H
#define ANALYZE_GPU_ACCOUNT_H

#include "analyze/gpu/model.h"

enum an_doing {
	AN_DOES_UNKNOWN,
	AN_DOES_RUN,
	AN_DOES_QUEUE,   /* could run and waits for a CPU */
	AN_DOES_BLOCK,   /* waits for somebody */
	AN_DOES_SLEEP,   /* wanted to: a timer wakes it */
	AN_DOES_FENCE,   /* waits for a fence that is not signalled */
	AN_N_DOINGS,
};
const char *an_doing_name(enum an_doing d);

struct an_piece {
	uint64_t from, to;
	enum an_doing what;
	struct an_stretch state; /* as of an_state_next(), but for its times */
	uint32_t wait;       /* of a fence; else AN_NONE */
	const struct an_syscall *call; /* that it was in, mostly where it ran;
			      * NULL: none is known */
	uint32_t rival;      /* who had the CPU longest that it waited for */
	uint64_t rival_ns;
	bool taken;          /* and had taken it from this thread */
	/* On the way to the end of the account: before it waited for a job of
	 * its own that job was with the GPU already, whatever the thread did
	 * then. So much of that counts as waiting, or, of other pieces, was of
	 * no account. */
	uint64_t before, covered;
};

struct an_account {
	uint32_t task;
	uint64_t from, to;
	struct an_piece *v;  /* without holes */
	size_t n, cap;
	uint64_t path[AN_N_DOINGS]; /* how much of each counts */
};

/* How much of a piece counts. */
static inline uint64_t an_piece_path(const struct an_piece *p)
{
	return p->to - p->from - p->covered + p->before;
}

/* No thread is known to have ended it: an interrupt did, or nobody was seen. */
static inline bool an_piece_has_no_waker(const struct an_gpu *g,
					 const struct an_piece *p)
{
	return p->state.waker == AN_NONE || p->state.by_interrupt ||
	       an_task_is_idle(&g->tasks, p->state.waker);
}

/* Nothing tells whether the thread slept in it, or was held up. */
static inline bool an_piece_is_mute(const struct an_gpu *g,
				    const struct an_piece *p)
{
	return an_piece_has_no_waker(g, p) && !p->call && !p->state.kstack;
}

/* Release with an_account_fini() whatever it returns. */
int an_account_make(struct an_account *out, const struct an_gpu *g,
		    uint32_t task, uint64_t from, uint64_t to,
		    struct err *err);
void an_account_fini(struct an_account *a); /* a zeroed one is fine */

/* The function of the kernel in which it left the CPU, beneath those of the
 * scheduler itself; nothing: not known. */
struct span an_piece_function(const struct an_gpu *g,
			      const struct an_piece *p);

#endif
