#include "analyze/counter/engine.h"

#include "analyze/counter/series.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct an_trace *t, uint32_t series)
{
	return an_text(t, an_series_of(t, series)->name);
}

static bool is_named(const struct an_trace *t, uint32_t series,
		     const char *name)
{
	return strcmp(name_of(t, series), name) == 0;
}

/* Series of fdinfo, those of one engine of one client together. */
struct told {
	uint64_t client;
	uint32_t device, part, pid, machine;
	uint32_t series;
};

static struct told told_of(const struct an_series *s, uint32_t series)
{
	return (struct told){ s->client, s->device, s->part, (uint32_t)s->pid,
			      s->machine, series };
}

static int by_engine(const struct told *x, const struct told *y)
{
	int order = CMP(x->machine, y->machine);

	order = order ? order : CMP(x->device, y->device);
	order = order ? order : CMP(x->client, y->client);
	order = order ? order : CMP(x->pid, y->pid);
	return order ? order : CMP(x->part, y->part);
}

static int by_engine_and_series(const void *a, const void *b)
{
	const struct told *x = a, *y = b;
	int order = by_engine(x, y);

	return order ? order : CMP(x->series, y->series);
}

struct clients {
	const struct an_trace *t;
	struct told *v;
	size_t n;
};

static int find_clients(struct clients *c, const struct an_trace *t,
			struct err *err)
{
	size_t n = an_n_series(t);

	c->t = t;
	c->v = calloc(n + 1, sizeof(*c->v));
	if (!c->v)
		return err_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		if (an_series_of(t, i)->source == TF_SERIES_FDINFO)
			c->v[c->n++] = told_of(an_series_of(t, i), i);
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_engine_and_series);
	return 0;
}

