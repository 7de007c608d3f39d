#include "analyze/command.h"
#include "analyze/counter/groups.h"
#include "analyze/counter/series.h"
#include "analyze/counter/stat.h"
#include "analyze/follow.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stat_args {
	struct an_selection_args sel;
	const char *by;
	const char *separator;
	bool summary, intervals, per_run, table, no_scale, no_csv_summary;
	bool per_socket, per_die, per_core, per_node;
	bool csv, json, follow;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "summary", struct stat_args, summary,
		 "only what all intervals come to"),
	OPT_FLAG(0, "intervals", struct stat_args, intervals,
		 "each interval, also of a trace with two readings"),
	OPT_FLAG(0, "per-run", struct stat_args, per_run,
		 "also each run of a repeated measurement"),
	OPT_FLAG(0, "table", struct stat_args, table,
		 "also how long each of these runs took"),
	OPT_FLAG(0, "per-socket", struct stat_args, per_socket,
		 "what was counted by CPU, by socket"),
	OPT_FLAG(0, "per-die", struct stat_args, per_die, "by die"),
	OPT_FLAG(0, "per-core", struct stat_args, per_core, "by core"),
	OPT_FLAG(0, "per-node", struct stat_args, per_node,
		 "by node of memory"),
	OPT_FLAG(0, "no-scale", struct stat_args, no_scale,
		 "where counters took turns, what was counted: nothing is "
		 "made up for"),
	OPT_STR(0, "by", "WHAT", struct stat_args, by,
		"who used the GPU: by client, engine or device"),
	OPT_FLAG(0, "follow", struct stat_args, follow,
		 "while it is recorded: each interval as it comes; with --by "
		 "who used the GPU in the last second"),
	OPT_STR('x', "field-separator", "SEP", struct stat_args, separator,
		"fields as perf stat -x has them, with SEP between"),
	OPT_FLAG(0, "no-csv-summary", struct stat_args, no_csv_summary,
		 "with -x and --summary of intervals: without the word in "
		 "front"),
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
	if (a->follow && (a->summary || a->per_run || a->json))
		return err_set(err, ERR_USAGE, "option '--follow' prints "
			       "intervals, as text or CSV, and no '%s'",
			       a->summary ? "--summary" :
			       a->per_run ? "--per-run" : "--json");
	if (a->separator && (a->csv || a->json || a->by || a->per_run ||
			     a->table))
		return err_set(err, ERR_USAGE, "option '-x' prints fields, and "
			       "no '--%s'", a->csv ? "csv" :
			       a->json ? "json" : a->by ? "by" :
			       a->per_run ? "per-run" : "table");
	if (a->separator && !*a->separator)
		return err_set(err, ERR_USAGE, "option '-x': nothing would be "
			       "between the fields");
	if (a->follow && (a->sel.time || a->sel.around))
		return err_set(err, ERR_USAGE, "option '--follow': the time "
			       "is now, '%s' cannot be chosen",
			       a->sel.time ? "--time" : "--around");
	return 0;
}

static int check_places(const struct stat_args *a, struct err *err)
{
	int n = a->per_socket + a->per_die + a->per_core + a->per_node;

	if (n > 1)
		return err_set(err, ERR_USAGE, "options '--per-socket', "
			       "'--per-die', '--per-core' and '--per-node' "
			       "exclude each other");
	if (n && (a->csv || a->json || a->by || a->per_run))
		return err_set(err, ERR_USAGE, "places are printed as text, or "
			       "as fields with '-x', and no '--%s'",
			       a->csv ? "csv" : a->json ? "json" :
			       a->by ? "by" : "per-run");
	return 0;
}

static enum an_cpu_level level_of(const struct stat_args *a)
{
	return a->per_socket ? AN_CPU_LEVEL_SOCKET :
	       a->per_die ? AN_CPU_LEVEL_DIE :
	       a->per_core ? AN_CPU_LEVEL_CORE :
	       a->per_node ? AN_CPU_LEVEL_NODE : AN_CPU_LEVEL_ALL;
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
	const struct an_env *env;
	const struct stat_args *args;
	struct an_trace *t;
	int by;
	bool *marks;
	struct an_selection sel;
	struct an_counters c;
	struct an_stat s;
	struct an_by_place groups;
	/* of a trace that is followed */
	struct an_told told;
	uint64_t shown_ns; /* the end of what was shown last */
};

/* Series are chosen by themselves; of the selection, the time. */
static int choose(struct view *v, struct err *err)
{
	const struct an_selection_args time = { .time = v->args->sel.time,
						.around = v->args->sel.around };
	int rc = an_series_choose(&v->marks, &v->args->sel, v->t, err);

	if (!rc)
		rc = an_selection_make(&v->sel, &time, v->t, err);
	return rc;
}

/* Fields of single CPUs, as any of these, stand behind their place. */
static int group(struct view *v, struct err *err)
{
	enum an_cpu_level level = level_of(v->args);

	if (v->args->separator && !level && v->s.cpus)
		level = AN_CPU_LEVEL_ONE;
	if (!v->args->separator && !level)
		return 0;
	v->s.groups = &v->groups;
	return an_by_place_make(&v->groups, &v->s, level, err);
}

