/* The call graphs of a report: the option, and how a graph is written. */
#ifndef ANALYZE_REPORT_GRAPH_H
#define ANALYZE_REPORT_GRAPH_H

#include "analyze/report/calltree.h"
#include "format/base/json.h"

#include <stdio.h>

#define AN_GRAPH_MIN_PERCENT 0.5 /* as perf */

/* "graph,0.5,caller": words in any order, then the least percent and how many
 * branches to show under one. */
struct an_graph_options {
	bool none;
	bool order_set, min_set; /* was said */
	struct an_calltree_options tree;
};

/* NULL: nothing was said. ERR_UNSUPPORTED names a word that perf knows and
 * this report does not, ERR_USAGE one that nobody knows. */
int an_graph_parse(struct an_graph_options *out, const char *text,
		   struct err *err);
extern const char *const an_graph_words[]; /* for OPT_MODE */

struct an_graph { /* writes the graphs of one event */
	struct an_calltree *tree;
	const struct an_trace *t;
	const struct an_grouping *g;
	const struct an_hist *h;
	enum an_call_order order; /* of the tree */
	bool says_symbol;    /* the row's line begins with its function: not
			      * said again where the graph begins with it */
	struct buf name, clean; /* scratch */
	bool *pipes;         /* by depth: a line goes on downwards */
	size_t pipes_cap;
	bool failed;         /* a name found no memory */
};

void an_graph_fini(struct an_graph *g); /* not the tree; zeroed is fine */

/* As perf's --stdio draws it, with a blank line behind it; nothing where no
 * branch is large enough. */
int an_graph_text(struct an_graph *g, uint32_t entry, FILE *to,
		  struct err *err);

/* "callers": [{"percent", "weight", "frames", "callers"}, …], or "callees" in
 * the order of callers: see spec/json.md. */
int an_graph_json(struct an_graph *g, uint32_t entry, struct json *j,
		  struct err *err);

#endif
