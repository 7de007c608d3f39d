/* Times in which nothing is sure: events may be missing that were recorded and lost
 * by a full ring, by a limit, or as their record was damaged; or a kind of them is
 * (hole.h), or rows contradict each other (contrary.h). */
#ifndef ANALYZE_GPU_LOSSY_H
#define ANALYZE_GPU_LOSSY_H

#include "analyze/gpu/fields.h"
#include "analyze/sched/sched.h"

struct an_lossy_span { uint64_t from, to; };

struct an_lossy {
	struct an_lossy_span *v; /* by time, apart from each other */
	size_t n, cap;
	bool all;            /* of some loss nobody knows when it was, a part of
			      * the file is damaged, or rows cannot be read */
};

/* `sched` may be NULL. */
int an_lossy_make(struct an_lossy *out, const struct an_trace *t,
		  const struct an_gpu_events *events,
		  const struct an_sched *sched, struct err *err);
void an_lossy_fini(struct an_lossy *l); /* a zeroed one is fine */

/* Adds a time; an_lossy_in() holds again when they are settled. */
int an_lossy_add(struct an_lossy *l, uint64_t from, uint64_t to,
		 struct err *err);
void an_lossy_settle(struct an_lossy *l);

/* Whether one may be missing behind `from` and up to `to`. */
bool an_lossy_in(const struct an_lossy *l, uint64_t from, uint64_t to);

#endif
