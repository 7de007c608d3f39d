#include "analyze/breaks.h"
#include "analyze/clock.h"
#include "analyze/command.h"
#include "analyze/rewrite/job.h"
#include "analyze/rewrite/keep.h"
#include "analyze/selection.h"
#include "analyze/trace.h"

#include "format/base/buf.h"
#include "format/base/mem.h"

#include <inttypes.h>
#include <string.h>

struct cut_args {
	const char *output;
	struct an_selection_args sel;
};

static const struct opt opts[] = {
	OPT_OUTPUT(struct cut_args, output),
	AN_SELECTION_OPTS(struct cut_args, sel),
	OPT_END,
};

struct cut {
	struct an_trace *t;
	struct an_keep *keep;
};

static int choose(void *ctx, const struct tf_view *v, uint32_t *kept,
		  uint32_t *n, struct err *err)
{
	return an_keep_choose(((struct cut *)ctx)->keep, v, kept, n, err);
}

static void note_damage(void *ctx, size_t chunk, const struct err *what)
{
	(void)chunk;
	an_trace_note_damage(((struct cut *)ctx)->t, what);
}

static void put_words(struct buf *to, const char *option,
		      const struct opt_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		buf_printf(to, " --%s %s", option, l->items[i]);
}

/* For reports of what is left: it is not all of what was recorded. */
static void put_selection(struct buf *to, const struct an_selection_args *a)
{
	const struct {
		const char *option;
		const struct opt_list *words;
	} lists[] = {
		{ "pid", &a->pid }, { "tid", &a->tid }, { "comm", &a->comm },
		{ "cgroup", &a->cgroup }, { "cpu", &a->cpu },
		{ "event", &a->event }, { "image", &a->image },
		{ "symbol", &a->symbol }, { "through", &a->through },
	};

	buf_printf(to, "cut from a longer recording:");
	if (a->time)
		buf_printf(to, " --time %s", a->time);
	if (a->around)
		buf_printf(to, " --around %s", a->around);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		put_words(to, lists[i].option, lists[i].words);
}

static uint64_t within(uint64_t t, struct an_break b)
{
	return t < b.from ? b.from : t > b.to ? b.to : t;
}

/* The selected time as far as it was recorded: its rows may begin later and end
 * earlier. */
static int add_covers(struct an_job *j, const struct an_selection *sel,
		      const struct an_trace *t, struct err *err)
{
	struct an_break all = an_trace_covers(t);
	struct buf text;
	int rc;

	if (!an_fact(t, AN_COVERS_FACT)) /* readings may lie inside of rows */
		all = an_break_hull(all, an_rows_span(an_trace_reader(t)));
	if (!sel->any || !all.to)
		return 0;
	buf_init(&text, 0);
	an_break_put((struct an_break){ within(sel->t_min, all),
					within(sel->t_max, all) }, &text);
	rc = an_rewrite_text(j->to, AN_COVERS_FACT, &text, err);
	buf_fini(&text);
	return rc;
}

static int add_note(struct an_job *j, const struct an_selection *sel,
		    const struct an_selection_args *a, struct err *err)
{
	struct buf text;
	int rc;

	if (!sel->any)
		return 0;
	buf_init(&text, 0);
	put_selection(&text, a);
	rc = an_rewrite_text(j->to, "note.cut", &text, err);
	buf_fini(&text);
	return rc;
}

static int write_cut(struct cut *c, struct an_env *env,
		     const struct cut_args *a, const struct an_selection *sel,
		     struct err *err)
{
	const struct tf_reader *r = an_trace_reader(c->t);
	struct an_rewrite_options o = { 0 };
	struct an_feed feed = { .reader = r,
				.name = an_trace_path(c->t),
				.choose = choose,
				.damage = note_damage,
				.ctx = c };
	struct an_job j = { .output = NULL };
	int rc;

	(void)an_clock_began(c->t, &o.start_unix_ns);
	rc = an_job_copy(&j, env, a->output, &feed, &o, err);
	if (!rc)
		rc = add_note(&j, sel, &a->sel, err);
	if (!rc)
		rc = add_covers(&j, sel, c->t, err);
	if (!rc)
		rc = an_job_keep(&j, err);
	if (!rc && env->log->level >= LOG_NORMAL)
		fprintf(an_job_talk(&j, env), "%" PRIu64 " rows: %" PRIu64
			" bytes, %" PRIu64 " before\n", an_rewrite_rows(j.to),
			j.size, tf_reader_size(r));
	if (!rc && !an_rewrite_rows(j.to)) {
		log_warn(env->log, "no row of '%s' is selected",
			 an_trace_path(c->t));
		rc = AN_EXIT_INCONCLUSIVE;
	}
	an_job_fini(&j);
	an_feed_fini(&feed);
	return rc;
}

static int cut_run(struct an_env *env, const void *args, struct err *err)
{
	const struct cut_args *a = args;
	struct cut c = { .t = env->trace };
	struct an_selection sel = { 0 };
	int rc;

	if (!a->output)
		return err_set(err, ERR_USAGE,
			       "where does it go? (try: -o FILE)");
	rc = an_selection_make(&sel, &a->sel, c.t, err);
	if (!rc)
		rc = an_keep_new(&c.keep, c.t, &sel, err);
	if (!rc)
		rc = write_cut(&c, env, a, &sel, err);
	an_keep_free(c.keep);
	an_selection_fini(&sel);
	return rc;
}

const struct an_command an_cmd_cut = {
	.name = "cut",
	.summary = "the selected rows as a trace of their own",
	.operands = "-o FILE [FILE...]",
	.opts = opts,
	.args_size = sizeof(struct cut_args),
	.needs = AN_ONE_TRACE,
	.run = cut_run,
};
