#include "analyze/report/grouping.h"

#include <stdlib.h>

void an_grouping_fini(struct an_grouping *g)
{
	an_groups_fini(&g->threads);
	an_groups_fini(&g->rows);
	an_groups_fini(&g->steps);
	free(g->row_of_step);
	*g = (struct an_grouping){ 0 };
}

int an_grouping_make(struct an_grouping *out, const struct an_trace *t,
		     const struct an_sort *sort, struct err *err)
{
	struct an_grouping g = { 0 };
	struct an_sort steps = *sort;
	int rc;

	an_sort_add(&steps, "symbol");
	rc = an_groups_make(&g.threads, t, AN_SIDE_THREAD, sort, err);
	if (!rc)
		rc = an_groups_make(&g.rows, t, AN_SIDE_FRAME, sort, err);
	if (!rc)
		rc = an_groups_make(&g.steps, t, AN_SIDE_FRAME, &steps, err);
	if (rc < 0)
		goto fail;
	g.row_of_step = calloc(g.steps.n, sizeof(*g.row_of_step));
	if (!g.row_of_step) {
		rc = err_nomem(err);
		goto fail;
	}
	for (size_t i = 0; i < g.steps.n_ids; i++)
		g.row_of_step[g.steps.of[i]] = g.rows.of[i];
	*out = g;
	return 0;
fail:
	an_grouping_fini(&g);
	return rc;
}
