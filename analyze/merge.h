/* Samples in the order of their time, from a file that has them ring by ring. */
#ifndef ANALYZE_MERGE_H
#define ANALYZE_MERGE_H

#include "analyze/samples.h"

struct an_sample {
	uint64_t time, period;
	uint64_t order;      /* in the file: settles equal times */
	uint32_t cpu, thread, event, ip, kstack, ustack;
	uint8_t flags;
};

struct an_merge;

int an_merge_new(struct an_merge **out, struct an_trace *t,
		 const struct an_selection *sel, struct err *err);
/* 0: *out is the next sample and lives until the next call; 1: no more. What is
 * held in memory is what the rings overlap. ERR_LIMIT: a file made to exhaust
 * it. */
int an_merge_next(struct an_merge *m, const struct an_sample **out,
		  struct err *err);
void an_merge_free(struct an_merge *m); /* NULL is fine */

#endif
