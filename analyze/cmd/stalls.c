#include "analyze/command.h"
#include "analyze/gpu/show.h"
#include "analyze/gpu/stall.h"
#include "analyze/gpu/waits.h"

#include "format/base/mem.h"
#include "format/base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>

struct stalls_args {
	struct an_selection_args sel;
	uint64_t idle_ns;
	bool csv, json, brief;
};

static const struct opt opts[] = {
	OPT_TIME(0, "idle", "TIME", struct stalls_args, idle_ns, 1000000,
		 "a client that shows nothing for longer has paused and is "
		 "not late, unless it was held up (1s)"),
	OPT_FLAG(0, "brief", struct stalls_args, brief,
		 "sentences without evidence"),
	OPT_FLAG(0, "csv", struct stalls_args, csv, "rows as CSV"),
	OPT_FLAG(0, "json", struct stalls_args, json, "all of it as JSON"),
	AN_SELECTION_PLACE_OPTS(struct stalls_args, sel),
	OPT_END,
};

static void set_defaults(void *args)
{
	((struct stalls_args *)args)->idle_ns = AN_CLIENT_IDLE_NS;
}

struct stalls {
	struct an_env *env;
	const struct stalls_args *args;
	enum an_format format;
	struct an_selection sel;
	struct an_gpu gpu;
	uint64_t found;      /* late frames and crossings */
	uint64_t frames;     /* that are selected */
};

static bool is_selected(const struct stalls *s, const struct an_delivery *d)
{
	const struct an_selection *sel = &s->sel;
	uint32_t thread = an_task_thread(&s->gpu.tasks,
		s->gpu.clients.clients[d->client].task, d->time);

	return !sel->any ||
	       (d->time >= sel->t_min && d->time <= sel->t_max &&
		(!sel->thread ||
		 (thread < sel->n_threads && sel->thread[thread])));
}

/* Explains the selected late frames, one after another. */
typedef int each_stall(struct stalls *s, const struct an_stall *stall,
		       void *ctx, struct err *err);

static int walk_late(struct stalls *s, each_stall *each, void *ctx,
		     struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->gpu.clients.n && !rc; i++) {
		const struct an_delivery *d = &s->gpu.clients.v[i];
		struct an_stall stall;

		if (d->client == AN_NONE || !is_selected(s, d))
			continue;
		s->frames++;
		if (!d->missed)
			continue;
		rc = an_stall_explain(&stall, &s->gpu, i, err);
		if (!rc)
			rc = each(s, &stall, ctx, err);
		an_stall_fini(&stall);
		s->found++;
	}
	return rc;
}

typedef int each_crossing(struct stalls *s, const struct an_crossing *c,
			  void *ctx, struct err *err);

static int walk_crossings(struct stalls *s, each_crossing *each, void *ctx,
			  struct err *err)
{
	struct an_crossings all;
	struct an_crossing c;
	int rc = an_crossings_init(&all, &s->gpu, err);

	while (!rc && an_crossings_next(&all, &c)) {
		if (!an_wait_is_selected(&s->gpu, &s->gpu.fences.waits[c.wait],
					 &s->sel))
			continue;
		rc = each(s, &c, ctx, err);
		s->found++;
	}
	an_crossings_fini(&all);
	return rc;
}

/* What had a part in it beside what its sentence names: the next one from *at
 * on. false: no more. */
static bool next_other(const struct stalls *s, const struct an_stall *stall,
		       size_t *at, struct buf *text)
{
	const struct an_parts *p = &stall->parts;

	while (*at < p->n && an_part_is(&p->v[*at], &stall->why))
		++*at;
	if (*at == p->n)
		return false;
	an_stall_part_text(&p->v[(*at)++], &s->gpu, stall, text);
	return true;
}

static int text_others(struct stalls *s, const struct an_stall *stall,
		       struct err *err)
{
	struct buf text;
	size_t at = 0;
	int rc = 0;

	buf_init(&text, 0);
	while (!rc && next_other(s, stall, &at, &text)) {
		fputs("    also ", s->env->out);
		utf8_print(s->env->out, span_of(text.p, text.n));
		putc('\n', s->env->out);
		rc = buf_failed(&text) ? err_nomem(err) : 0;
		buf_clear(&text);
	}
	buf_fini(&text);
	return rc;
}

static int text_late(struct stalls *s, const struct an_stall *stall, void *ctx,
		     struct err *err)
{
	const struct an_delivery *d = &s->gpu.clients.v[stall->delivery];
	FILE *to = s->env->out;
	struct buf text;
	int rc = 0;

	(void)ctx;
	buf_init(&text, 0);
	an_stall_text(stall, &s->gpu, &text);
	if (buf_failed(&text)) {
		buf_fini(&text);
		return err_nomem(err);
	}
	if (d->number)
		fprintf(to, "late:%" PRIu32 " ", d->number);
	fprintf(to, "%.6f ", (double)d->time / 1e9);
	utf8_print(to, span_of(text.p, text.n));
	putc('\n', to);
	buf_fini(&text);
	if (s->args->brief)
		return 0;
	rc = text_others(s, stall, err);
	an_evidence_text(&stall->account, &s->gpu, to);
	return rc;
}

