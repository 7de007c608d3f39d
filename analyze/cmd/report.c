#include "analyze/command.h"
#include "analyze/flame.h"
#include "analyze/report/print.h"

#define DEFAULT_SORT "comm,dso,sym"

struct report_args {
	struct an_selection_args sel;
	const char *sort, *graph, *weight;
	bool children, inverted, samples, stdio, csv, json;
	double percent_limit;
	bool limited; /* percent_limit was given */
};

static const struct opt opts[] = {
	OPT_STR('s', "sort", "KEY,..", struct report_args, sort,
		"comm, pid, tid, dso, sym; a dso's nameless code is one row"),
	OPT_FLAG(0, "children", struct report_args, children,
		 "count callers too, where there are stacks (default)"),
	OPT_MODE('g', "call-graph", "HOW,..", struct report_args,
		 graph, an_graph_words,
		 "graph, fractal or none, least percent, caller or callee"),
	OPT_FLAG('G', "inverted", struct report_args, inverted,
		 "call graphs from the root down: -g caller"),
	{ .kind = OPT_KIND_F64, .name = "percent-limit", .arg = "PERCENT",
	  .field = offsetof(struct report_args, percent_limit),
	  .seen = offsetof(struct report_args, limited) + 1,
	  .help = "hide smaller rows and branches" },
	OPT_FLAG('n', "show-nr-samples", struct report_args, samples,
		 "a column of samples"),
	OPT_STR(0, "weight", "WHAT", struct report_args, weight,
		"what is summed: period (default), samples or time"),
	OPT_FLAG(0, "csv", struct report_args, csv, "rows as CSV"),
	OPT_FLAG(0, "json", struct report_args, json, "rows as JSON"),
	OPT_FLAG(0, "stdio", struct report_args, stdio,
		 "text, as it is anyway"),
	AN_SELECTION_OPTS(struct report_args, sel),
	OPT_END,
};

static void set_defaults(void *args)
{
	((struct report_args *)args)->children = true;
}

static int take_format(struct an_report *r, const struct report_args *a,
		       struct err *err)
{
	if (a->csv && a->json)
		return err_set(err, ERR_USAGE,
			       "options '--csv' and '--json' exclude each other");
	r->format = a->csv ? AN_FORMAT_CSV :
		    a->json ? AN_FORMAT_JSON : AN_FORMAT_TEXT;
	return 0;
}

static int take_args(struct an_report *r, const struct report_args *a,
		     struct err *err)
{
	int rc = take_format(r, a, err);

	if (!rc)
		rc = an_sort_parse(&r->sort, a->sort ? a->sort : DEFAULT_SORT,
				   err);
	if (!rc)
		rc = an_graph_parse(&r->graph, a->graph, err);
	r->children = a->children;
	r->samples = a->samples;
	r->percent_limit = a->percent_limit;
	if (a->limited && !r->graph.min_set)
		r->graph.tree.min_percent = a->percent_limit;
	return rc;
}

/* As perf: with callers counted a graph shows what a row calls, otherwise by
 * whom it was called. */
static void settle_children(struct an_report *r, const struct report_args *a,
			    const struct an_profile *p)
{
	r->children = r->children && an_report_has_stacks(p);
	r->graph.tree.children = r->children;
	if (a->inverted)
		r->graph.tree.order = AN_CALLER;
	else if (!r->graph.order_set)
		r->graph.tree.order = r->children ? AN_CALLER : AN_CALLEE;
}

static bool has_samples(const struct an_profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->events[i].total.samples)
			return true;
	return false;
}

/* Before anything is printed. */
static int check_weight(const struct an_profile *p, const struct an_trace *t,
			enum an_weight weight, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < p->n && !rc; i++)
		if (p->events[i].total.samples)
			rc = an_weight_check(t, p->events[i].event, weight,
					     err);
	return rc;
}

static int print(struct an_env *env, struct an_report *r,
		 const struct an_profile *p, const enum an_weight *weight,
		 struct err *err)
{
	struct an_grouping grouping = { 0 };
	int rc = an_grouping_make(&grouping, env->trace, &r->sort, err);

	r->grouping = &grouping;
	if (!rc)
		rc = an_report_print(r, p, weight, env->out, err);
	r->grouping = NULL;
	an_grouping_fini(&grouping);
	if (!rc && !has_samples(p)) {
		an_flame_say_none(env->trace, p, env->log);
		return AN_EXIT_INCONCLUSIVE;
	}
	return rc;
}

static int report_run(struct an_env *env, const void *args, struct err *err)
{
	const struct report_args *a = args;
	struct an_report r = { .t = env->trace };
	struct an_selection sel = { 0 };
	struct an_profile profile = { 0 };
	enum an_weight weight = AN_WEIGHT_PERIOD;
	int rc = take_args(&r, a, err);

	if (!rc && a->weight)
		rc = an_weight_parse(a->weight, &weight, err);
	if (!rc)
		rc = an_selection_make(&sel, &a->sel, env->trace, err);
	if (!rc)
		rc = an_profile_make(&profile, env->trace, &sel, err);
	if (!rc && a->weight)
		rc = check_weight(&profile, env->trace, weight, err);
	if (!rc) {
		settle_children(&r, a, &profile);
		rc = print(env, &r, &profile, a->weight ? &weight : NULL, err);
	}
	an_profile_fini(&profile);
	an_selection_fini(&sel);
	return rc;
}

const struct an_command an_cmd_report = {
	.name = "report",
	.summary = "where the time went, as a table with call graphs",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct report_args),
	.selection = offsetof(struct report_args, sel) + 1,
	.needs = AN_ONE_TRACE,
	.defaults = set_defaults,
	.run = report_run,
};
