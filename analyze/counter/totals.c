#include "analyze/counter/totals.h"

#include "analyze/counter/series.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More runs than anybody makes are only in a file that was made to exhaust
 * memory. */
#define MAX_RUNS 65536u

static bool is_count(const struct an_series *s)
{
	return s->kind == TF_SERIES_COUNT;
}

/* Sums while intervals are walked. */
struct summing {
	double sum;        /* counts: before they are multiplied */
	double weighted;   /* levels: by ns */
	double plain;      /* levels: each once */
	uint64_t levels;
};

static void add_amount(struct an_total *t, struct summing *m,
		       const struct an_interval *i, bool counts)
{
	double length = (double)an_interval_length(i);

	if (!t->n || i->begin_ns < t->begin_ns)
		t->begin_ns = i->begin_ns;
	t->end_ns = i->end_ns;
	t->known_ns += an_interval_length(i);
	t->n++;
	m->sum += i->amount * i->share;
	m->weighted += i->amount * length;
	m->plain += i->amount;
	t->last = i->amount;
	if (counts)
		return;
	if (!m->levels || i->amount < t->least)
		t->least = i->amount;
	if (!m->levels || i->amount > t->most)
		t->most = i->amount;
	m->levels++;
}

static void add(struct an_total *t, struct summing *m,
		const struct an_interval *i, bool counts)
{
	t->enabled_ns += i->enabled_ns;
	t->running_ns += i->running_ns;
	if (i->state == AN_INTERVAL_READ)
		add_amount(t, m, i, counts);
	else if (i->state != AN_INTERVAL_GONE)
		t->unknown++;
	/* What it is for all of it, where there is no amount. */
	if (i->state != AN_INTERVAL_GONE && !t->n)
		t->state = i->state;
}

static void finish(struct an_total *t, const struct summing *m, bool counts)
{
	t->share = 1;
	if (t->running_ns < t->enabled_ns)
		t->share = (double)t->running_ns / (double)t->enabled_ns;
	if (!t->n)
		return;
	t->state = AN_INTERVAL_READ;
	if (counts)
		t->amount = t->share > 0 ? m->sum / t->share : m->sum;
	else if (t->known_ns)
		t->amount = m->weighted / (double)t->known_ns;
	else
		t->amount = m->plain / (double)t->n;
	if (!isfinite(t->amount)) {
		t->amount = 0;
		t->state = AN_INTERVAL_FAILED;
	}
}

void an_total_of(struct an_total *out, const struct an_counters *c,
		 uint32_t series)
{
	bool counts = is_count(an_series_of(c->t, series));
	struct summing m = { 0 };
	struct an_intervals it;
	struct an_interval i;

	*out = (struct an_total){ .series = series,
				  .state = AN_INTERVAL_FAILED };
	an_intervals_of(&it, c, series);
	while (an_intervals_next(&it, &i))
		add(out, &m, &i, counts);
	finish(out, &m, counts);
}

void an_spread(const double *v, size_t n, double *mean, double *spread)
{
	double sum = 0, squares = 0;

	*mean = *spread = 0;
	for (size_t i = 0; i < n; i++)
		sum += v[i];
	if (!n)
		return;
	*mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - *mean) * (v[i] - *mean);
	if (n > 1 && fabs(*mean) > 0)
		*spread = sqrt(squares / (double)(n - 1) / (double)n) /
			  fabs(*mean);
}

static int add_totals(struct an_totals *t, const struct an_counters *c,
		      struct err *err)
{
	t->v = calloc((size_t)c->n_series + 1, sizeof(*t->v));
	if (!t->v)
		return err_nomem(err);
	for (uint32_t i = 0; i < c->n_series; i++) {
		const struct an_series *s = an_series_of(c->t, i);
		size_t n;

		if (!an_counters_of(c, i, &n))
			continue;
		an_total_of(&t->v[t->n++], c, i);
		if (s->run > t->runs)
			t->runs = s->run;
	}
	return t->runs <= MAX_RUNS ? 0 :
		       err_set(err, ERR_LIMIT, "%s: run %u is more than "
			       "anybody makes (limit %u)", an_trace_path(c->t),
			       t->runs, MAX_RUNS);
}

static bool is_duration(const struct an_counters *c, const struct an_total *v)
{
	const struct an_series *s = an_series_of(c->t, v->series);

	return v->state == AN_INTERVAL_READ && an_series_is_whole(c->t, s) &&
	       strcmp(an_text(c->t, s->name), "duration_time") == 0;
}

/* From the first to the last reading of a run, or as it was measured. */
static int find_elapsed(struct an_totals *t, const struct an_counters *c,
			struct err *err)
{
	size_t n = (size_t)t->runs + 1;
	uint64_t *first = calloc(n, sizeof(*first));
	uint64_t *last = calloc(n, sizeof(*last));
	bool ok;

