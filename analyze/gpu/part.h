/* All that had a part in something that came late, the longest first: beside the
 * cause that is named another one may have taken nearly as long. */
#ifndef ANALYZE_GPU_PART_H
#define ANALYZE_GPU_PART_H

#include "analyze/gpu/why.h"

/* Each is of one cause and one culprit, thread or fence; `ns` is what it took of
 * the thread's time, and no two of a thread are of the same time. */
struct an_parts {
	struct an_why *v;
	size_t n, cap;
};

/* Adds what the thread of an account did with its time. `late_ns` as of
 * an_why_make(). What it did is not known of some of it, perhaps: that is no
 * part. On failure what was added so far stays. */
int an_parts_account(struct an_parts *p, const struct an_gpu *g,
		     const struct an_account *a, uint64_t late_ns,
		     struct err *err);
int an_parts_add(struct an_parts *p, const struct an_why *w, struct err *err);

/* Leaves those that took `min_ns` or more, the longest first. */
void an_parts_settle(struct an_parts *p, uint64_t min_ns);
/* Events are missing: neither what is said nor any part of it is sure. */
void an_parts_doubt(struct an_parts *p, struct an_why *why);
void an_parts_fini(struct an_parts *p); /* a zeroed one is fine */

/* Whether a part is what a reason names. */
bool an_part_is(const struct an_why *part, const struct an_why *why);

/* "parts": objects of what an_why_json() writes. */
void an_parts_json(const struct an_parts *p, const struct an_gpu *g,
		   struct json *j);

#endif
