/* Times between the traces of one machine that are merged, which none of them
 * recorded. */
#include "analyze/rewrite/sources.h"

#include "analyze/breaks.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* What one of them recorded, on the clock of the first. */
struct stretch {
	const struct an_merged *of;
	uint64_t number;     /* of a segment; 0: it is none */
	struct an_break time;
};

/* Of a recording by its readings of the clock; of what was cut or imported, which
 * has those of the whole or none, by its rows. */
static struct an_break recorded(const struct an_trace *t)
{
	struct an_break time = { 0, 0 };
	size_t n = an_n_clocks(t);

	if (n < 2 || an_fact(t, "note.cut"))
		return an_rows_span(an_trace_reader(t));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = an_clock_of(t, i)->monotonic;

		if (!i || at < time.from)
			time.from = at;
		if (at > time.to)
			time.to = at;
	}
	return time;
}

static struct stretch stretch_of(const struct an_merged *s)
{
	const char *number = an_fact(s->trace, "segment");
	struct stretch x = {
		.of = s,
		.number = number ? strtoull(number, NULL, 10) : 0,
		.time = recorded(s->trace),
	};

	if (x.time.to) {
		x.time.from += (uint64_t)s->shift.ns;
		x.time.to += (uint64_t)s->shift.ns;
	}
	return x;
}

static int by_machine(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;
	int order = CMP(x->of->machine, y->of->machine);

	return order ? order : CMP(x->time.from, y->time.from);
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
		if (last && !goes_on(b - 1, b) && b->time.from > last &&
		    b->time.from - last > AN_BREAK_NS)
			an_break_put((struct an_break){ last, b->time.from },
				     to);
		last = b->time.to > last ? b->time.to : last;
	}
}

int an_merge_set_breaks(const struct an_merge_set *m, struct buf *to,
			struct err *err)
{
	struct stretch *v = calloc(m->n + 1, sizeof(*v));

	if (!v)
		return err_nomem(err);
	for (size_t i = 0; i < m->n; i++) {
		v[i] = stretch_of(&m->v[i]);
		an_breaks_put(m->v[i].trace, (uint64_t)m->v[i].shift.ns, to);
	}
	qsort(v, m->n, sizeof(*v), by_machine);
	put_between(v, m->n, to);
	free(v);
	return buf_failed(to) ? err_nomem(err) : 0;
}
