#include "analyze/command.h"
#include "analyze/head.h"
#include "analyze/losses.h"
#include "analyze/selection.h"
#include "analyze/syscall/groups.h"

#include "format/base/json.h"
#include "format/base/mem.h"
#include "format/base/time.h"

#include <inttypes.h>
#include <string.h>

#define JSON_VERSION 1
/* Of a row; the rest is counted. */
#define MAX_STACKS 3u

struct syscalls_args {
	struct an_selection_args sel;
	const char *by;
	bool stacks, csv, json;
};

/* For the completion of shells: the names of an_sys_keys. */
static const char *const key_words[] = { "call", "fd", "cmd", "thread",
					 "process", "comm", "error", NULL };

static const struct opt opts[] = {
	{ .kind = OPT_KIND_STR, .name = "by", .arg = "KEY,..",
	  .field = offsetof(struct syscalls_args, by), .words = key_words,
	  .help = "a row for each: call, fd (the file), cmd (of an ioctl), "
		  "thread, process, comm, error" },
	OPT_FLAG(0, "stacks", struct syscalls_args, stacks,
		 "below each row the stacks that cost most"),
	OPT_FLAG(0, "csv", struct syscalls_args, csv, "rows as CSV"),
	OPT_FLAG(0, "json", struct syscalls_args, json, "all of it as JSON"),
	AN_SELECTION_OPTS(struct syscalls_args, sel),
	OPT_END,
};

static void set_defaults(void *args)
{
	((struct syscalls_args *)args)->by = "call";
}

/* Columns of a row that are no keys. */
struct figure {
	struct an_cell_column column;
	uint64_t (*of)(const struct an_sys_group *g);
	bool rare; /* in text only where it is not 0 throughout */
};

static uint64_t total_of(const struct an_sys_group *g) { return g->total_ns; }
static uint64_t calls_of(const struct an_sys_group *g) { return g->calls; }
static uint64_t p50_of(const struct an_sys_group *g) { return g->times.p50_ns; }
static uint64_t p95_of(const struct an_sys_group *g) { return g->times.p95_ns; }
static uint64_t p99_of(const struct an_sys_group *g) { return g->times.p99_ns; }
static uint64_t max_of(const struct an_sys_group *g) { return g->times.max_ns; }
static uint64_t errors_of(const struct an_sys_group *g) { return g->errors; }
static uint64_t open_of(const struct an_sys_group *g) { return g->unfinished; }
static uint64_t no_end_of(const struct an_sys_group *g) { return g->no_end; }
static uint64_t no_begin_of(const struct an_sys_group *g)
{
	return g->no_begin;
}

#define NS(key, title) { key, title, AN_CELL_TIME, true, 10 }
#define COUNT(key, title) { key, title, AN_CELL_U64, true, 5 }

static const struct figure figures[] = {
	{ NS("total_ns", "Total"), total_of, false },
	{ COUNT("calls", "Calls"), calls_of, false },
	{ NS("mean_ns", "Mean"), an_sys_mean, false },
	{ NS("p50_ns", "p50"), p50_of, false },
	{ NS("p95_ns", "p95"), p95_of, false },
	{ NS("p99_ns", "p99"), p99_of, false },
	{ NS("max_ns", "Max"), max_of, false },
	{ COUNT("unfinished", "Unfinished"), open_of, true },
	{ COUNT("no_end", "No end"), no_end_of, true },
	{ COUNT("no_begin", "No begin"), no_begin_of, true },
	{ COUNT("errors", "Errors"), errors_of, false },
};

static const struct an_cell_column error_column = {
	"error", "Mostly", AN_CELL_TEXT, false, 6,
};
static const struct an_cell_column stack_column = {
	"stack", "Stack", AN_CELL_TEXT, false, 5, /* only in CSV */
};

#define MAX_COLUMNS                                                            \
	(ARRAY_LEN(figures) + AN_SYS_KEYS * AN_SYS_CELLS + 2)

struct syscalls {
	struct an_env *env;
	const struct syscalls_args *args;
	enum an_format format;
	struct an_sys_by by;
	struct an_selection sel;
	struct an_sys_view x;
	struct an_sys_groups groups;
	struct an_cell_column columns[MAX_COLUMNS];
	bool shown[ARRAY_LEN(figures)];
	size_t n_columns;
};

static uint64_t sum(const struct syscalls *s,
		    uint64_t (*of)(const struct an_sys_group *g))
{
	uint64_t total = 0;

	for (size_t i = 0; i < s->groups.n; i++)
		total += of(&s->groups.v[i]);
	return total;
}

