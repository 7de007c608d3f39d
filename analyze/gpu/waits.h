/* Waits summed by who waited, for whose fence, and where. */
#ifndef ANALYZE_GPU_WAITS_H
#define ANALYZE_GPU_WAITS_H

#include "analyze/gpu/model.h"
#include "analyze/selection.h"

struct an_wait_group {
	uint32_t thread;     /* row of `thread`; AN_NONE: lost */
	uint32_t driver, timeline; /* strings; 0: not known */
	uint32_t kind;       /* enum an_wait_kind */
	uint32_t kstack, ustack;
	uint32_t first;      /* a wait of it */
	uint64_t waits;      /* with both edges in the trace */
	uint64_t total_ns;   /* all of it that is in the trace */
	uint64_t p50_ns, p95_ns, p99_ns, max_ns; /* of those with both edges */
	uint64_t in_flight;  /* not ended when the recording was */
	uint64_t no_begin;   /* begun before it */
	uint64_t unsignaled; /* of those in flight, for a fence that was not
			      * signalled by then either */
	uint64_t open_ns;    /* the longest of these */
};

/* It waits for longer than it ever did before: not merely when the trace ended. */
static inline bool an_wait_group_is_stuck(const struct an_wait_group *w)
{
	return w->unsignaled && w->open_ns > w->max_ns;
}

struct an_wait_groups {
	struct an_wait_group *v; /* stuck, then by total, falling */
	size_t n, cap;
};

/* Those that touch the selected time, of selected threads and CPUs, at selected
 * places; what events are selected does not matter. `sel` may be NULL. */
bool an_wait_is_selected(const struct an_gpu *g, const struct an_wait *w,
			 const struct an_selection *sel);

int an_wait_groups_make(struct an_wait_groups *out, const struct an_gpu *g,
			const struct an_selection *sel, struct err *err);
void an_wait_groups_fini(struct an_wait_groups *w); /* a zeroed one is fine */

/* Rows of dma_fence by command and event: how often, which says nothing of how
 * long. */
struct an_fence_count {
	uint32_t comm;       /* string */
	enum an_gpu_role role;
	uint64_t rows;
};
struct an_fence_counts {
	struct an_fence_count *v; /* by rows, falling */
	size_t n, cap;
	uint64_t total;
};
int an_fence_counts_make(struct an_fence_counts *out, const struct an_gpu *g,
			 const struct an_selection *sel, struct err *err);
void an_fence_counts_fini(struct an_fence_counts *c);

#endif
