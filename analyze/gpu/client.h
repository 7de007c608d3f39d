/* Clients of displays and what was delivered to them; which display frames came
 * late. */
#ifndef ANALYZE_GPU_CLIENT_H
#define ANALYZE_GPU_CLIENT_H

#include "analyze/gpu/syscall.h"
#include "analyze/gpu/head.h"
#include "analyze/sched/sched.h"

/* A client that shows nothing for longer than this is not late but idle. */
#define AN_CLIENT_IDLE_NS 1000000000u

struct an_delivery {
	uint64_t time;       /* of the row */
	uint64_t vblank;     /* of its vblank, 0: not known */
	uint32_t seq;
	uint32_t client;     /* AN_NONE: the kernel's own */
	uint32_t previous;   /* the client's display frame before; AN_NONE */
	uint32_t steps;      /* vblanks since then, 1: the next one; 0: not
			      * known, or the count began anew */
	uint32_t missed;     /* of these without a new one */
	uint32_t number;     /* of "late:N", from 1; 0: it has none, as with
			      * AN_CLIENT_IDLE_NS it is not late */
	uint32_t cpu, task;
	bool asked;          /* for a vblank, which shows nothing */
	bool paused;         /* more were missed, as the client was idle */
};

struct an_client {
	uint64_t file;       /* address of it in the kernel */
	uint32_t crtc, head; /* AN_NONE: a head without vblanks */
	uint32_t task;       /* AN_NONE: not known */
	uint32_t frames, late, missed, pauses, asked;
	uint32_t last;       /* its last display frame; AN_NONE */
	uint32_t cadence;    /* vblanks from one frame to the next, mostly */
};

struct an_clients {
	struct an_delivery *v; /* by time */
	size_t n, cap;
	struct an_client *clients;
	size_t n_clients, clients_cap;
	uint32_t own;        /* deliveries of the kernel itself */
};

int an_clients_make(struct an_clients *out, const struct an_trace *t,
		    const struct an_gpu_events *events,
		    const struct an_heads *heads, uint64_t idle_ns,
		    struct err *err);
void an_clients_fini(struct an_clients *c); /* a zeroed one is fine */

/* Finds out which thread each client is: it asks for vblanks, or is woken by
 * its deliveries, or flips, or is simply the next to run. `sched` may be NULL.
 */
int an_clients_tasks(struct an_clients *c, const struct an_gpu_events *events,
		     const struct an_syscalls *calls,
		     const struct an_sched *sched, const struct an_tasks *tasks,
		     struct err *err);

#endif
