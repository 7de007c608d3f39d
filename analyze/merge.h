/* Samples in the order of their time, from a file that has them ring by ring. */
#ifndef ANALYZE_MERGE_H
#define ANALYZE_MERGE_H

#include "analyze/samples.h"

struct an_sample {
	uint64_t time, period;
	uint64_t order;      /* in the file: settles equal times */
	uint32_t cpu, thread, event, ip, kstack, ustack;
	uint32_t payload_size;
	uint16_t lacks;      /* as of a batch */
	uint8_t flags;
	bool is_switch;      /* a row of `switch`: its flags, and its `other` as
			      * the period */
	const uint8_t *payload; /* record of a tracepoint, see
				 * analyze/tracepoint/payload.h */
	void *block;         /* what the payload lies in */
};

struct an_merge;
struct an_payloads;

int an_merge_new(struct an_merge **out, struct an_trace *t,
		 const struct an_selection *sel, struct err *err);

/* The same with the payloads of tracepoints, where `payloads` is not NULL, and
 * with the rows of `switch`. */
int an_merge_new_with(struct an_merge **out, struct an_trace *t,
		      const struct an_selection *sel,
		      struct an_payloads *payloads, bool switches,
		      struct err *err);

/* 0: *out is the next sample and lives until the next call; 1: no more. What is
 * held in memory is what the rings overlap. ERR_LIMIT: a file made to exhaust
 * it. */
int an_merge_next(struct an_merge *m, const struct an_sample **out,
		  struct err *err);
void an_merge_free(struct an_merge *m); /* NULL is fine */

#endif
