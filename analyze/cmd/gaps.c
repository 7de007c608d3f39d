#include "analyze/command.h"
#include "analyze/gpu/gap.h"
#include "analyze/gpu/show.h"

#include "format/base/mem.h"
#include "format/base/utf8.h"

#include <inttypes.h>

struct gaps_args {
	struct an_selection_args sel;
	uint64_t min_ns;
	bool csv, json, brief;
};

static const struct opt opts[] = {
	OPT_TIME('m', "min", "TIME", struct gaps_args, min_ns, 1000000,
		 "hide shorter gaps (1ms)"),
	OPT_FLAG(0, "brief", struct gaps_args, brief,
		 "sentences without evidence"),
	OPT_FLAG(0, "csv", struct gaps_args, csv, "rows as CSV"),
	OPT_FLAG(0, "json", struct gaps_args, json, "all of it as JSON"),
	AN_SELECTION_TASK_OPTS(struct gaps_args, sel),
	OPT_END,
};

static void set_defaults(void *args)
{
	((struct gaps_args *)args)->min_ns = 1000000;
}

struct gaps {
	struct an_env *env;
	const struct gaps_args *args;
	enum an_format format;
	struct an_selection sel;
	struct an_gpu gpu;
	uint64_t found;
};

/* Something in [from, to] that a job is to blame or to thank for. */
static bool is_selected(const struct gaps *s, uint32_t job, uint64_t from,
			uint64_t to)
{
	const struct an_selection *sel = &s->sel;
	uint32_t thread = s->gpu.jobs.v[job].thread;

	return !sel->any ||
	       (from <= sel->t_max && to >= sel->t_min &&
		(!sel->thread ||
		 (thread < sel->n_threads && sel->thread[thread])));
}

static bool has_jobs(const struct gaps *s)
{
	const struct an_jobs *j = &s->gpu.jobs;

	for (uint32_t i = 0; i < j->n; i++)
		if (is_selected(s, i, j->v[i].seen,
				j->v[i].end ? j->v[i].end : j->v[i].seen))
			return true;
	return false;
}

typedef int each_gap(struct gaps *s, const struct an_gap *gap,
		     const struct buf *sentence, void *ctx, struct err *err);

static int give(struct gaps *s, struct an_gap *gap, each_gap *each, void *ctx,
		struct err *err)
{
	struct buf text;
	int rc = an_gap_explain(gap, &s->gpu, err);

	buf_init(&text, 0);
	if (!rc)
		an_gap_text(gap, &s->gpu, &text);
	if (!rc && buf_failed(&text))
		rc = err_nomem(err);
	if (!rc)
		rc = each(s, gap, &text, ctx, err);
	buf_fini(&text);
	an_gap_fini(gap);
	return rc;
}

static int walk(struct gaps *s, each_gap *each, void *ctx, struct err *err)
{
	struct an_gap gap;
	size_t at = 0;
	int rc = 0;

	while (!rc && an_gap_next(&s->gpu, s->args->min_ns, &at, &gap)) {
		if (!is_selected(s, gap.next, gap.from, gap.to))
			continue;
		rc = give(s, &gap, each, ctx, err);
		s->found++;
	}
	return rc;
}

/* What had a part in it beside what its sentence names. */
static int text_others(struct gaps *s, const struct an_gap *gap,
		       struct err *err)
{
	struct buf text;
	int rc = 0;

	buf_init(&text, 0);
	for (size_t i = 0; i < gap->parts.n && !rc; i++) {
		const struct an_why *part = &gap->parts.v[i];

		if (an_part_is(part, &gap->why))
			continue;
		buf_clear(&text);
		an_gap_part_text(part, gap, &s->gpu, &text);
		fputs("    also ", s->env->out);
		utf8_print(s->env->out, span_of(text.p, text.n));
		putc('\n', s->env->out);
		rc = buf_failed(&text) ? err_nomem(err) : 0;
	}
	buf_fini(&text);
	return rc;
}

static int text_gap(struct gaps *s, const struct an_gap *gap,
		    const struct buf *sentence, void *ctx, struct err *err)
{
	FILE *to = s->env->out;
	int rc;

	(void)ctx;
	fprintf(to, "%.6f ", (double)gap->from / 1e9);
	utf8_print(to, span_of(sentence->p, sentence->n));
	putc('\n', to);
	if (s->args->brief)
		return 0;
	rc = text_others(s, gap, err);
	an_gap_evidence(gap, &s->gpu, to);
	return rc;
}

