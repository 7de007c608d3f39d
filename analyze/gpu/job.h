/* Jobs of the GPU and the rings they ran on: submitted, handed to the hardware,
 * really begun, ended. A ring does one job after another, so one begins when it
 * was handed over or when the one before ended, whichever is later. */
#ifndef ANALYZE_GPU_JOB_H
#define ANALYZE_GPU_JOB_H

#include "analyze/gpu/fence.h"

#include "format/base/intern.h"

struct an_ring {
	const char *name;    /* "gfx", "0000:03:00.0 gfx_0.0.0", "card0 render0";
			      * lives as long as the jobs */
	size_t n_jobs;       /* those that ended */
	uint64_t busy_ns;    /* the union of them */
	size_t first, end;   /* in the order of `by_ring` */
};

struct an_job {
	uint32_t ring;
	uint32_t context, seqno; /* of its finished fence, low halves */
	uint32_t fence;      /* AN_NONE: not known */
	uint64_t entity, id, client; /* 0: not told */
	uint64_t seen;       /* its first row: jobs stand in that order */
	uint64_t submit, run, start, end; /* 0: not seen */
	uint32_t task, thread; /* that submitted it; AN_NONE: not seen */
	uint32_t ip, kstack, ustack; /* where */
	uint32_t runner;     /* task that handed it over */
	uint32_t ahead;      /* the job that it had to wait for on its ring;
			      * AN_NONE: none */
	uint64_t dep;        /* the last fence that it depends on, as a key */
	bool depends;
	bool has_key;
	bool odd_runner;     /* its ring has a thread for that, and it was not
			      * that one */
	bool guessed_run;    /* no row tells when it was handed over */
	bool unsignaled;     /* a row tells of its end, none of its fence's */
};

struct an_jobs {
	struct an_job *v;    /* in the order of their first row */
	size_t n, cap;
	struct an_ring *rings;
	size_t n_rings, rings_cap;
	uint32_t *by_ring;   /* jobs that ended, ring by ring, by their start */
	struct intern names;
	struct map64 by_key; /* of finished fences, to the last such job */
};

/* Tells the fences which jobs they are of. */
int an_jobs_make(struct an_jobs *out, struct an_trace *t,
		 const struct an_gpu_events *events, struct an_fences *fences,
		 const struct an_tasks *tasks, struct err *err);
void an_jobs_fini(struct an_jobs *j); /* a zeroed one is fine */

/* How long the ring was busy in [from, to). */
uint64_t an_ring_busy(const struct an_jobs *j, uint32_t ring, uint64_t from,
		      uint64_t to);

#endif