/* The series of that name of the same engine; AN_NONE: there is none. */
static uint32_t beside(const struct clients *c, uint32_t series,
		       const char *name)
{
	struct told key = told_of(an_series_of(c->t, series), 0);
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (by_engine_and_series(&c->v[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < c->n && by_engine(&c->v[low], &key) == 0; low++)
		if (is_named(c->t, c->v[low].series, name))
			return c->v[low].series;
	return AN_NONE;
}

static bool of_cycles(const struct clients *c, uint32_t series,
		      struct an_engine *e)
{
	if (beside(c, series, "drm-engine") != AN_NONE)
		return false;
	e->kind = AN_ENGINE_CYCLES;
	e->by = beside(c, series, "drm-total-cycles");
	if (e->by != AN_NONE)
		return true;
	e->kind = AN_ENGINE_CLOCK;
	e->by = beside(c, series, "drm-maxfreq");
	return e->by != AN_NONE;
}

static bool is_percent(const struct an_trace *t, uint32_t series)
{
	const struct an_series *s = an_series_of(t, series);
	const char *name = name_of(t, series);

	return (s->kind == TF_SERIES_MEAN || s->kind == TF_SERIES_LEVEL) &&
	       strcmp(an_text(t, s->unit), "%") == 0 &&
	       (strstr(name, "busy") || strstr(name, "utilization"));
}

static bool is_engine(const struct clients *c, uint32_t series,
		      struct an_engine *e)
{
	const struct an_trace *t = c->t;
	const struct an_series *s = an_series_of(t, series);

	*e = (struct an_engine){ .series = series, .by = AN_NONE };
	if (s->source == TF_SERIES_FDINFO && is_named(t, series, "drm-cycles"))
		return of_cycles(c, series, e);
	if (is_percent(t, series)) {
		e->kind = AN_ENGINE_PERCENT;
		return true;
	}
	e->kind = AN_ENGINE_TIME;
	if (an_series_time_unit(t, s) <= 0)
		return false;
	return s->source == TF_SERIES_FDINFO ?
		       is_named(t, series, "drm-engine") :
		       strstr(name_of(t, series), "busy") != NULL;
}

int an_engines_find(struct an_engines *out, const struct an_trace *t,
		    const bool *marks, struct err *err)
{
	uint32_t n = (uint32_t)an_n_series(t);
	struct clients c = { 0 };
	int rc = find_clients(&c, t, err);

	*out = (struct an_engines){ 0 };
	out->v = calloc((size_t)n + 1, sizeof(*out->v));
	if (!rc && !out->v)
		rc = err_nomem(err);
	for (uint32_t i = 0; i < n && !rc; i++)
		if ((!marks || marks[i]) && is_engine(&c, i, &out->v[out->n]))
			out->n++;
	free(c.v);
	return rc;
}

void an_engines_fini(struct an_engines *e)
{
	free(e->v);
	*e = (struct an_engines){ 0 };
}

/* What is between the last '/' that something follows and "-busy". */
void an_engine_name(const struct an_trace *t, const struct an_engine *e,
		    char to[AN_ENGINE_NAME])
{
	const struct an_series *s = an_series_of(t, e->series);
	const char *text = an_text(t, s->part), *slash, *busy;

	if (*text) {
		snprintf(to, AN_ENGINE_NAME, "%s", text);
		return;
	}
	text = name_of(t, e->series);
	slash = strchr(text, '/');
	if (slash && slash[1])
		text = slash + 1;
	busy = strstr(text, "-busy");
	snprintf(to, AN_ENGINE_NAME, "%.*s",
		 (int)(busy ? (size_t)(busy - text) : strcspn(text, "/")),
		 text);
}

void an_engine_walk(struct an_engine_walk *w, const struct an_counters *c,
		    const struct an_engine *e)
{
	*w = (struct an_engine_walk){ .e = e, .c = c,
				      .s = an_series_of(c->t, e->series) };
	an_intervals_of(&w->worked, c, e->series);
	if (e->kind == AN_ENGINE_CYCLES)
		an_intervals_of(&w->all, c, e->by);
}

/* All cycles of the same time: both were read at one moment. */
static bool all_cycles(struct an_engine_walk *w, const struct an_interval *i,
		       double *amount)
{
	while (w->whole.end_ns < i->end_ns)
		if (!an_intervals_next(&w->all, &w->whole))
			return false;
	*amount = w->whole.amount * (double)w->s->capacity;
	return w->whole.state == AN_INTERVAL_READ &&
	       w->whole.begin_ns == i->begin_ns &&
	       w->whole.end_ns == i->end_ns;
}

/* false: it tells nothing. */
static bool share_of(struct an_engine_walk *w, const struct an_interval *i,
		     double *share)
{
	double all = 0;

	if (i->state != AN_INTERVAL_READ || !an_interval_length(i))
		return false;
	switch (w->e->kind) {
	case AN_ENGINE_TIME:
		*share = an_interval_busy(w->c->t, w->s, i);
		return true;
	case AN_ENGINE_PERCENT:
		*share = i->amount / 100;
		return true;
	case AN_ENGINE_CYCLES:
		if (!all_cycles(w, i, &all))
			return false;
		break;
	case AN_ENGINE_CLOCK:
		if (!an_counters_level_at(w->c, w->e->by, i->end_ns, &all))
			return false;
		all *= (double)an_interval_length(i) / 1e9 *
		       (double)w->s->capacity;
		break;
	}
	*share = all > 0 ? i->amount / all : 0;
	return all > 0 || i->amount <= 0;
}

static double within(double share)
{
	return share > 1 ? 1 : share > 0 ? share : 0;
}

bool an_engine_next(struct an_engine_walk *w, struct an_engine_share *out)
{
	struct an_interval i;
	double share;

	while (an_intervals_next(&w->worked, &i)) {
		if (share_of(w, &i, &share)) {
			*out = (struct an_engine_share){ i.begin_ns, i.end_ns,
							 within(share) };
			return true;
		}
		w->unknown += i.state != AN_INTERVAL_GONE &&
			      an_interval_length(&i);
	}
	return false;
}

void an_engine_sum(const struct an_counters *c, const struct an_engine *e,
		   struct an_engine_use *out)
{
	struct an_engine_walk w;
	struct an_engine_share s;

	*out = (struct an_engine_use){ 0 };
	an_engine_walk(&w, c, e);
	while (an_engine_next(&w, &s)) {
		uint64_t length = s.end_ns - s.begin_ns;

		if (!out->known_ns)
			out->begin_ns = s.begin_ns;
		out->end_ns = s.end_ns;
		out->known_ns += length;
		out->busy_ns += s.busy * (double)length;
		if (s.busy > out->busiest)
			out->busiest = s.busy;
	}
	out->unknown = w.unknown;
}
