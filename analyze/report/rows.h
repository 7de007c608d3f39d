/* An event's rows as a table: the columns of a report and what is in them. */
#ifndef ANALYZE_REPORT_ROWS_H
#define ANALYZE_REPORT_ROWS_H

#include "analyze/out/table.h"
#include "analyze/report/graph.h"
#include "analyze/report/hist.h"

#define AN_REPORT_COLUMNS (6 + AN_MAX_KEYS * AN_KEY_FIELDS)

struct an_report {
	const struct an_trace *t;
	const struct an_grouping *grouping;
	struct an_sort sort;
	struct an_graph_options graph;
	bool children;        /* count callers too and sort by that */
	bool samples;         /* a column of them in text, too */
	double percent_limit; /* smaller rows are not shown */
	enum an_format format;
};

struct an_report_columns {
	struct an_cell_column of[AN_REPORT_COLUMNS];
	size_t n;
};

/* CSV has the event as its first column: it holds those of all events. */
void an_report_columns_make(struct an_report_columns *out,
			    const struct an_report *r);

/* How many of h->sorted are over the limit: row i is h->sorted[i]. */
size_t an_report_n_rows(const struct an_report *r, const struct an_hist *h);

int an_report_add_rows(struct an_table *table, const struct an_report *r,
		       uint32_t event, const struct an_hist *h,
		       struct err *err);

#endif
