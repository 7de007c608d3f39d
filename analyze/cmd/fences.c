#include "analyze/command.h"
#include "analyze/gpu/eachwait.h"
#include "analyze/gpu/show.h"
#include "analyze/gpu/waitflame.h"
#include "analyze/gpu/waits.h"
#include "analyze/flame.h"
#include "analyze/out/file.h"

#include "format/base/mem.h"

#include <inttypes.h>

struct fences_args {
	struct an_selection_args sel;
	const char *flamegraph;
	bool csv, json, each;
};

static const struct opt opts[] = {
	OPT_STR(0, "flamegraph", "FILE", struct fences_args, flamegraph,
		"a picture, too: stacks where waits began, as wide as they "
		"lasted"),
	OPT_FLAG(0, "each", struct fences_args, each,
		 "a row for each wait by itself"),
	OPT_FLAG(0, "csv", struct fences_args, csv, "rows as CSV"),
	OPT_FLAG(0, "json", struct fences_args, json, "all of it as JSON"),
	AN_SELECTION_PLACE_OPTS(struct fences_args, sel),
	OPT_END,
};

struct fences {
	struct an_env *env;
	const struct fences_args *args;
	enum an_format format;
	struct an_selection sel;
	struct an_gpu gpu;
	struct an_wait_groups groups;
	struct an_fence_counts counts;
};

#define NS(key, title) { key, title, AN_CELL_TIME, true, 10 }
#define COUNT(key, title) { key, title, AN_CELL_U64, true, 5 }
#define WORD(key, title, width) { key, title, AN_CELL_TEXT, false, width }

static const struct an_cell_column columns[] = {
	NS("total_ns", "Total"),
	COUNT("waits", "Waits"),
	NS("p50_ns", "p50"),
	NS("p95_ns", "p95"),
	NS("p99_ns", "p99"),
	NS("max_ns", "Max"),
	COUNT("never_signaled", "No signal"),
	COUNT("in_flight", "In flight"),
	COUNT("no_begin", "No begin"),
	COUNT("pid", "PID"),
	COUNT("tid", "TID"),
	WORD("command", "Command", 8),
	WORD("driver", "Driver", 8),
	WORD("timeline", "Timeline", 8),
	WORD("how", "How", 8),
	WORD("stack", "Stack", 5), /* only in CSV: elsewhere it is below */
};

static struct an_gpu_place place_of(const struct fences *f,
				    const struct an_wait_group *w)
{
	const struct an_wait *first = &f->gpu.fences.waits[w->first];

	return (struct an_gpu_place){ first->ip, w->kstack, w->ustack,
				      first->flags };
}

static void add_numbers(struct an_table *table, const struct an_wait_group *w)
{
	an_table_u64(table, w->total_ns);
	an_table_u64(table, w->waits);
	an_table_u64(table, w->p50_ns);
	an_table_u64(table, w->p95_ns);
	an_table_u64(table, w->p99_ns);
	an_table_u64(table, w->max_ns);
	an_table_u64(table, w->unsignaled);
	an_table_u64(table, w->in_flight);
	an_table_u64(table, w->no_begin);
}

static void add_name(struct an_table *table, const struct an_trace *t,
		     uint32_t id)
{
	an_table_text(table, id ? an_string(t, id) : span_of("-", 1));
}

static int add_row(struct fences *f, struct an_table *table,
		   const struct an_wait_group *w, struct err *err)
{
	const struct an_trace *t = f->gpu.t;
	const struct an_thread *th = an_thread_of(t, w->thread);
	const char *how = an_wait_kind_name((enum an_wait_kind)w->kind);
	struct an_gpu_place place = place_of(f, w);
	struct buf stack;
	int rc = 0;

	add_numbers(table, w);
	an_table_u64(table, an_gpu_number(th->pid));
	an_table_u64(table, an_gpu_number(th->tid));
	an_table_text(table, an_string(t, th->comm));
	add_name(table, t, w->driver);
	add_name(table, t, w->timeline);
	an_table_word(table, how);
	if (f->format != AN_FORMAT_CSV)
		return 0;
	buf_init(&stack, 0);
	an_gpu_stack_folded(&f->gpu, &place, &stack);
	if (buf_failed(&stack))
		rc = err_nomem(err);
	else
		an_table_text(table, span_of(stack.p, stack.n));
	buf_fini(&stack);
	return rc;
}