	t->elapsed_ns = calloc(n, sizeof(*t->elapsed_ns));
	ok = first && last && t->elapsed_ns;
	for (size_t i = 0; ok && i < t->n; i++) {
		uint32_t run = an_series_of(c->t, t->v[i].series)->run;
		const struct an_total *v = &t->v[i];

		if (!v->n)
			continue;
		if (!last[run] || v->begin_ns < first[run])
			first[run] = v->begin_ns;
		if (v->end_ns > last[run])
			last[run] = v->end_ns;
	}
	for (size_t i = 0; ok && i < n; i++)
		t->elapsed_ns[i] = (double)(last[i] - first[i]);
	for (size_t i = 0; ok && i < t->n; i++)
		if (is_duration(c, &t->v[i]))
			t->elapsed_ns[an_series_of(c->t, t->v[i].series)->run] =
				t->v[i].amount;
	free(first);
	free(last);
	return ok ? 0 : err_nomem(err);
}

/* All but the run. */
struct repeated {
	struct an_series s;
	const struct an_total *total;
};

static int by_identity(const void *a, const void *b)
{
	const struct an_series *x = &((const struct repeated *)a)->s;
	const struct an_series *y = &((const struct repeated *)b)->s;
	int order = CMP(x->name, y->name);

	order = order ? order : CMP(x->device, y->device);
	order = order ? order : CMP(x->part, y->part);
	order = order ? order : CMP(x->cpu, y->cpu);
	order = order ? order : CMP(x->client, y->client);
	order = order ? order : CMP(x->machine, y->machine);
	if (!order && x->source == TF_SERIES_PMU)
		order = CMP(x->label, y->label); /* the cgroup */
	return order;
}

static int by_identity_and_run(const void *a, const void *b)
{
	const struct repeated *x = a, *y = b;
	int order = by_identity(a, b);

	order = order ? order : CMP(x->s.run, y->s.run);
	return order ? order : CMP(x->total->series, y->total->series);
}

static void add_repeat(struct an_totals *t, const struct repeated *v, size_t n,
		       double *values)
{
	struct an_repeat *r = &t->repeats[t->n_repeats++];

	*r = (struct an_repeat){ .series = v[0].total->series };
	for (size_t i = 0; i < n; i++)
		if (v[i].total->state == AN_INTERVAL_READ)
			values[r->n++] = v[i].total->amount;
	an_spread(values, r->n, &r->mean, &r->spread);
}

static int by_series(const void *a, const void *b)
{
	const struct an_repeat *x = a, *y = b;

	return CMP(x->series, y->series);
}

static int find_repeats(struct an_totals *t, const struct an_counters *c,
			struct err *err)
{
	struct repeated *v = calloc(t->n + 1, sizeof(*v));
	double *values = calloc(t->n + 1, sizeof(*values));
	size_t n = 0;

	t->repeats = calloc(t->n + 1, sizeof(*t->repeats));
	for (size_t i = 0; v && i < t->n; i++) {
		v[n].s = *an_series_of(c->t, t->v[i].series);
		v[n].total = &t->v[i];
		n += v[n].s.run != 0;
	}
	if (v && n)
		qsort(v, n, sizeof(*v), by_identity_and_run);
	for (size_t from = 0; v && values && t->repeats && from < n;) {
		size_t to = from + 1;

		while (to < n && by_identity(&v[from], &v[to]) == 0)
			to++;
		add_repeat(t, v + from, to - from, values);
		from = to;
	}
	free(v);
	free(values);
	if (!v || !values || !t->repeats)
		return err_nomem(err);
	if (t->n_repeats)
		qsort(t->repeats, t->n_repeats, sizeof(*t->repeats), by_series);
	return 0;
}

int an_totals_make(struct an_totals *out, const struct an_counters *c,
		   struct err *err)
{
	int rc;

	*out = (struct an_totals){ 0 };
	rc = add_totals(out, c, err);
	if (!rc)
		rc = find_elapsed(out, c, err);
	if (!rc && out->runs)
		rc = find_repeats(out, c, err);
	return rc;
}

int an_totals_unscale(struct an_totals *t, const struct an_counters *c,
		      struct err *err)
{
	for (size_t i = 0; i < t->n; i++)
		if (is_count(an_series_of(c->t, t->v[i].series)))
			t->v[i].amount *= t->v[i].share;
	if (!t->runs)
		return 0;
	free(t->repeats);
	t->repeats = NULL;
	t->n_repeats = 0;
	return find_repeats(t, c, err);
}

void an_totals_fini(struct an_totals *t)
{
	free(t->v);
	free(t->repeats);
	free(t->elapsed_ns);
	*t = (struct an_totals){ 0 };
}

const struct an_total *an_totals_find(const struct an_totals *t,
				      uint32_t series)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->v[mid].series < series)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->n && t->v[low].series == series ? &t->v[low] : NULL;
}
