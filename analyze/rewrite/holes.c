/* Times of the traces of one machine that are merged: between them, which none
 * of them recorded, and those that several recorded. */
#include "analyze/rewrite/sources.h"

#include "analyze/breaks.h"

#include "format/base/mem.h"
#include "format/base/time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OVERLAPS_TOLD 5u

/* What one of them recorded, on the clock of the first. */
struct stretch {
	const struct an_merged *of;
	uint64_t number;     /* of a segment; 0: it is none */
	struct an_break time;   /* of what may be there twice */
	struct an_break covers; /* rows or not */
	bool by_rows;        /* there is one at both ends of `time` */
};

/* Of what was cut or imported; see an_trace_covers(). */
static bool goes_by_rows(const struct an_trace *t)
{
	return an_n_clocks(t) < 2 || an_fact(t, "note.cut");
}

static struct an_break moved(struct an_break b, const struct an_merged *s)
{
	if (b.to) {
		b.from += (uint64_t)s->shift.ns;
		b.to += (uint64_t)s->shift.ns;
	}
	return b;
}

static struct stretch stretch_of(const struct an_merged *s)
{
	const char *number = an_fact(s->trace, "segment");
	struct stretch x = {
		.of = s,
		.number = number ? strtoull(number, NULL, 10) : 0,
		.covers = moved(an_trace_covers(s->trace), s),
		.by_rows = goes_by_rows(s->trace),
	};

	x.time = x.by_rows ?
		moved(an_rows_span(an_trace_reader(s->trace)), s) : x.covers;
	return x;
}

static int by_time(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;
	int order = CMP(x->of->machine, y->of->machine);

	return order ? order : CMP(x->time.from, y->time.from);
}

static int by_covers(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;
	int order = CMP(x->of->machine, y->of->machine);

	return order ? order : CMP(x->covers.from, y->covers.from);
}

/* The recorder went on from one into the other. */
static bool goes_on(const struct stretch *a, const struct stretch *b)
{
	return a->of->recording == b->of->recording && a->number &&
	       b->number == a->number + 1;
}

static void put_between(const struct stretch *v, size_t n, struct buf *to)
{
	uint64_t last = 0;

	for (size_t i = 0; i < n; i++) {
		const struct stretch *b = &v[i];

		if (i && v[i - 1].of->machine != b->of->machine)
			last = 0;
		if (last && !goes_on(b - 1, b) && b->covers.from > last &&
		    b->covers.from - last > AN_BREAK_NS)
			an_break_put((struct an_break){ last, b->covers.from },
				     to);
		last = b->covers.to > last ? b->covers.to : last;
	}
}

/* Of all, those of one machine in the order of their begin. */
static struct stretch *stretches(const struct an_merge_set *m,
				 int (*order)(const void *, const void *))
{
	struct stretch *v = calloc(m->n + 1, sizeof(*v));

	for (size_t i = 0; v && i < m->n; i++)
		v[i] = stretch_of(&m->v[i]);
	if (v)
		qsort(v, m->n, sizeof(*v), order);
	return v;
}

int an_merge_set_breaks(const struct an_merge_set *m, struct buf *to,
			struct err *err)
{
	struct stretch *v = stretches(m, by_covers);

	if (!v)
		return err_nomem(err);
	for (size_t i = 0; i < m->n; i++)
		an_breaks_put(m->v[i].trace, (uint64_t)m->v[i].shift.ns, to);
	put_between(v, m->n, to);
	free(v);
	return buf_failed(to) ? err_nomem(err) : 0;
}

int an_merge_set_covers(const struct an_merge_set *m, struct buf *to,
			struct err *err)
{
	struct an_break all = { 0, 0 };
	bool told = false;

	for (size_t i = 0; i < m->n; i++) {
		const struct an_merged *s = &m->v[i];

		told = told || an_fact(s->trace, AN_COVERS_FACT);
		all = an_break_hull(all, moved(an_trace_covers(s->trace), s));
	}
	if (told && all.to)
		an_break_put(all, to);
	return buf_failed(to) ? err_nomem(err) : 0;
}

/* -- What may be there twice ------------------------------------------------*/

static bool has_event(const struct an_trace *t, const char *name)
{
	for (uint32_t i = 0; i < an_n_events(t); i++)
		if (strcmp(an_text(t, an_event_of(t, i)->name), name) == 0)
			return true;
	return false;
}

/* The first event that both recorded; NULL: there is none. */
static const char *common_event(const struct an_trace *a,
				const struct an_trace *b)
{
	for (uint32_t i = 0; i < an_n_events(a); i++) {
		const char *name = an_text(a, an_event_of(a, i)->name);

		if (has_event(b, name))
			return name;
	}
	return NULL;
}

/* b begins no earlier than a. */
static bool overlaps(const struct stretch *a, const struct stretch *b)
{
	if (!a->time.to || !b->time.to || goes_on(a, b))
		return false;
	return b->time.from < a->time.to ||
	       (b->time.from == a->time.to && a->by_rows && b->by_rows);
}

static void put_overlap(const struct stretch *a, const struct stretch *b,
			const char *event, struct buf *to)
{
	uint64_t end = a->time.to < b->time.to ? a->time.to : b->time.to;

	buf_printf(to, "%srows from " TIME_MOMENT " to " TIME_MOMENT " s may be "
		   "there twice: %s and %s overlap, and both have '%s'",
		   to->n ? "; " : "", TIME_MOMENT_OF(b->time.from),
		   TIME_MOMENT_OF(end), a->of->path, b->of->path, event);
}

/* Those behind v[0] that begin before it ends. */
static size_t put_overlaps_of(const struct stretch *v, size_t n, size_t told,
			      struct buf *to)
{
	size_t found = 0;

	for (size_t i = 1; i < n && v[i].of->machine == v->of->machine &&
	     v[i].time.from <= v->time.to; i++) {
		const char *event = overlaps(v, &v[i]) ?
			common_event(v->of->trace, v[i].of->trace) : NULL;

		if (event && told + found++ < OVERLAPS_TOLD)
			put_overlap(v, &v[i], event, to);
	}
	return found;
}

int an_merge_set_overlaps(const struct an_merge_set *m, struct buf *to,
			  struct err *err)
{
	struct stretch *v = stretches(m, by_time);
	size_t found = 0;

	if (!v)
		return err_nomem(err);
	for (size_t i = 0; i < m->n; i++)
		found += put_overlaps_of(v + i, m->n - i, found, to);
	if (found > OVERLAPS_TOLD)
		buf_printf(to, "; so do %zu more pairs", found - OVERLAPS_TOLD);
	free(v);
	return buf_failed(to) ? err_nomem(err) : 0;
}
