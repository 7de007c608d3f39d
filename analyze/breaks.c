#include "analyze/breaks.h"

#include "analyze/trace_data.h"

#include "format/base/mem.h"
#include "format/base/time.h"

#include <inttypes.h>
#include <stdlib.h>

/* A file that has more is not one whose facts are worth the memory. */
#define MAX_BREAKS 4096u

int an_breaks_add(struct an_trace *t, struct an_break b, struct err *err)
{
	for (size_t i = 0; i < t->breaks.n; i++)
		if (t->breaks.v[i].from == b.from && t->breaks.v[i].to == b.to)
			return 0;
	if (b.from >= b.to || t->breaks.n >= MAX_BREAKS)
		return 0;
	if (!AN_ROOM(t->breaks))
		return err_nomem(err);
	t->breaks.v[t->breaks.n++] = b;
	return 0;
}

/* Takes "FROM-TO" off the front of *text; false: that is not there. */
static bool take_range(const char **text, struct an_break *out)
{
	char *end;

	out->from = strtoull(*text, &end, 10);
	if (*end != '-')
		return false;
	out->to = strtoull(end + 1, &end, 10);
	*text = end;
	return true;
}

int an_breaks_parse(struct an_trace *t, const char *text, struct err *err)
{
	int rc = 0;

	while (*text && !rc) {
		struct an_break b;

		if (!take_range(&text, &b) || (*text && *text != ' '))
			return 0;
		rc = an_breaks_add(t, b, err);
		text += *text == ' ';
	}
	return rc;
}

void an_break_put(struct an_break b, struct buf *to)
{
	buf_printf(to, "%s%" PRIu64 "-%" PRIu64, to->n ? " " : "", b.from,
		   b.to);
}

void an_breaks_put(const struct an_trace *t, uint64_t shift, struct buf *to)
{
	for (size_t i = 0; i < t->breaks.n; i++)
		an_break_put((struct an_break){ t->breaks.v[i].from + shift,
						t->breaks.v[i].to + shift },
			     to);
}

struct an_break an_rows_span(const struct tf_reader *r)
{
	struct an_break span = { 0, 0 };

	for (size_t i = 0; i < tf_reader_chunks(r); i++) {
		const struct tf_chunk_info *c = tf_reader_chunk(r, i);

		if (!c->t_max)
			continue;
		if (!span.from || c->t_min < span.from)
			span.from = c->t_min;
		if (c->t_max > span.to)
			span.to = c->t_max;
	}
	return span;
}

bool an_covers_parse(struct an_break *out, const char *text)
{
	struct an_break b;

	if (!take_range(&text, &b) || *text || b.from > b.to || !b.to)
		return false;
	*out = b;
	return true;
}

struct an_break an_break_hull(struct an_break a, struct an_break b)
{
	if (!a.to || !b.to)
		return a.to ? a : b;
	return (struct an_break){
		.from = a.from < b.from ? a.from : b.from,
		.to = a.to > b.to ? a.to : b.to,
	};
}

static struct an_break readings_span(const struct an_trace *t)
{
	struct an_break span = { 0, 0 };

	for (uint32_t i = 0; i < an_n_clocks(t); i++) {
		uint64_t at = an_clock_of(t, i)->monotonic;

		if (!i || at < span.from)
			span.from = at;
		if (at > span.to)
			span.to = at;
	}
	return span;
}

struct an_break an_trace_covers(const struct an_trace *t)
{
	const char *fact = an_fact(t, AN_COVERS_FACT);
	struct an_break span;

	if (t->covers.to) /* each of several files has its own fact */
		return t->covers;
	if (fact && an_covers_parse(&span, fact))
		return span;
	if (an_n_clocks(t) < 2 || an_fact(t, "note.cut"))
		return an_rows_span(an_trace_reader(t));
	return readings_span(t);
}

void an_breaks_print(const struct an_trace *t, FILE *to)
{
	for (size_t i = 0; i < t->breaks.n; i++) {
		const struct an_break *b = &t->breaks.v[i];
		char text[TIME_TEXT];

		time_format(text, b->to - b->from);
		fprintf(to, "%s%s from " TIME_MOMENT " s on", i ? ", " : "",
			text, TIME_MOMENT_OF(b->from));
	}
}
