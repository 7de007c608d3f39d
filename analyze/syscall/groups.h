/* System calls summed by keys. */
#ifndef ANALYZE_SYSCALL_GROUPS_H
#define ANALYZE_SYSCALL_GROUPS_H

#include "analyze/lengths.h"
#include "analyze/spot.h"
#include "analyze/syscall/keys.h"

struct an_sys_group {
	uint32_t first;          /* a call of it */
	uint64_t calls;          /* that began */
	uint64_t whole;          /* of these, that also ended */
	uint64_t unfinished;     /* whose task did nothing else after */
	uint64_t no_end;         /* whose end is not in the trace otherwise */
	uint64_t no_begin;       /* ends without a begin; not among `calls` */
	uint64_t errors;         /* ends with an error */
	uint32_t error;          /* the most frequent one, 0: none */
	uint64_t error_calls;    /* with that one */
	uint64_t total_ns;       /* of whole calls, as all times */
	struct an_quantiles times;
	size_t stacks, n_stacks; /* in `stacks`, the costliest first */
};

struct an_sys_stack {
	uint32_t group;
	struct an_spot spot;
	uint64_t calls, total_ns;
};

struct an_sys_groups {
	struct an_sys_group *v; /* by total, falling */
	size_t n, cap;
	struct an_sys_stack *stacks;
	size_t n_stacks, stacks_cap;
	uint64_t doubts;         /* calls on a number that was several files */
	uint64_t nameless;       /* on a file that is not known */
};

/* `stacks`: where calls began, too; those without one are left out. `sel` may be
 * NULL. */
int an_sys_groups_make(struct an_sys_groups *out,
			const struct an_sys_view *x,
			const struct an_sys_by *by,
			const struct an_selection *sel, bool stacks,
			struct err *err);
void an_sys_groups_fini(struct an_sys_groups *g); /* zeroed is fine */

static inline uint64_t an_sys_mean(const struct an_sys_group *g)
{
	return g->whole ? g->total_ns / g->whole : 0;
}

#endif