static int text_stack(void *ctx, size_t row, FILE *to, struct err *err)
{
	struct fences *f = ctx;
	struct an_gpu_place place = place_of(f, &f->groups.v[row]);

	(void)err;
	an_gpu_stack_text(&f->gpu, &place, to);
	return 0;
}

static int json_stack(void *ctx, size_t row, struct json *j, struct err *err)
{
	struct fences *f = ctx;
	struct an_gpu_place place = place_of(f, &f->groups.v[row]);

	(void)err;
	an_gpu_stack_json(&f->gpu, &place, j);
	return 0;
}

static int make_table(struct fences *f, struct an_table **out, struct err *err)
{
	size_t n = ARRAY_LEN(columns) - (f->format != AN_FORMAT_CSV);
	int rc = an_table_new(out, columns, n, err);

	for (size_t i = 0; i < f->groups.n && !rc; i++)
		rc = add_row(f, *out, &f->groups.v[i], err);
	return rc;
}

static const struct an_cell_column count_columns[] = {
	{ "share_percent", "Share", AN_CELL_PERCENT, true, 7 },
	{ "rows", "Rows", AN_CELL_U64, true, 7 },
	{ "command", "Command", AN_CELL_TEXT, false, 12 },
	{ "event", "Event", AN_CELL_TEXT, false, 12 },
};

static int make_counts(const struct fences *f, struct an_table **out,
		       struct err *err)
{
	int rc = an_table_new(out, count_columns, ARRAY_LEN(count_columns),
			      err);

	for (size_t i = 0; i < f->counts.n && !rc; i++) {
		const struct an_fence_count *c = &f->counts.v[i];
		const char *event = an_gpu_roles[c->role].names;

		an_table_f64(*out, 100 * (double)c->rows /
				   (double)f->counts.total);
		an_table_u64(*out, c->rows);
		an_table_text(*out, an_string(f->gpu.t, c->comm));
		an_table_text(*out, span_of(event, __builtin_strlen(event)));
	}
	return rc;
}

static size_t n_fences(const struct fences *f)
{
	const struct an_fences *all = &f->gpu.fences;
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += !f->sel.any || (all->v[i].seen >= f->sel.t_min &&
				     all->v[i].seen <= f->sel.t_max);
	return n;
}

static void print_sums(const struct fences *f, FILE *to)
{
	uint64_t waits = 0, never = 0, in_flight = 0, no_begin = 0;

	for (size_t i = 0; i < f->groups.n; i++) {
		const struct an_wait_group *w = &f->groups.v[i];

		waits += w->waits + w->in_flight + w->no_begin;
		never += w->unsignaled;
		in_flight += w->in_flight;
		no_begin += w->no_begin;
	}
	fprintf(to, "# Waits: %" PRIu64 "; without an end in the trace: %"
		PRIu64 ", of these for fences not signalled by its end: %"
		PRIu64 "; without a begin: %" PRIu64 "\n# Fences: %zu\n#\n",
		waits, in_flight, never, no_begin, n_fences(f));
}

static int print_text(struct fences *f, struct an_table *table,
		      struct an_table *counts, struct err *err)
{
	struct an_row_extra extra = { text_stack, json_stack, f };
	FILE *to = f->env->out;
	int rc;

	an_gpu_head_text(&f->gpu, to);
	print_sums(f, to);
	rc = an_table_print_text(table, to, f->args->each ? NULL : &extra,
				 err);
	if (rc || !f->counts.n)
		return rc;
	fputs("\n# Rows of dma_fence events by command: how often, not how "
	      "long\n#\n", to);
	return an_table_print_text(counts, to, NULL, err);
}

