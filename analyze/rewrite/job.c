#include "analyze/rewrite/job.h"

#include "analyze/breaks.h"
#include "analyze/rewrite/damage.h"

#include "format/base/mem.h"

#include <stdio.h>
#include <string.h>

#define LEFT_OUT_TEXT 80

/* Of columns; false: none are. */
static bool left_out_text(char text[LEFT_OUT_TEXT], const struct an_job *j)
{
	size_t n = j->shape.left_out;

	snprintf(text, LEFT_OUT_TEXT, "%zu column%s of an unknown type %s left "
		 "out", n, n == 1 ? "" : "s", n == 1 ? "is" : "are");
	return n;
}

/* For reports of the new trace, which cannot tell otherwise. */
static int note_left_out(struct an_job *j, struct err *err)
{
	char text[LEFT_OUT_TEXT];

	return left_out_text(text, j) ?
		       an_rewrite_fact(j->to, "note.left_out",
				       span_of(text, strlen(text)), err) : 0;
}

/* Between files that were read as one; those inside of one are a fact of it. */
static void put_breaks(const struct an_trace *t, struct buf *to)
{
	if (an_trace_joined(t))
		an_breaks_put(t, 0, to);
}

/* A fact of one of them, which is not that of all. */
static void put_covers(const struct an_trace *t, struct buf *to)
{
	if (an_trace_joined(t) && an_fact(t, AN_COVERS_FACT))
		an_break_put(an_trace_covers(t), to);
}

static void put_damage_note(const struct an_trace *t, struct buf *to)
{
	size_t path;

	buf_printf(to, "%s: ", an_trace_path(t));
	path = to->n;
	an_damage_put_note(t, to);
	if (to->n == path)
		buf_clear(to);
}

/* What was said of several files at the head of reports, behind how many they
 * are: holes, segments that are missing, what is there twice. */
static void put_joined_note(const struct an_trace *t, struct buf *to)
{
	const char *line = an_trace_joined(t);

	while (line && *line) {
		size_t n = strcspn(line, "\n");

		if (to->n)
			buf_put(to, "; ", 2);
		buf_put(to, line, n);
		line += n + (line[n] != '\0');
	}
}

/* What else is to be said of the whole source. */
static const struct {
	const char *key;
	void (*put)(const struct an_trace *t, struct buf *to);
} limits[] = {
	{ AN_BREAKS_FACT, put_breaks },
	{ AN_COVERS_FACT, put_covers },
	{ "recovered", an_damage_put },
	{ "note.damaged", put_damage_note },
	{ "note.joined", put_joined_note },
};

static int put_limits(struct an_job *j, const struct an_trace *t,
		      struct err *err)
{
	struct buf text;
	int rc = 0;

	buf_init(&text, 0);
	for (size_t i = 0; i < ARRAY_LEN(limits) && !rc; i++) {
		buf_clear(&text);
		limits[i].put(t, &text);
		rc = an_rewrite_text(j->to, limits[i].key, &text, err);
	}
	buf_fini(&text);
	return rc;
}

int an_job_begin(struct an_job *j, const struct an_env *env,
		 const char *output, const struct an_rewrite_options *o,
		 struct err *err)
{
	struct an_rewrite_options own = *o;
	char text[LEFT_OUT_TEXT];
	int rc;

	if (!output)
		return err_set(err, ERR_USAGE,
			       "where does it go? (try: -o FILE)");
	j->output = output;
	if (left_out_text(text, j))
		log_warn(env->log, "%s", text);
	rc = an_shape_finish(&j->shape, err);
	if (!rc)
		rc = an_out_open(&j->out, output, env->paths, env->n_paths,
				 err);
	own.go_on = an_out_go_on;
	own.ctx = &j->out;
	return rc ? rc : an_rewrite_new(&j->to, j->out.sink, &j->shape, &own,
					err);
}

int an_job_keep(struct an_job *j, struct err *err)
{
	int rc = note_left_out(j, err);

	if (!rc)
		rc = an_rewrite_end(j->to, err);
	j->size = an_rewrite_size(j->to);
	return rc ? rc : an_out_keep(&j->out, err);
}

void an_job_fini(struct an_job *j)
{
	an_rewrite_free(j->to);
	if (j->output)
		an_out_fini(&j->out);
	an_shape_fini(&j->shape);
	*j = (struct an_job){ .output = NULL };
}

int an_job_copy(struct an_job *j, const struct an_env *env,
		const char *output, struct an_feed *f,
		const struct an_rewrite_options *o, struct err *err)
{
	int rc = an_shape_add(&j->shape, tf_reader_schema(f->reader),
			      &f->tables, err);

	if (!rc)
		rc = an_job_begin(j, env, output, o, err);
	if (!rc)
		rc = an_feed_run(f, j->to, &j->shape, err);
	return rc || !env->trace ? rc : put_limits(j, env->trace, err);
}

FILE *an_job_talk(const struct an_job *j, const struct an_env *env)
{
	return strcmp(j->output, "-") ? env->out : env->log->to;
}
