/* Threads or frames told apart by keys: ids to dense group numbers. */
#ifndef ANALYZE_REPORT_GROUPS_H
#define ANALYZE_REPORT_GROUPS_H

#include "analyze/report/keys.h"

/* Of the keys only those that look at this side. */
struct an_groups {
	uint32_t *of;    /* group by id; the last one is that of lost ids */
	size_t n_ids;
	uint32_t *shown; /* by group: the id that shows it */
	uint32_t n;
};

int an_groups_make(struct an_groups *out, const struct an_trace *t,
		   enum an_side side, const struct an_sort *sort,
		   struct err *err);
void an_groups_fini(struct an_groups *g); /* a zeroed one is fine */

static inline uint32_t an_group_of(const struct an_groups *g, uint32_t id)
{
	return g->of[id < g->n_ids ? id : g->n_ids - 1];
}

#endif
