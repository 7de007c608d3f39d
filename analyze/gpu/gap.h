/* Times in which a ring had nothing to do, and why: what the thread whose job
 * ended it did meanwhile. */
#ifndef ANALYZE_GPU_GAP_H
#define ANALYZE_GPU_GAP_H

#include "analyze/gpu/part.h"

struct an_gap {
	uint32_t ring;
	uint32_t before, next; /* jobs */
	uint64_t from, to;
	struct an_why why;
	struct an_account account; /* of the thread that submitted the next job,
				    * until it did */
	struct an_parts parts; /* all that took a tenth of it or more, what is
				* said above among them */
};

/* The next gap of at least `min_ns` from *at on; *at begins at 0 and goes over
 * all jobs that ended, ring by ring. false: no more. */
bool an_gap_next(const struct an_gpu *g, uint64_t min_ns, size_t *at,
		 struct an_gap *out);

/* Fills in why and the parts. Release with an_gap_fini() whatever it returns. */
int an_gap_explain(struct an_gap *gap, const struct an_gpu *g,
		   struct err *err);
void an_gap_fini(struct an_gap *gap);

/* One sentence. */
void an_gap_text(const struct an_gap *gap, const struct an_gpu *g,
		 struct buf *to);
/* The job that its next one depended on, if that is known, then what the
 * submitter did. */
void an_gap_evidence(const struct an_gap *gap, const struct an_gpu *g, FILE *to);
/* Of a part: "it was blocked for 20.1 ms in futex, woken by holder/12". */
void an_gap_part_text(const struct an_why *part, const struct an_gap *gap,
		      const struct an_gpu *g, struct buf *to);

#endif
