/* Filters of tracepoints: what did not pass one is not in the file, which tells of
 * that only by the command line of perf record. */
#ifndef RECORD_IMPORT_PERFDATA_FILTERS_H
#define RECORD_IMPORT_PERFDATA_FILTERS_H

#include "format/base/span.h"
#include "record/import/intake.h"

struct rec_pd_filters {
	struct span events; /* of the last -e; must live on */
	/* whose value the next word is */
	enum { REC_PD_NOTHING, REC_PD_EVENTS, REC_PD_FILTER, REC_PD_OVER } next;
	struct span first, first_filter;
	size_t n; /* filters */
};

/* The next word. A filter becomes the fact filter.EVENTS. Behind "--" are those
 * of the workload. */
void rec_pd_filter_word(struct rec_pd_filters *f, struct span word,
			struct rec_intake *to);

/* What is to be said of them all. */
void rec_pd_filter_end(const struct rec_pd_filters *f, struct rec_intake *to);

#endif