#define NS(key, title) { key, title, AN_CELL_TIME, true, 10 }
#define COUNT(key, title) { key, title, AN_CELL_U64, true, 5 }
#define WORD(key, title) { key, title, AN_CELL_TEXT, false, 7 }

static const struct an_cell_column ring_columns[] = {
	WORD("ring", "Ring"), COUNT("jobs", "Jobs"), NS("busy_ns", "Busy"),
	NS("idle_ns", "Idle"), { "busy_percent", "Busy", AN_CELL_PERCENT,
				 true, 7 },
};

/* Of the time that nobody recorded, what no job goes on through. */
static uint64_t unrecorded(const struct gaps *s, uint32_t ring, uint64_t from,
			   uint64_t to)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < an_n_breaks(s->gpu.t); i++) {
		struct an_break b = *an_break_of(s->gpu.t, i);

		b.from = b.from > from ? b.from : from;
		b.to = b.to < to ? b.to : to;
		if (b.from < b.to)
			sum += b.to - b.from - an_ring_busy(&s->gpu.jobs, ring,
							    b.from, b.to);
	}
	return sum;
}

/* From the begin of its first job to the end of its last. */
static void add_ring(const struct gaps *s, struct an_table *t, uint32_t ring)
{
	const struct an_jobs *j = &s->gpu.jobs;
	const struct an_ring *r = &j->rings[ring];
	uint64_t from, to = 0, busy, known, n_jobs = 0;

	if (!r->n_jobs)
		return;
	from = j->v[j->by_ring[r->first]].start;
	for (size_t i = r->first; i < r->end; i++)
		if (j->v[j->by_ring[i]].end > to)
			to = j->v[j->by_ring[i]].end;
	if (s->sel.any && s->sel.t_min > from)
		from = s->sel.t_min;
	if (s->sel.any && s->sel.t_max < to)
		to = s->sel.t_max;
	for (size_t i = r->first; i < r->end; i++)
		n_jobs += j->v[j->by_ring[i]].start < to &&
			  j->v[j->by_ring[i]].end > from;
	busy = an_ring_busy(j, ring, from, to);
	an_table_word(t, r->name);
	an_table_u64(t, n_jobs);
	an_table_u64(t, busy);
	known = to > from ? to - from - unrecorded(s, ring, from, to) : 0;
	an_table_u64(t, known > busy ? known - busy : 0);
	an_table_f64(t, known ? 100 * (double)busy / (double)known : 0);
}

static int make_rings(const struct gaps *s, struct an_table **out,
		      struct err *err)
{
	int rc = an_table_new(out, ring_columns, ARRAY_LEN(ring_columns), err);

	for (uint32_t i = 0; i < s->gpu.jobs.n_rings && !rc; i++)
		add_ring(s, *out, i);
	return rc;
}

static int print_text(struct gaps *s, struct err *err)
{
	struct an_table *rings = NULL;
	FILE *to = s->env->out;
	int rc = make_rings(s, &rings, err);

	if (!rc) {
		an_gpu_head_text(&s->gpu, to);
		fputs("#\n# Rings, from their first job to their last\n#\n",
		      to);
		rc = an_table_print_text(rings, to, NULL, err);
	}
	if (!rc) {
		fputs("\n# Gaps\n#\n", to);
		rc = walk(s, text_gap, NULL, err);
	}
	if (!rc && !s->found)
		fputs("# none\n", to);
	an_table_free(rings);
	return rc;
}

static int json_gap(struct gaps *s, const struct an_gap *gap,
		    const struct buf *sentence, void *ctx, struct err *err)
{
	const struct an_job *before = &s->gpu.jobs.v[gap->before];
	const struct an_job *next = &s->gpu.jobs.v[gap->next];
	struct json *j = ctx;

	(void)err;
	json_break(j);
	json_object(j, NULL);
	json_cstr(j, "ring", s->gpu.jobs.rings[gap->ring].name);
	json_u64(j, "idle_from_ns", gap->from);
	json_u64(j, "idle_to_ns", gap->to);
	json_u64(j, "before_context", before->context);
	json_u64(j, "before_seqno", before->seqno);
	json_u64(j, "next_context", next->context);
	json_u64(j, "next_seqno", next->seqno);
	json_u64(j, "next_submit_ns", next->submit);
	json_u64(j, "next_run_ns", next->run);
	json_text(j, "sentence", span_of(sentence->p, sentence->n));
	an_why_json(&gap->why, &s->gpu, j);
	an_parts_json(&gap->parts, &s->gpu, j);
	an_evidence_json(&gap->account, &s->gpu, j);
	json_end_object(j);
	return 0;
}