static void choose_columns(struct syscalls *s)
{
	for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
		s->shown[i] = !figures[i].rare || s->format != AN_FORMAT_TEXT ||
			      sum(s, figures[i].of);
		if (s->shown[i])
			s->columns[s->n_columns++] = figures[i].column;
	}
	s->columns[s->n_columns++] = error_column;
	for (size_t i = 0; i < s->by.n; i++)
		for (size_t k = 0; k < AN_SYS_CELLS; k++)
			if (s->by.keys[i]->columns[k].key)
				s->columns[s->n_columns++] =
					s->by.keys[i]->columns[k];
	if (s->args->stacks && s->format == AN_FORMAT_CSV)
		s->columns[s->n_columns++] = stack_column;
}

static void add_error(struct an_table *table, const struct an_sys_group *g)
{
	const char *name = an_sys_error_name(g->error);
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, g->error);
	an_table_word(table, !g->error ? "" : name ? name : text);
}

static int add_stack(const struct syscalls *s, struct an_table *table,
		     const struct an_sys_group *g, struct err *err)
{
	struct buf stack;
	int rc = 0;

	buf_init(&stack, 0);
	if (g->n_stacks)
		an_spot_folded(s->x.t, &s->groups.stacks[g->stacks].spot,
			       &stack);
	if (buf_failed(&stack))
		rc = err_nomem(err);
	else
		an_table_text(table, span_of(stack.p, stack.n));
	buf_fini(&stack);
	return rc;
}

static int add_row(const struct syscalls *s, struct an_table *table,
		   const struct an_sys_group *g, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(figures); i++)
		if (s->shown[i])
			an_table_u64(table, figures[i].of(g));
	add_error(table, g);
	for (size_t i = 0; i < s->by.n && !rc; i++)
		rc = s->by.keys[i]->cells(&s->x, &s->x.calls.v[g->first],
					  table, err);
	if (!rc && s->args->stacks && s->format == AN_FORMAT_CSV)
		rc = add_stack(s, table, g, err);
	return rc;
}

static int make_table(struct syscalls *s, struct an_table **out,
		      struct err *err)
{
	int rc;

	choose_columns(s);
	rc = an_table_new(out, s->columns, s->n_columns, err);
	for (size_t i = 0; i < s->groups.n && !rc; i++)
		rc = add_row(s, *out, &s->groups.v[i], err);
	return rc;
}

static int text_stacks(void *ctx, size_t row, FILE *to, struct err *err)
{
	const struct syscalls *s = ctx;
	const struct an_sys_group *g = &s->groups.v[row];
	char time[TIME_TEXT];

	(void)err;
	for (size_t i = 0; i < g->n_stacks && i < MAX_STACKS; i++) {
		const struct an_sys_stack *v = &s->groups.stacks[g->stacks + i];

		time_format(time, v->total_ns);
		fprintf(to, "        %s, calls: %" PRIu64 "\n", time, v->calls);
		an_spot_text(s->x.t, &v->spot, to);
	}
	if (g->n_stacks > MAX_STACKS)
		fprintf(to, "        ... %zu more stacks\n",
			g->n_stacks - MAX_STACKS);
	return 0;
}

static int json_stacks(void *ctx, size_t row, struct json *j, struct err *err)
{
	const struct syscalls *s = ctx;
	const struct an_sys_group *g = &s->groups.v[row];

	(void)err;
	json_u64(j, "n_stacks", g->n_stacks);
	json_array(j, "stacks");
	for (size_t i = 0; i < g->n_stacks && i < MAX_STACKS; i++) {
		const struct an_sys_stack *v = &s->groups.stacks[g->stacks + i];

		json_object(j, NULL);
		json_u64(j, "total_ns", v->total_ns);
		json_u64(j, "calls", v->calls);
		an_spot_json(s->x.t, &v->spot, j, "stack");
		json_end_object(j);
	}
	json_end_array(j);
	return 0;
}

/* What is no matter of rows; text is what a report says of it. */
struct remark {
	const char *key;
	const char *text;
	uint64_t (*of)(const struct syscalls *s);
	bool files; /* of interest only where files are shown */
};

static uint64_t unfinished(const struct syscalls *s) { return sum(s, open_of); }
static uint64_t no_end(const struct syscalls *s) { return sum(s, no_end_of); }
static uint64_t no_begin(const struct syscalls *s)
{
	return sum(s, no_begin_of);
}
static uint64_t nameless(const struct syscalls *s)
{
	return s->groups.nameless;
}
static uint64_t doubts(const struct syscalls *s) { return s->groups.doubts; }

static const struct remark remarks[] = {
	{ "unfinished", "not ended with the recording", unfinished, false },
	{ "no_end", "without an end in this trace", no_end, false },
	{ "no_begin", "further ones, without a begin in this trace", no_begin,
	  false },
	{ "unknown_files", "on files that are known by number only", nameless,
	  true },
	{ "doubtful_files", "on numbers that were several files in turn (near "
	  "a change it may be the other one)", doubts, true },
};

/* Also what an ioctl is depends on its file. */
static bool shows_files(const struct syscalls *s)
{
	for (size_t i = 0; i < s->by.n; i++)
		if (strcmp(s->by.keys[i]->name, "fd") == 0 ||
		    strcmp(s->by.keys[i]->name, "cmd") == 0)
			return true;
	return false;
}

