/* How a report groups: threads, the frames of its rows, and the frames of its
 * call tree. */
#ifndef ANALYZE_REPORT_GROUPING_H
#define ANALYZE_REPORT_GROUPING_H

#include "analyze/report/groups.h"

struct an_grouping {
	struct an_groups threads; /* by the chosen keys */
	struct an_groups rows;    /* frames by the chosen keys */
	struct an_groups steps;   /* frames by these and by function */
	uint32_t *row_of_step;
};

int an_grouping_make(struct an_grouping *out, const struct an_trace *t,
		     const struct an_sort *sort, struct err *err);
void an_grouping_fini(struct an_grouping *g); /* a zeroed one is fine */

#endif
