#include "tests/support/rewritten.h"

#include "analyze/rewrite/keep.h"
#include "format/verify.h"

#include <stdio.h>
#include <stdlib.h>

static int write_feeds(struct tf_sink *sink, const struct an_shape *shape,
		       struct an_feed *feeds, size_t n, struct err *err)
{
	const struct an_rewrite_options o = { .part_rows = 100 };
	struct an_rewrite *to = NULL;
	int rc = an_rewrite_new(&to, sink, shape, &o, err);

	for (size_t i = 0; i < n && !rc; i++)
		rc = an_feed_run(&feeds[i], to, shape, err);
	if (!rc)
		rc = an_rewrite_fact(to, "rewritten", span_of("yes", 3), err);
	if (!rc)
		rc = an_rewrite_end(to, err);
	an_rewrite_free(to);
	return rc;
}

int rewritten_feeds(struct buf *out, struct an_feed *feeds, size_t n,
		    bool apart, struct err *err)
{
	struct an_shape shape = { .n = 0 };
	struct tf_sink *sink = NULL;
	int rc = tf_sink_memory(&sink, out, err);

	for (size_t i = 0; i < n && !rc; i++)
		rc = an_shape_add(&shape, tf_reader_schema(feeds[i].reader),
				  &feeds[i].tables, err);
	if (!rc && apart)
		rc = an_shape_add_sources(&shape, err);
	if (!rc)
		rc = an_shape_finish(&shape, err);
	if (!rc)
		rc = write_feeds(sink, &shape, feeds, n, err);
	an_shape_fini(&shape);
	(void)tf_sink_close(sink, NULL);
	for (size_t i = 0; i < n; i++)
		an_renumber_fini(&feeds[i].tables);
	return rc;
}

int rewritten_whole(struct buf *out, struct an_trace *t, struct err *err)
{
	struct an_feed feed = { .reader = an_trace_reader(t),
				.name = an_trace_path(t) };

	return rewritten_feeds(out, &feed, 1, false, err);
}

static int choose(void *ctx, const struct tf_view *v, uint32_t *kept,
		  uint32_t *n, struct err *err)
{
	return an_keep_choose(ctx, v, kept, n, err);
}

int rewritten_cut(struct buf *out, struct an_trace *t,
		  const struct an_selection_args *args, struct err *err)
{
	struct an_feed feed = { .reader = an_trace_reader(t),
				.name = an_trace_path(t),
				.choose = choose };
	struct an_selection sel = { 0 };
	struct an_keep *keep = NULL;
	int rc = an_selection_make(&sel, args, t, err);

	if (!rc)
		rc = an_keep_new(&keep, t, &sel, err);
	feed.ctx = keep;
	if (!rc)
		rc = rewritten_feeds(out, &feed, 1, false, err);
	an_keep_free(keep);
	an_selection_fini(&sel);
	return rc;
}

static void keep_first(void *ctx, uint64_t offset, const char *what)
{
	char *first = ctx;

	if (first && !*first)
		snprintf(first, REWRITTEN_PROBLEM, "offset %llu: %.200s",
			 (unsigned long long)offset, what);
}

uint64_t rewritten_problems(struct span file, char first[REWRITTEN_PROBLEM])
{
	struct tf_verify_result v = { .problems = 1 };
	struct tf_source *source = NULL;
	struct tf_reader *r = NULL;
	struct err err = { 0 };
	int rc = tf_source_memory(&source, file, &err);

	if (first)
		*first = 0;
	if (!rc)
		rc = tf_reader_open(&r, source, &err);
	if (!rc)
		rc = tf_verify(r, keep_first, first, &v, &err);
	if (rc) {
		keep_first(first, 0, err.text);
		v.problems++;
	} else if (tf_reader_ending(r) != TF_CLOSED) {
		keep_first(first, file.n, "not closed");
		v.problems++;
	}
	tf_reader_free(r);
	tf_source_close(source);
	return v.problems;
}

void rewritten_sound(struct buf *made, int rc)
{
	char first[REWRITTEN_PROBLEM];

	if (!rc && rewritten_problems(span_of(made->p, made->n), first)) {
		fprintf(stderr, "%s\n", first);
		abort();
	}
	buf_fini(made);
	buf_init(made, 0);
}

void rewritten_or_abort(struct an_trace *t)
{
	static const struct an_selection_args some = { .time = "10%,60%" };
	struct buf made;

	buf_init(&made, 0);
	rewritten_sound(&made, rewritten_whole(&made, t, NULL));
	rewritten_sound(&made, rewritten_cut(&made, t, &some, NULL));
	buf_fini(&made);
}
