#include "analyze/clean.h"
#include "analyze/clock.h"
#include "analyze/command.h"
#include "analyze/rewrite/job.h"
#include "analyze/rewrite/sources.h"

#include "format/base/buf.h"

#include <inttypes.h>

struct merge_args {
	const char *output;
};

static const struct opt opts[] = {
	OPT_OUTPUT(struct merge_args, output),
	OPT_END,
};

static uint64_t first_start(const struct an_merge_set *m)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < m->n; i++) {
		uint64_t start;

		(void)an_clock_began(m->v[i].trace, &start);
		first = start < first ? start : first;
	}
	return first;
}

static int add_tables(struct an_job *j, struct an_merge_set *m,
		      struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < m->n && !rc; i++) {
		rc = an_shape_add(&j->shape,
				  tf_reader_schema(m->v[i].feed.reader),
				  &m->v[i].feed.tables, err);
		if (rc)
			return err_in(err, rc, "%s", m->v[i].path);
	}
	return rc || !m->several_machines ? rc :
					    an_shape_add_sources(&j->shape,
								 err);
}

static int write_all(struct an_job *j, const struct an_env *env,
		     struct an_merge_set *m, const char *output,
		     struct err *err)
{
	const struct an_rewrite_options o = {
		.start_unix_ns = first_start(m),
	};
	int rc = add_tables(j, m, err);

	if (!rc)
		rc = an_job_begin(j, env, output, &o, err);
	for (size_t i = 0; i < m->n && !rc; i++)
		rc = an_feed_run(&m->v[i].feed, j->to, &j->shape, err);
	if (!rc)
		rc = an_merge_set_facts(m, j->to, err);
	return rc ? rc : an_job_keep(j, err);
}

static void tell_one(const struct an_merged *s, FILE *to)
{
	char moved[AN_SHIFT_TEXT], uncertain[AN_UNCERTAIN_TEXT];
	struct buf name;

	buf_init(&name, 0);
	an_merged_name(s, &name);
	an_clean_print(to, span_of(name.p, name.n));
	buf_fini(&name);
	fprintf(to, ": %" PRIu64 " rows", s->feed.rows);
	if (s->machine) {
		an_shift_text(moved, s->shift.ns);
		an_shift_uncertain_text(uncertain, &s->shift);
		fprintf(to, ", times moved by %s, %s (readings of the clocks: "
			"%zu)", moved, uncertain, s->offset.n);
	}
	fputc('\n', to);
}

static void tell(const struct an_job *j, const struct an_env *env,
		 const struct an_merge_set *m)
{
	FILE *to = an_job_talk(j, env);

	if (env->log->level < LOG_NORMAL)
		return;
	for (size_t i = 0; i < m->n; i++)
		tell_one(&m->v[i], to);
	if (m->several_machines)
		fputs("the real clocks of the machines are taken to show the "
		      "same time\n", to);
	fprintf(to, "%" PRIu64 " rows: %" PRIu64 " bytes\n",
		an_rewrite_rows(j->to), j->size);
}

/* The names of what was damaged were loaded without a word. */
static int judge(const struct an_merge_set *m, const struct log *log)
{
	int status = AN_EXIT_DONE;

	for (size_t i = 0; i < m->n; i++) {
		uint64_t n = an_trace_damage(m->v[i].trace);

		if (!n)
			continue;
		log_warn(log, "%s: %" PRIu64 " damaged place%s left out "
			 "(try: analyze check)", m->v[i].path, n,
			 n == 1 ? " was" : "s were");
		status = AN_EXIT_DAMAGED;
	}
	return status;
}

static int warn_of_overlaps(const struct an_merge_set *m,
			    const struct log *log, struct err *err)
{
	struct buf text;
	int rc;

	buf_init(&text, 0);
	rc = an_merge_set_overlaps(m, &text, err);
	if (!rc && text.n)
		log_warn(log, "%.*s", (int)text.n, (const char *)text.p);
	buf_fini(&text);
	return rc;
}

static int merge_run(struct an_env *env, const void *args, struct err *err)
{
	const struct merge_args *a = args;
	struct an_job j = { .output = NULL };
	struct an_merge_set m = { .v = NULL };
	int rc;

	if (!a->output)
		return err_set(err, ERR_USAGE,
			       "where does it go? (try: -o FILE)");
	rc = an_merge_set_open(&m, env->paths, env->n_paths, env->log, err);
	if (!rc)
		rc = write_all(&j, env, &m, a->output, err);
	if (!rc)
		rc = warn_of_overlaps(&m, env->log, err);
	if (!rc) {
		tell(&j, env, &m);
		rc = judge(&m, env->log);
	}
	an_job_fini(&j);
	an_merge_set_fini(&m);
	return rc;
}

const struct an_command an_cmd_merge = {
	.name = "merge",
	.summary = "traces of several runs or machines as one, on one clock",
	.operands = "-o FILE FILE...",
	.opts = opts,
	.args_size = sizeof(struct merge_args),
	.needs = AN_RAW_FILES,
	.run = merge_run,
};
