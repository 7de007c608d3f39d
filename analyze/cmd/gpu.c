#include "analyze/command.h"
#include "analyze/findings/show.h"
#include "analyze/selection.h"
#include "analyze/trace.h"

struct gpu_args {
	struct an_selection_args sel;
	bool csv, json;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "csv", struct gpu_args, csv, "evidence as CSV"),
	OPT_FLAG(0, "json", struct gpu_args, json, "all of it as JSON"),
	OPT_GROUP("Selection"),
	OPT_STR(0, "time", "A,B", struct gpu_args, sel.time,
		"from A to B: 2s, 10%, -1s (of the end), @S (clock), "
		"mark:TEXT"),
	OPT_END,
};

struct view {
	struct an_selection sel;
	struct an_counters c;
	struct an_findings found;
};

static int make(struct view *v, const struct gpu_args *a, struct an_trace *t,
		struct err *err)
{
	int rc = an_selection_make(&v->sel, &a->sel, t, err);

	if (!rc)
		rc = an_counters_load(&v->c, t, v->sel.t_min, v->sel.t_max,
				      NULL, err);
	return rc ? rc : an_findings_make(&v->found, t, &v->c, err);
}

static int gpu_run(struct an_env *env, const void *args, struct err *err)
{
	const struct gpu_args *a = args;
	struct view v = { .found = { 0 } };
	enum an_format format;
	int rc = an_format_choose(&format, a->csv, a->json, err);

	if (!rc)
		rc = make(&v, a, env->trace, err);
	if (!rc)
		rc = an_findings_show(&v.found, format, env->out, err);
	if (!rc && !v.found.n_cards) {
		log_error(env->log, "%s: no readings of a GPU in %s (try: rec "
			  "-I 100 --gpu)", an_trace_path(env->trace),
			  v.sel.any ? "what is selected" : "it");
		rc = AN_EXIT_INCONCLUSIVE;
	}
	an_findings_fini(&v.found);
	an_counters_fini(&v.c);
	an_selection_fini(&v.sel);
	return rc;
}

const struct an_command an_cmd_gpu = {
	.name = "gpu",
	.summary = "what held GPUs back, by their readings",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct gpu_args),
	.needs = AN_ONE_TRACE,
	.run = gpu_run,
};