static int print_json(struct fences *f, struct an_table *table,
		      struct an_table *counts, struct err *err)
{
	struct an_row_extra extra = { text_stack, json_stack, f };
	struct json j;
	int rc;

	json_init(&j, f->env->out);
	an_gpu_head_json(&f->gpu, &j);
	json_u64(&j, "fences", n_fences(f));
	if (f->args->each)
		rc = an_table_print_json(table, &j, "each", NULL, err);
	else
		rc = an_table_print_json(table, &j, "waits", &extra, err);
	if (!rc)
		rc = an_table_print_json(counts, &j, "event_counts", NULL, err);
	json_end_object(&j);
	putc('\n', f->env->out);
	return rc;
}

static int print(struct fences *f, struct err *err)
{
	struct an_table *table = NULL, *counts = NULL;
	int rc = f->args->each ?
			 an_waits_table(&table, &f->gpu, &f->sel, err) :
			 make_table(f, &table, err);

	if (!rc)
		rc = make_counts(f, &counts, err);
	if (rc)
		goto out;
	switch (f->format) {
	case AN_FORMAT_TEXT:
		rc = print_text(f, table, counts, err);
		break;
	case AN_FORMAT_CSV:
		rc = an_table_print_csv(table, f->env->out, err);
		break;
	case AN_FORMAT_JSON:
		rc = print_json(f, table, counts, err);
		break;
	}
out:
	an_table_free(table);
	an_table_free(counts);
	return rc;
}

static int draw(const struct fences *f, FILE *to, struct err *err)
{
	struct fg_tree *tree = NULL;
	struct fg_options o;
	int rc = an_wait_tree(&tree, &f->gpu, &f->groups, err);

	if (rc)
		return rc;
	fg_options_init(&o);
	o.title = "Waits for fences";
	o.unit = "ns";
	rc = fg_write_svg(tree, &o, to);
	fg_tree_free(tree);
	return rc ? an_flame_err(rc, err, f->args->flamegraph) : 0;
}

static int write_flamegraph(const struct fences *f, struct err *err)
{
	const char *path = f->args->flamegraph;
	struct an_out_file file = { 0 };
	int rc;

	if (!path)
		return 0;
	rc = an_out_file_check(path, f->env->paths, f->env->n_paths, err);
	if (!rc)
		rc = an_out_file_open(&file, path, f->env->path, err);
	if (!rc)
		rc = draw(f, file.to, err);
	if (!rc)
		rc = an_out_file_keep(&file, err);
	an_out_file_fini(&file);
	if (!rc)
		log_info(f->env->log, "wrote '%s': waits for fences", path);
	return rc;
}

static int fences_run(struct an_env *env, const void *args, struct err *err)
{
	struct fences f = { .env = env, .args = args };
	int rc = an_gpu_format(&f.format, f.args->csv, f.args->json, err);

	if (!rc)
		rc = an_selection_make(&f.sel, &f.args->sel, env->trace, err);
	if (!rc)
		rc = an_gpu_make(&f.gpu, env->trace, AN_CLIENT_IDLE_NS, err);
	if (!rc)
		rc = an_wait_groups_make(&f.groups, &f.gpu, &f.sel, err);
	if (!rc)
		rc = an_fence_counts_make(&f.counts, &f.gpu, &f.sel, err);
	if (!rc)
		rc = print(&f, err);
	if (!rc)
		rc = write_flamegraph(&f, err);
	if (!rc && !f.groups.n) {
		an_gpu_say_none(&f.gpu, "waits for fences", env->log);
		rc = AN_EXIT_INCONCLUSIVE;
	}
	an_fence_counts_fini(&f.counts);
	an_wait_groups_fini(&f.groups);
	an_gpu_fini(&f.gpu);
	an_selection_fini(&f.sel);
	return rc;
}

const struct an_command an_cmd_fences = {
	.name = "fences",
	.summary = "waits for the GPU: who waited how long for whose fence",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct fences_args),
	.needs = AN_ONE_TRACE,
	.run = fences_run,
};
