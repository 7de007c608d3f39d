/* Which tables of a trace hold samples: `sample`, and that of each tracepoint;
 * `switch` can go with them. */
#ifndef ANALYZE_TRACEPOINT_SOURCES_H
#define ANALYZE_TRACEPOINT_SOURCES_H

#include "analyze/columns.h"
#include "analyze/selection.h"
#include "analyze/trace.h"

struct an_source {
	uint32_t table;
	struct an_columns columns; /* those of `sample` that were asked for */
	int key;                   /* position of the payload column `id`, by
				    * which its rows belong to events with a
				    * key; -1: none do */
	int other;                 /* of `switch`: position of that column;
				    * -1: another table */
};

struct an_sources {
	struct an_source *v; /* ascending tables */
	size_t n;
};

/* Those that may hold rows of the selected events (`sel` may be NULL), with the
 * columns of `wanted` (bits by position in `sample`). */
int an_sources_find(struct an_sources *out, const struct an_trace *t,
		    const struct an_selection *sel, uint64_t wanted,
		    bool switches, struct err *err);
void an_sources_fini(struct an_sources *s); /* a zeroed one is fine */

const struct an_source *an_sources_of(const struct an_sources *s,
				      uint32_t table);

/* The queries for their parts, one a source; with `payload`, for all columns of
 * tracepoints. The caller frees them; `sel` outlives what uses them. */
int an_sources_queries(struct tf_query **out, const struct an_sources *s,
		       const struct an_selection *sel, bool payload,
		       struct err *err);

#endif
