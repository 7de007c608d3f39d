#include "analyze/marks.h"

#include "analyze/clean.h"
#include "analyze/load.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* In an overview. */
#define MAX_SHOWN 20u

static const struct {
	const char *word, *text;
} sources[] = {
	[0] = { "unknown", "unknown" },
	[TF_MARK_COMMAND] = { "command", "rec mark" },
	[TF_MARK_TRACER] = { "trace_marker", "trace_marker" },
	[TF_MARK_STDOUT] = { "stdout", "standard output" },
};

static size_t source_of(const struct an_mark *m)
{
	return m->source < ARRAY_LEN(sources) ? m->source : 0;
}

static const char *source_word(const struct an_mark *m)
{
	return sources[source_of(m)].word;
}

static const char *source_text(const struct an_mark *m)
{
	return sources[source_of(m)].text;
}

int an_load_mark(const struct an_row *r, uint32_t *id, struct err *err)
{
	struct an_trace *t = r->t;

	*id = (uint32_t)t->marks.n;
	if (!an_row_has(r, TF_MARK_TIME))
		return 0;
	if (!AN_ROOM(t->marks))
		return err_nomem(err);
	t->marks.v[t->marks.n++] = (struct an_mark){
		.time = an_row_value(r, TF_MARK_TIME),
		.source = (uint32_t)an_row_value(r, TF_MARK_SOURCE),
		.pid = (int32_t)(uint32_t)an_row_value(r, TF_MARK_PID),
		.text = an_row_ref(r, TF_MARK_TEXT, AN_SPACE_STRING),
		.order = *id,
	};
	return 0;
}

/* Of one moment, as they are in the file. */
static int by_time(const void *a, const void *b)
{
	const struct an_mark *x = a, *y = b;
	int order = CMP(x->time, y->time);

	return order ? order : CMP(x->order, y->order);
}

void an_load_marks_order(struct an_trace *t)
{
	if (t->marks.n)
		qsort(t->marks.v, t->marks.n, sizeof(*t->marks.v), by_time);
}

bool an_mark_find_from(const struct an_trace *t, const char *text,
		       uint64_t from, uint64_t *time)
{
	size_t n = strlen(text);

	for (uint32_t i = 0; i < an_n_marks(t); i++) {
		const struct an_mark *m = an_mark_of(t, i);
		struct span s = an_string(t, m->text);

		if (m->time < from || s.n != n || memcmp(s.p, text, n) != 0)
			continue;
		*time = m->time;
		return true;
	}
	return false;
}

void an_mark_json(const struct an_trace *t, const struct an_mark *m,
		  struct json *j)
{
	json_text(j, "mark", an_string(t, m->text));
	json_cstr(j, "source", source_word(m));
	json_i64(j, "pid", m->pid);
}

void an_mark_print(const struct an_trace *t, const struct an_mark *m,
		   FILE *to)
{
	an_clean_print(to, an_string(t, m->text));
	fprintf(to, " (%s", source_text(m));
	if (m->pid > 0)
		fprintf(to, ", pid %" PRId32, m->pid);
	fputc(')', to);
}

const struct an_mark *an_mark_next(struct an_mark_walk *w, uint64_t until)
{
	while (w->next < an_n_marks(w->t)) {
		const struct an_mark *m = an_mark_of(w->t, w->next);

		if (m->time > until || m->time > w->t_max)
			return NULL;
		w->next++;
		if (m->time >= w->t_min)
			return m;
	}
	return NULL;
}

static uint32_t n_shown(const struct an_trace *t)
{
	size_t n = an_n_marks(t);

	return n < MAX_SHOWN ? (uint32_t)n : MAX_SHOWN;
}

void an_marks_print(const struct an_trace *t, FILE *to)
{
	size_t n = an_n_marks(t);

	if (!n)
		return;
	fprintf(to, "\nmarks: %zu", n);
	if (n > MAX_SHOWN)
		fprintf(to, ", the first %u (all: analyze dump)", MAX_SHOWN);
	fputc('\n', to);
	for (uint32_t i = 0; i < n_shown(t); i++) {
		const struct an_mark *m = an_mark_of(t, i);

		fprintf(to, "  %" PRIu64 ".%09" PRIu64 "  ",
			m->time / NSEC_PER_SEC, m->time % NSEC_PER_SEC);
		an_mark_print(t, m, to);
		fputc('\n', to);
	}
}

void an_marks_json(const struct an_trace *t, struct json *j)
{
	json_object(j, "marks");
	json_u64(j, "count", an_n_marks(t));
	json_array(j, "first");
	for (uint32_t i = 0; i < n_shown(t); i++) {
		const struct an_mark *m = an_mark_of(t, i);

		json_object(j, NULL);
		json_u64(j, "time", m->time);
		an_mark_json(t, m, j);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
}