#define WORD(key, title) { key, title, AN_CELL_TEXT, false, 7 }
#define NS(key, title) { key, title, AN_CELL_TIME, true, 10 }
#define COUNT(key, title) { key, title, AN_CELL_U64, true, 5 }

static const struct an_cell_column crossing_columns[] = {
	{ "from_ns", "From", AN_CELL_MOMENT, true, 12 }, NS("waited_ns", "Waited"),
	COUNT("vblanks", "Vblanks"), WORD("head", "Head"),
	WORD("frame_lost", "Frame lost"), COUNT("tid", "TID"),
	WORD("command", "Command"), WORD("fence", "Fence"),
	WORD("how", "How"),
};

static int add_fence(struct stalls *s, struct an_table *t, uint32_t fence,
		     struct err *err)
{
	struct buf text;
	int rc = 0;

	buf_init(&text, 0);
	an_gpu_fence_text(&s->gpu, fence, &text);
	if (buf_failed(&text))
		rc = err_nomem(err);
	else
		an_table_text(t, span_of(text.p, text.n));
	buf_fini(&text);
	return rc;
}

static int add_crossing(struct stalls *s, const struct an_crossing *c,
			void *ctx, struct err *err)
{
	const struct an_wait *w = &s->gpu.fences.waits[c->wait];
	const struct an_thread *th = an_thread_of(s->gpu.t, w->thread);
	struct an_table *t = ctx;
	char head[AN_HEAD_NAME];
	int rc;

	an_head_name(&s->gpu.heads, c->head, head);
	an_table_u64(t, w->since);
	an_table_u64(t, an_wait_ns(w));
	an_table_u64(t, c->vblanks);
	an_table_word(t, head);
	an_table_word(t, c->lost ? "yes" : "no");
	an_table_u64(t, an_gpu_number(th->tid));
	an_table_text(t, an_string(s->gpu.t, th->comm));
	rc = add_fence(s, t, w->fence, err);
	an_table_word(t, an_wait_kind_name(w->kind));
	return rc;
}

static int make_crossings(struct stalls *s, struct an_table **out,
			  struct err *err)
{
	int rc = an_table_new(out, crossing_columns,
			      ARRAY_LEN(crossing_columns), err);

	return rc ? rc : walk_crossings(s, add_crossing, *out, err);
}

static int print_text(struct stalls *s, struct err *err)
{
	struct an_table *crossings = NULL;
	FILE *to = s->env->out;
	int rc;

	an_gpu_head_text(&s->gpu, to);
	fputs("#\n# Late display frames\n#\n", to);
	rc = walk_late(s, text_late, NULL, err);
	if (!rc && !s->found)
		fputs("# none\n", to);
	if (!rc)
		rc = make_crossings(s, &crossings, err);
	if (!rc) {
		fputs("\n# Waits that went on across a vblank\n#\n", to);
		rc = an_table_print_text(crossings, to, NULL, err);
	}
	an_table_free(crossings);
	return rc;
}

static void json_u64_or_null(struct json *j, const char *key, uint64_t v)
{
	if (v)
		json_u64(j, key, v);
	else
		json_null(j, key);
}

static int json_late(struct stalls *s, const struct an_stall *stall, void *ctx,
		     struct err *err)
{
	const struct an_delivery *d = &s->gpu.clients.v[stall->delivery];
	const struct an_client *c = &s->gpu.clients.clients[d->client];
	struct json *j = ctx;
	char head[AN_HEAD_NAME];
	struct buf text;

	(void)err;
	buf_init(&text, 0);
	an_stall_text(stall, &s->gpu, &text);
	an_head_name(&s->gpu.heads, c->head, head);
	json_break(j);
	json_object(j, NULL);
	json_u64(j, "time_ns", d->time);
	json_u64_or_null(j, "number", d->number);
	json_cstr(j, "head", head);
	json_u64(j, "seq", d->seq);
	json_u64(j, "missed", d->missed);
	json_i64(j, "client_tid", an_task_tid(&s->gpu.tasks, c->task));
	json_u64(j, "deadline_ns", stall->deadline);
	json_u64_or_null(j, "submit_ns", stall->submit);
	json_bool(j, "submit_guessed", stall->submit_guessed);
	json_u64_or_null(j, "vblank_ns", d->vblank);
	json_text(j, "sentence", span_of(text.p, text.n));
	an_why_json(&stall->why, &s->gpu, j);
	an_parts_json(&stall->parts, &s->gpu, j);
	an_evidence_json(&stall->account, &s->gpu, j);
	json_end_object(j);
	buf_fini(&text);
	return 0;
}

