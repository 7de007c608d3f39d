/* The call tree of an event: stacks merged by thread group and function, so
 * that all later work is per place in the code and none per sample. */
#ifndef ANALYZE_REPORT_CALLS_H
#define ANALYZE_REPORT_CALLS_H

#include "analyze/profile.h"
#include "analyze/report/grouping.h"
#include "format/base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Root first: a call's parent has a lower id. The ids of a thread group follow
 * its root, which stands for no function and is its own parent. */
struct an_call {
	uint32_t parent;
	uint32_t step;         /* group of its frame; AN_NONE: a root */
	uint32_t child, next;  /* first child, next sibling; AN_NONE: none */
	uint32_t entry;        /* row it belongs to; AN_NONE: a root. Set, as
				* `above`, by an_hist_make() */
	uint32_t above;        /* nearest call above of the same row, or
				* AN_NONE */
	uint64_t self, total;  /* weight that ends here, that passes here too */
	uint64_t own;          /* 0; used by one walk at a time */
};

struct an_root {
	uint32_t call;
	uint32_t threads;      /* thread group */
};

struct an_calls {
	struct an_call *calls;
	size_t n, cap;
	struct an_root *roots;
	size_t n_roots;
};

/* The frame a place is at. */
uint32_t an_place_leaf(const struct an_trace *t, const struct an_place *p);

int an_calls_make(struct an_calls *out, const struct an_trace *t,
		  const struct an_event_profile *e,
		  const struct an_grouping *g, enum an_weight weight,
		  struct err *err);
void an_calls_fini(struct an_calls *c); /* a zeroed one is fine */

#endif
