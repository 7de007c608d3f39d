#include "analyze/counter/ticks.h"

#include "analyze/counter/series.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>

static bool is_row(const struct an_interval *i)
{
	return an_interval_length(i) || i->state == AN_INTERVAL_NONE ||
	       i->state == AN_INTERVAL_GONE;
}

static void count(struct an_ticks *t, const struct an_interval *i)
{
	t->failed += i->state == AN_INTERVAL_FAILED;
	t->back += i->state == AN_INTERVAL_BACK;
	t->not_counted += i->state == AN_INTERVAL_NOT_COUNTED;
	t->gone += i->state == AN_INTERVAL_GONE;
}

static void add_series(struct an_ticks *t, const struct an_counters *c,
		       uint32_t series)
{
	struct an_intervals it;
	struct an_interval i;

	an_intervals_of(&it, c, series);
	while (an_intervals_next(&it, &i)) {
		if (!is_row(&i))
			continue;
		t->v[t->n++] = (struct an_tick_row){ .series = series, .i = i };
		count(t, &i);
	}
}

static int by_end(const void *a, const void *b)
{
	const struct an_tick_row *x = a, *y = b;
	int order = CMP(x->i.end_ns, y->i.end_ns);

	return order ? order : CMP(x->series, y->series);
}

static int by_series(const void *a, const void *b)
{
	const struct an_tick_row *x = a, *y = b;
	int order = CMP(x->series, y->series);

	return order ? order : CMP(x->i.end_ns, y->i.end_ns);
}

static int by_length(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return CMP(*x, *y);
}

static void add_lengths(const struct an_counters *c, uint32_t series,
			uint64_t *v, size_t *n)
{
	size_t have;
	const struct an_reading *r = an_counters_of(c, series, &have);
	const struct an_reading *before = &c->before[series];

	if (have && before->state == TF_COUNTER_READ)
		v[(*n)++] = r[0].time - before->time;
	for (size_t i = 1; i < have; i++)
		v[(*n)++] = r[i].time - r[i - 1].time;
}

int an_jitter_of(const struct an_counters *c, uint8_t source,
		 struct an_jitter *out, struct err *err)
{
	uint64_t *v = calloc(c->n + 1, sizeof(*v));
	size_t n = 0;

	*out = (struct an_jitter){ 0 };
	if (!v)
		return err_nomem(err);
	for (uint32_t i = 0; i < c->n_series; i++)
		if ((source == AN_ANY_SOURCE ||
		     an_series_of(c->t, i)->source == source) &&
		    !an_series_is_whole(c->t, an_series_of(c->t, i)))
			add_lengths(c, i, v, &n);
	if (n) {
		qsort(v, n, sizeof(*v), by_length);
		*out = (struct an_jitter){
			.n = n,
			.shortest_ns = v[0],
			.p50_ns = v[(n - 1) / 2],
			.p99_ns = v[(n - 1) - (n - 1) / 100],
			.longest_ns = v[n - 1],
		};
	}
	free(v);
	return 0;
}

/* A tick is as wide as half of the usual interval, and has a series once. */
static int part(struct an_ticks *t, uint32_t n_series, uint64_t width,
		struct err *err)
{
	uint32_t *seen = calloc((size_t)n_series + 1, sizeof(*seen));
	size_t begin = 0;

	if (!seen)
		return err_nomem(err);
	for (size_t i = 0; i < t->n; i++) {
		struct an_tick_row *r = &t->v[i];

		if (!t->n_ticks || seen[r->series] == t->n_ticks ||
		    r->i.end_ns - t->v[begin].i.end_ns > width) {
			begin = i;
			t->n_ticks++;
		}
		seen[r->series] = t->n_ticks;
		r->tick = t->n_ticks - 1;
	}
	free(seen);
	return 0;
}

static int order(struct an_ticks *t, struct err *err)
{
	size_t from = 0;

	t->first = calloc((size_t)t->n_ticks + 1, sizeof(*t->first));
	if (!t->first)
		return err_nomem(err);
	for (uint32_t k = 0; k < t->n_ticks; k++) {
		size_t to = from;

		while (to < t->n && t->v[to].tick == k)
			to++;
		t->first[k] = from;
		qsort(t->v + from, to - from, sizeof(*t->v), by_series);
		from = to;
	}
	t->first[t->n_ticks] = from;
	return 0;
}

int an_ticks_make(struct an_ticks *out, const struct an_counters *c,
		  struct err *err)
{
	struct an_jitter j;
	int rc;

	*out = (struct an_ticks){ 0 };
	/* No reading is the end of two intervals. */
	out->v = calloc(c->n + 1, sizeof(*out->v));
	if (!out->v)
		return err_nomem(err);
	for (uint32_t i = 0; i < c->n_series; i++)
		if (!an_series_is_whole(c->t, an_series_of(c->t, i)))
			add_series(out, c, i);
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_end);
	rc = an_jitter_of(c, AN_ANY_SOURCE, &j, err);
	if (!rc)
		rc = part(out, c->n_series, j.p50_ns / 2, err);
	return rc ? rc : order(out, err);
}

void an_ticks_fini(struct an_ticks *t)
{
	free(t->v);
	free(t->first);
	*t = (struct an_ticks){ 0 };
}

const struct an_tick_row *an_ticks_find(const struct an_ticks *t, uint32_t tick,
					uint32_t series)
{
	size_t low = t->first[tick], high = t->first[tick + 1], end = high;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->v[mid].series < series)
			low = mid + 1;
		else
			high = mid;
	}
	return low < end && t->v[low].series == series ? &t->v[low] : NULL;
}