static int print_json(struct stalls *s, struct err *err)
{
	struct an_table *crossings = NULL;
	struct json j;
	int rc = make_crossings(s, &crossings, err);

	if (!rc) {
		json_init(&j, s->env->out);
		an_gpu_head_json(&s->gpu, &j);
		json_array(&j, "late_frames");
		rc = walk_late(s, json_late, &j, err);
		json_end_array(&j);
	}
	if (!rc)
		rc = an_table_print_json(crossings, &j, "waits_across_vblanks",
					 NULL, err);
	if (!rc) {
		json_end_object(&j);
		putc('\n', s->env->out);
	}
	an_table_free(crossings);
	return rc;
}

static const struct an_cell_column late_columns[] = {
	COUNT("time_ns", "Time ns"), WORD("head", "Head"), COUNT("seq", "Seq"),
	COUNT("missed", "Missed"), COUNT("tid", "TID"),
	WORD("command", "Command"), WORD("cause", "Cause"),
	WORD("confidence", "Confidence"), NS("took_ns", "Took"),
	{ "culprit_tid", "Culprit", AN_CELL_TEXT, true, 7 },
	WORD("culprit", "Culprit"), WORD("fence", "Fence"),
	WORD("ring", "Ring"), WORD("sentence", "Sentence"),
	COUNT("number", "Number"), WORD("also", "Also"),
};

static void put_others(const struct stalls *s, const struct an_stall *stall,
		       struct buf *text)
{
	size_t at = 0;

	while (next_other(s, stall, &at, text))
		buf_printf(text, "; ");
	if (text->n)
		text->n -= 2;
}

static int csv_late(struct stalls *s, const struct an_stall *stall, void *ctx,
		    struct err *err)
{
	const struct an_delivery *d = &s->gpu.clients.v[stall->delivery];
	const struct an_client *c = &s->gpu.clients.clients[d->client];
	const struct an_why *w = &stall->why;
	struct an_table *t = ctx;
	char head[AN_HEAD_NAME];
	struct buf text;
	int rc = 0;

	an_head_name(&s->gpu.heads, c->head, head);
	an_table_u64(t, d->time);
	an_table_word(t, head);
	an_table_u64(t, d->seq);
	an_table_u64(t, d->missed);
	an_table_u64(t, c->task == AN_NONE ? 0 :
		     (uint64_t)an_task_tid(&s->gpu.tasks, c->task));
	an_table_word(t, an_task_name(&s->gpu.tasks, c->task, d->time));
	an_table_word(t, an_cause_name(w->cause));
	an_table_word(t, an_confidence_name(w->confidence));
	an_table_u64(t, w->ns);
	an_gpu_culprit_cells(&s->gpu, w, t);
	if (w->fence == AN_NONE)
		an_table_word(t, "");
	else
		rc = add_fence(s, t, w->fence, err);
	an_table_word(t, w->job == AN_NONE ? "" :
		 s->gpu.jobs.rings[s->gpu.jobs.v[w->job].ring].name);
	buf_init(&text, 0);
	an_stall_text(stall, &s->gpu, &text);
	an_table_text(t, span_of(text.p, text.n));
	an_table_u64(t, d->number);
	buf_clear(&text);
	put_others(s, stall, &text);
	an_table_text(t, span_of(text.p, text.n));
	if (buf_failed(&text))
		rc = err_nomem(err);
	buf_fini(&text);
	return rc;
}

static int print_csv(struct stalls *s, struct err *err)
{
	struct an_table *late = NULL;
	int rc = an_table_new(&late, late_columns, ARRAY_LEN(late_columns),
			      err);

	if (!rc)
		rc = walk_late(s, csv_late, late, err);
	if (!rc)
		rc = an_table_print_csv(late, s->env->out, err);
	an_table_free(late);
	return rc;
}

static int print(struct stalls *s, struct err *err)
{
	switch (s->format) {
	case AN_FORMAT_CSV:
		return print_csv(s, err);
	case AN_FORMAT_JSON:
		return print_json(s, err);
	default:
		return print_text(s, err);
	}
}

static int stalls_run(struct an_env *env, const void *args, struct err *err)
{
	struct stalls s = { .env = env, .args = args };
	int rc = an_gpu_format(&s.format, s.args->csv, s.args->json, err);

	if (!rc)
		rc = an_selection_make(&s.sel, &s.args->sel, env->trace, err);
	if (!rc)
		rc = an_gpu_make(&s.gpu, env->trace, s.args->idle_ns, err);
	if (!rc)
		rc = print(&s, err);
	if (!rc && !s.found && !s.frames) {
		an_gpu_say_none(&s.gpu, "frames of displays", env->log);
		rc = AN_EXIT_INCONCLUSIVE;
	}
	an_gpu_fini(&s.gpu);
	an_selection_fini(&s.sel);
	return rc;
}

const struct an_command an_cmd_stalls = {
	.name = "stalls",
	.summary = "why each late display frame was late",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct stalls_args),
	.needs = AN_ONE_TRACE,
	.defaults = set_defaults,
	.run = stalls_run,
};
