#include "analyze/command.h"
#include "analyze/counter/series.h"
#include "analyze/counter/stat.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct stat_args {
	struct an_selection_args sel;
	const char *by;
	bool summary, intervals, per_run;
	bool csv, json;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "summary", struct stat_args, summary,
		 "only what all intervals come to"),
	OPT_FLAG(0, "intervals", struct stat_args, intervals,
		 "each interval, also of a trace with two readings"),
	OPT_FLAG(0, "per-run", struct stat_args, per_run,
		 "also each run of a repeated measurement"),
	OPT_STR(0, "by", "WHAT", struct stat_args, by,
		"who used the GPU: by client, engine or device"),
	OPT_FLAG(0, "csv", struct stat_args, csv, "rows as CSV"),
	OPT_FLAG(0, "json", struct stat_args, json, "all of it as JSON"),
	AN_SELECTION_OPTS(struct stat_args, sel),
	OPT_END,
};

static const char *const bys[] = {
	[AN_BY_CLIENT] = "client",
	[AN_BY_ENGINE] = "engine",
	[AN_BY_DEVICE] = "device",
};

static int check_args(const struct stat_args *a, struct err *err)
{
	if (a->csv && a->json)
		return err_set(err, ERR_USAGE, "options '--csv' and '--json' "
			       "exclude each other");
	if (a->summary + a->intervals + (a->by != NULL) > 1)
		return err_set(err, ERR_USAGE, "options '--summary', "
			       "'--intervals' and '--by' exclude each other");
	return 0;
}

/* -1: none was asked for. */
static int by_of(const struct stat_args *a, int *by, struct err *err)
{
	*by = -1;
	for (size_t i = 0; a->by && i < ARRAY_LEN(bys); i++)
		if (strcmp(a->by, bys[i]) == 0)
			*by = (int)i;
	if (a->by && *by < 0)
		return err_set(err, ERR_USAGE, "option '--by': '%s' is none of "
			       "client, engine, device", a->by);
	return 0;
}

struct view {
	struct an_env *env;
	const struct stat_args *args;
	int by;
	bool *marks;
	struct an_selection sel;
	struct an_counters c;
	struct an_stat s;
};

/* Series are chosen by themselves; of the selection, the time. */
static int choose(struct view *v, struct err *err)
{
	const struct an_selection_args time = { .time = v->args->sel.time,
						.around = v->args->sel.around };
	int rc = an_series_choose(&v->marks, &v->args->sel, v->env->trace, err);

	if (!rc)
		rc = an_selection_make(&v->sel, &time, v->env->trace, err);
	if (!rc)
		rc = an_counters_load(&v->c, v->env->trace, v->sel.t_min,
				      v->sel.t_max, v->marks, err);
	return rc;
}

static int show(struct view *v, struct err *err)
{
	struct an_stat *s = &v->s;

	if (!v->c.n && s->format == AN_FORMAT_TEXT) {
		an_stat_head_text(s);
		return 0;
	}
	if (v->by >= 0)
		return an_stat_usage(s, (enum an_stat_by)v->by, v->marks, err);
	if (v->args->intervals ||
	    (!v->args->summary && an_stat_has_intervals(s)))
		return an_stat_intervals(s, err);
	return an_stat_summary(s, err);
}

static void say_none(const struct view *v)
{
	if (!an_n_series(v->env->trace))
		log_error(v->env->log, "%s: no readings of counters in it (try:"
			  " rec -I 1000, or rec stat)",
			  an_trace_path(v->env->trace));
	else
		log_error(v->env->log, "%s: no readings in what is selected",
			  an_trace_path(v->env->trace));
}

static int stat_run(struct an_env *env, const void *args, struct err *err)
{
	struct view v = { .env = env, .args = args };
	int rc = check_args(v.args, err);

	if (!rc)
		rc = by_of(v.args, &v.by, err);
	if (!rc)
		rc = choose(&v, err);
	if (!rc)
		rc = an_stat_make(&v.s, env->trace, &v.c, err);
	if (!rc) {
		v.s.to = env->out;
		v.s.per_run = v.args->per_run;
		v.s.format = v.args->csv ? AN_FORMAT_CSV :
			     v.args->json ? AN_FORMAT_JSON : AN_FORMAT_TEXT;
		rc = show(&v, err);
	}
	if (!rc && !v.c.n) {
		say_none(&v);
		rc = AN_EXIT_INCONCLUSIVE;
	}
	an_stat_fini(&v.s);
	an_counters_fini(&v.c);
	an_selection_fini(&v.sel);
	free(v.marks);
	return rc;
}

const struct an_command an_cmd_stat = {
	.name = "stat",
	.summary = "counters: each interval, what they come to, who used the GPU",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct stat_args),
	.needs = AN_ONE_TRACE,
	.run = stat_run,
};