static int print_json(struct gaps *s, struct err *err)
{
	struct an_table *rings = NULL;
	struct json j;
	int rc = make_rings(s, &rings, err);

	if (!rc) {
		json_init(&j, s->env->out);
		an_gpu_head_json(&s->gpu, &j);
		rc = an_table_print_json(rings, &j, "rings", NULL, err);
	}
	if (!rc) {
		json_array(&j, "gaps");
		rc = walk(s, json_gap, &j, err);
		json_end_array(&j);
		json_end_object(&j);
		putc('\n', s->env->out);
	}
	an_table_free(rings);
	return rc;
}

static const struct an_cell_column gap_columns[] = {
	WORD("ring", "Ring"), COUNT("from_ns", "From ns"),
	NS("idle_ns", "Idle"), COUNT("tid", "TID"), WORD("command", "Command"),
	WORD("cause", "Cause"), WORD("confidence", "Confidence"),
	NS("took_ns", "Took"), { "culprit_tid", "Culprit", AN_CELL_TEXT, true,
				 7 },
	WORD("culprit", "Culprit"), WORD("sentence", "Sentence"),
};

static int csv_gap(struct gaps *s, const struct an_gap *gap,
		   const struct buf *sentence, void *ctx, struct err *err)
{
	const struct an_job *j = &s->gpu.jobs.v[gap->next];
	const struct an_why *w = &gap->why;
	struct an_table *t = ctx;

	(void)err;
	an_table_word(t, s->gpu.jobs.rings[gap->ring].name);
	an_table_u64(t, gap->from);
	an_table_u64(t, gap->to - gap->from);
	an_table_u64(t, j->task == AN_NONE ? 0 :
		     (uint64_t)an_task_tid(&s->gpu.tasks, j->task));
	an_table_word(t, an_task_name(&s->gpu.tasks, j->task, j->submit));
	an_table_word(t, an_cause_name(w->cause));
	an_table_word(t, an_confidence_name(w->confidence));
	an_table_u64(t, w->ns);
	an_gpu_culprit_cells(&s->gpu, w, t);
	an_table_text(t, span_of(sentence->p, sentence->n));
	return 0;
}

static int print_csv(struct gaps *s, struct err *err)
{
	struct an_table *gaps = NULL;
	int rc = an_table_new(&gaps, gap_columns, ARRAY_LEN(gap_columns), err);

	if (!rc)
		rc = walk(s, csv_gap, gaps, err);
	if (!rc)
		rc = an_table_print_csv(gaps, s->env->out, err);
	an_table_free(gaps);
	return rc;
}

static int print(struct gaps *s, struct err *err)
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

static int gaps_run(struct an_env *env, const void *args, struct err *err)
{
	struct gaps s = { .env = env, .args = args };
	int rc = an_gpu_format(&s.format, s.args->csv, s.args->json, err);

	if (!rc)
		rc = an_selection_make(&s.sel, &s.args->sel, env->trace, err);
	if (!rc)
		rc = an_gpu_make(&s.gpu, env->trace, AN_CLIENT_IDLE_NS, err);
	if (!rc)
		rc = print(&s, err);
	if (!rc && !s.found && !has_jobs(&s)) {
		an_gpu_say_none(&s.gpu, "jobs of a GPU", env->log);
		rc = AN_EXIT_INCONCLUSIVE;
	}
	an_gpu_fini(&s.gpu);
	an_selection_fini(&s.sel);
	return rc;
}

const struct an_command an_cmd_gaps = {
	.name = "gaps",
	.summary = "why the GPU's rings had nothing to do",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct gaps_args),
	.needs = AN_ONE_TRACE,
	.defaults = set_defaults,
	.run = gaps_run,
};
