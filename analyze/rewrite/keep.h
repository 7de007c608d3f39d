/* What a cut keeps: the rows of a selection, and of the definitions those that
 * they need. */
#ifndef ANALYZE_REWRITE_KEEP_H
#define ANALYZE_REWRITE_KEEP_H

#include "analyze/rewrite/shape.h"
#include "analyze/selection.h"
#include "analyze/trace.h"

struct an_keep;

/* Walks the trace and finds out. The selection, the trace and the shape of one
 * source, whose positions are those of its schema, must outlive it. */
int an_keep_new(struct an_keep **out, struct an_trace *t,
		const struct an_selection *sel, struct err *err);
void an_keep_free(struct an_keep *k); /* NULL is fine */

/* The *n rows of a part that are kept; `kept` has room for all. Parts of the
 * table of symbols have to come in the order of the file, each once. */
int an_keep_choose(struct an_keep *k, const struct tf_view *v, uint32_t *kept,
		   uint32_t *n, struct err *err);

#endif