static int load(struct view *v, uint64_t from_ns, struct err *err)
{
	int rc = an_counters_load(&v->c, v->t, from_ns, v->sel.t_max, v->marks,
				  err);

	if (!rc)
		rc = an_stat_make(&v->s, v->t, &v->c, err);
	v->s.to = v->env->out;
	v->s.per_run = v->args->per_run;
	v->s.table = v->args->table;
	v->s.separator = v->args->separator;
	v->s.summary_word = v->args->summary && !v->args->no_csv_summary;
	if (v->s.separator && strcmp(v->s.separator, "\\t") == 0)
		v->s.separator = "\t";
	v->s.told = v->args->follow ? &v->told : NULL;
	v->s.format = v->args->csv ? AN_FORMAT_CSV :
		      v->args->json ? AN_FORMAT_JSON : AN_FORMAT_TEXT;
	if (!rc && v->args->no_scale)
		rc = an_stat_unscale(&v->s, err);
	return rc || !v->c.n ? rc : group(v, err);
}

static void unload(struct view *v)
{
	an_by_place_fini(&v->groups);
	an_stat_fini(&v->s);
	an_counters_fini(&v->c);
	an_selection_fini(&v->sel);
	free(v->marks);
	v->marks = NULL;
}

static int show_usage(struct view *v, struct err *err)
{
	bool any;
	int rc = an_stat_usage(&v->s, (enum an_stat_by)v->by, v->marks, &any,
			       err);

	if (rc || any)
		return rc;
	log_error(v->env->log, "%s: no readings of a GPU among those of "
		  "counters (try: rec --gpu)", an_trace_path(v->t));
	return AN_EXIT_INCONCLUSIVE;
}

static int show(struct view *v, struct err *err)
{
	struct an_stat *s = &v->s;

	if (!v->c.n && s->separator)
		return 0;
	if (!v->c.n && s->format == AN_FORMAT_TEXT) {
		an_stat_head_text(s);
		return 0;
	}
	if (v->by >= 0)
		return show_usage(v, err);
	if (v->args->intervals ||
	    (!v->args->summary && an_stat_has_intervals(s)))
		return an_stat_intervals(s, err);
	return an_stat_summary(s, err);
}

static int say_none(const struct view *v)
{
	if (!an_n_series(v->t))
		log_error(v->env->log, "%s: no readings of counters in it (try:"
			  " rec -I 1000, or rec stat)", an_trace_path(v->t));
	else
		log_error(v->env->log, "%s: no readings in what is selected",
			  an_trace_path(v->t));
	return AN_EXIT_INCONCLUSIVE;
}

/* The intervals that have come. */
static int show_new(struct view *v, bool ended, struct err *err)
{
	int more, rc = load(v, v->sel.t_min, err);

	if (rc)
		return rc;
	if (ended && !v->c.n && !v->told.begun)
		return say_none(v);
	more = an_told_see(&v->told, &v->s.ticks, v->c.n_series, ended, err);
	if (more < 0 || (!v->told.n_ticks && !ended))
		return more;
	rc = an_stat_intervals(&v->s, err);
	v->told.begun = true;
	return rc ? rc : more;
}

#define LATELY_NS NSEC_PER_SEC

/* Who used the GPU lately: each second, on a terminal in the same place. */
static int show_lately(struct view *v, struct err *err)
{
	const uint32_t table = TF_TABLE_COUNTER;
	uint64_t from, to;
	int rc = tf_reader_bounds(an_trace_reader(v->t), &table, 1, &from, &to,
				  err);

	if (rc < 0 || to < from + LATELY_NS || to - v->shown_ns < LATELY_NS)
		return rc < 0 ? rc : 0;
	v->shown_ns = to;
	rc = load(v, to - LATELY_NS, err);
	if (rc)
		return rc;
	if (isatty(fileno(v->env->out)))
		fputs("\033[H\033[J", v->env->out);
	return an_stat_usage(&v->s, (enum an_stat_by)v->by, v->marks, NULL,
			     err);
}

static int look(void *ctx, struct an_trace *t, bool ended, struct err *err)
{
	struct view *v = ctx;
	int rc;

	v->t = t;
	rc = choose(v, err);
	if (!rc)
		rc = v->by < 0 ? show_new(v, ended, err) : show_lately(v, err);
	if (!rc && ended && v->by >= 0 && !v->shown_ns)
		rc = say_none(v);
	unload(v);
	fflush(v->env->out);
	return rc;
}

static int follow(struct view *v, struct err *err)
{
	const struct an_following how = { v->env->path, v->env->log, look, v };
	int rc = an_follow(&how, err);

	an_told_fini(&v->told);
	return rc;
}

static int show_all(struct view *v, struct err *err)
{
	int rc;

	v->t = v->env->trace;
	rc = choose(v, err);
	if (!rc)
		rc = load(v, v->sel.t_min, err);
	if (!rc)
		rc = show(v, err);
	if (!rc && !v->c.n)
		rc = say_none(v);
	unload(v);
	return rc;
}

static int stat_run(struct an_env *env, const void *args, struct err *err)
{
	struct view v = { .env = env, .args = args };
	int rc = check_args(v.args, err);

	if (!rc)
		rc = check_places(v.args, err);
	if (!rc)
		rc = by_of(v.args, &v.by, err);
	if (rc)
		return rc;
	return v.args->follow ? follow(&v, err) : show_all(&v, err);
}

static bool opens(const void *args)
{
	return ((const struct stat_args *)args)->follow;
}

const struct an_command an_cmd_stat = {
	.name = "stat",
	.summary = "counters: each interval, what they come to, who used the GPU",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct stat_args),
	.needs = AN_ONE_TRACE,
	.opens = opens,
	.run = stat_run,
};