static void print_head(const struct syscalls *s, FILE *to)
{
	struct an_lost lost;

	an_head_print(s->x.t, to);
	an_losses_sum(s->x.t, AN_NONE, &lost);
	if (lost.samples || lost.unknown)
		fprintf(to, "# Lost: %s%" PRIu64 " rows: what they would have "
			"told is unknown\n", lost.unknown ? "at least " : "",
			lost.samples);
	if (!s->x.calls.n_ends)
		fputs("# Not in this trace: when calls ended, and how: no "
		      "sys_exit\n", to);
	fprintf(to, "# Calls: %" PRIu64 "\n", sum(s, calls_of));
	for (size_t i = 0; i < ARRAY_LEN(remarks); i++) {
		uint64_t n = remarks[i].of(s);

		if (n && (!remarks[i].files || shows_files(s)))
			fprintf(to, "#   %s: %" PRIu64 "\n", remarks[i].text, n);
	}
	fputs("#\n", to);
}

static int print_text(struct syscalls *s, struct an_table *table,
		      struct err *err)
{
	struct an_row_extra extra = { text_stacks, json_stacks, s };

	print_head(s, s->env->out);
	return an_table_print_text(table, s->env->out,
				   s->args->stacks ? &extra : NULL, err);
}

static void json_head(const struct syscalls *s, struct json *j)
{
	const struct an_trace *t = s->x.t;
	struct an_lost lost;

	an_losses_sum(t, AN_NONE, &lost);
	json_object(j, NULL);
	json_u64(j, "version", JSON_VERSION);
	an_head_json(t, j);
	json_u64(j, "lost", lost.samples);
	json_bool(j, "more_lost", lost.unknown);
	json_u64(j, "calls", sum(s, calls_of));
	for (size_t i = 0; i < ARRAY_LEN(remarks); i++)
		json_u64(j, remarks[i].key, remarks[i].of(s));
}

static int print_json(struct syscalls *s, struct an_table *table,
		      struct err *err)
{
	struct an_row_extra extra = { text_stacks, json_stacks, s };
	struct json j;
	int rc;

	json_init(&j, s->env->out);
	json_head(s, &j);
	rc = an_table_print_json(table, &j, "rows",
				 s->args->stacks ? &extra : NULL, err);
	json_end_object(&j);
	putc('\n', s->env->out);
	return rc;
}

static int print(struct syscalls *s, struct err *err)
{
	struct an_table *table = NULL;
	int rc = make_table(s, &table, err);

	if (!rc) {
		switch (s->format) {
		case AN_FORMAT_TEXT:
			rc = print_text(s, table, err);
			break;
		case AN_FORMAT_CSV:
			rc = an_table_print_csv(table, s->env->out, err);
			break;
		case AN_FORMAT_JSON:
			rc = print_json(s, table, err);
			break;
		}
	}
	an_table_free(table);
	return rc;
}

static int make_view(struct an_sys_view *x, struct an_trace *t,
		     struct err *err)
{
	int rc;

	x->t = t;
	rc = an_tasks_init(&x->tasks, t, err);
	if (!rc)
		rc = an_sys_calls_make(&x->calls, t, &x->tasks, err);
	if (!rc)
		rc = an_files_make(&x->files, t, err);
	return rc;
}

static void fini(struct syscalls *s)
{
	an_sys_groups_fini(&s->groups);
	an_files_fini(&s->x.files);
	an_sys_calls_fini(&s->x.calls);
	an_tasks_fini(&s->x.tasks);
	an_selection_fini(&s->sel);
}

static int syscalls_run(struct an_env *env, const void *args, struct err *err)
{
	struct syscalls s = { .env = env, .args = args };
	int rc = an_format_choose(&s.format, s.args->csv, s.args->json, err);

	if (!rc)
		rc = an_sys_by_parse(&s.by, s.args->by, err);
	if (!rc)
		rc = an_selection_make(&s.sel, &s.args->sel, env->trace, err);
	if (!rc)
		rc = make_view(&s.x, env->trace, err);
	if (!rc)
		rc = an_sys_groups_make(&s.groups, &s.x, &s.by, &s.sel,
					 s.args->stacks, err);
	if (!rc)
		rc = print(&s, err);
	if (!rc && !s.groups.n) {
		log_warn(env->log, "no system calls in '%s', or none is "
			 "selected (record with: rec -e 'syscalls:*')",
			 an_trace_path(env->trace));
		rc = AN_EXIT_INCONCLUSIVE;
	}
	fini(&s);
	return rc;
}

const struct an_command an_cmd_syscalls = {
	.name = "syscalls",
	.summary = "system calls: how many, how long, on what, with what error",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct syscalls_args),
	.defaults = set_defaults,
	.needs = AN_ONE_TRACE,
	.run = syscalls_run,
};
