#include "analyze/counter/counters.h"

#include "analyze/ahead.h"
#include "analyze/columns.h"
#include "analyze/counter/series.h"
#include "analyze/epochs.h"
#include "analyze/lacks.h"
#include "analyze/trace_data.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>

/* Readings that change in nothing but their time cost next to no bytes, so a
 * file may hold many; more than this is made to keep us busy. */
#define SEEN_PER_BYTE 64u
#define SEEN_ALWAYS (64u << 20)
/* Of those that are held in memory: an hour of 200 series, ten times a second.
 */
#define HELD_PER_BYTE 4u
#define HELD_ALWAYS (8u << 20)

/* A walk over the table; `take` is given each row of a series that is wanted. */
struct walk {
	struct an_counters *c;
	struct an_trace *t;
	uint64_t t_min, t_max;
	const bool *marks;
	uint64_t seen_left;
	bool counts;    /* else it fills */
	size_t *filled; /* by series, while it fills */
};

static uint64_t limit(const struct an_trace *t, uint64_t per_byte,
		      uint64_t always)
{
	uint64_t n;

	if (ckd_mul(&n, tf_reader_size(t->reader), per_byte) ||
	    ckd_add(&n, n, always))
		return UINT64_MAX;
	return n;
}

static void see_before(struct walk *w, uint32_t series,
		       const struct an_reading *r)
{
	const struct an_series *s = an_series_of(w->t, series);
	struct an_reading *b = &w->c->before[series];

	if (r->state == TF_COUNTER_GONE) {
		if (r->time >= b->time)
			*b = *r;
	} else if (r->state != TF_COUNTER_READ) {
		return;
	} else if (b->state == TF_COUNTER_READ &&
		   an_series_keeps_greatest(s)) {
		if (r->value > b->value ||
		    (r->value == b->value && r->time > b->time))
			*b = *r;
	} else if (r->time >= b->time) {
		*b = *r;
	}
}

static void take(struct walk *w, uint32_t series, const struct an_reading *r)
{
	struct an_counters *c = w->c;

	if (w->marks && !w->marks[series])
		return;
	if (w->counts && r->time < w->t_min)
		see_before(w, series, r);
	if (r->time < w->t_min || r->time > w->t_max)
		return;
	if (w->counts)
		c->first[series + 1]++;
	else if (w->filled[series] < c->first[series + 1])
		c->v[w->filled[series]++] = *r;
}

static void take_row(struct walk *w, const struct tf_view *v,
		     const struct an_columns *c, const struct an_epoch *e,
		     uint32_t row)
{
	uint64_t at = an_column_value(c, v, TF_COUNTER_SERIES, row);
	uint32_t series = e && an_column(c, v, TF_COUNTER_SERIES) ?
			an_ids_get(&e->ids[AN_SPACE_SERIES], at) : AN_NONE;
	struct an_reading r = {
		.time = an_column_value(c, v, TF_COUNTER_TIME, row),
		.value = (int64_t)an_column_value(c, v, TF_COUNTER_VALUE, row),
		.enabled = an_column_value(c, v, TF_COUNTER_ENABLED, row),
		.running = an_column_value(c, v, TF_COUNTER_RUNNING, row),
		.state = TF_COUNTER_FAILED,
	};
	uint64_t state = an_column_value(c, v, TF_COUNTER_STATE, row);

	/* Without its value a reading is one that failed. */
	if (state <= TF_COUNTER_NONE && (state || an_column(c, v,
							    TF_COUNTER_VALUE)))
		r.state = (uint32_t)state;
	if (series >= w->c->n_series)
		w->c->nameless += w->counts;
	else
		take(w, series, &r);
}

static int take_part(struct walk *w, const struct tf_view *v,
		     const struct an_columns *c, struct err *err)
{
	const struct an_epoch *e = an_epochs_find(&w->t->epochs, v->epoch);
	int rc = w->counts ? an_lacks_see(w->t, v, err) : 0;

	if (rc)
		return rc;
	if (v->rows > w->seen_left)
		return err_set(err, ERR_LIMIT, "%s: more readings than a file "
			       "of this size can hold", w->t->path);
	w->seen_left -= v->rows;
	if (!an_column(c, v, TF_COUNTER_TIME)) {
		w->c->timeless += w->counts ? v->rows : 0;
		return 0;
	}
	for (uint32_t i = 0; i < v->rows; i++)
		take_row(w, v, c, e, i);
	return 0;
}

static int walk_rows(struct walk *w, struct err *err)
{
	struct tf_query q = { .table = TF_TABLE_COUNTER, .t_max = w->t_max };
	struct an_ahead *parts = NULL;
	const struct tf_view *v;
	struct an_columns c;
	bool over = false;
	int rc;

	if (!an_columns_find(&c, w->t->reader, TF_TABLE_COUNTER, UINT64_MAX))
		return 0;
	q.columns = c.mask;
	w->seen_left = limit(w->t, SEEN_PER_BYTE, SEEN_ALWAYS);
	rc = an_ahead_new(&parts, w->t, &q, 1, err);
	while (!rc) {
		rc = an_ahead_next(parts, &v, err);
		if (!rc) {
			rc = take_part(w, v, &c, err);
			over = rc == ERR_LIMIT;
		}
		if (rc < 0 && !over)
			rc = an_trace_survive(w->t, rc, err);
	}
	an_ahead_free(parts);
	return rc < 0 ? rc : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct an_reading *x = a, *y = b;
	int order = CMP(x->time, y->time);

	return order ? order : CMP(x->value, y->value);
}

/* Usually they are in order. */
static void put_in_order(struct an_reading *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (by_time(&v[i - 1], &v[i]) > 0) {
			qsort(v, n, sizeof(*v), by_time);
			return;
		}
}

/* From counts to places. */
static int make_room(struct an_counters *c, struct walk *w, struct err *err)
{
	for (uint32_t i = 0; i < c->n_series; i++)
		c->first[i + 1] += c->first[i];
	c->n = c->first[c->n_series];
	if (c->n > limit(w->t, HELD_PER_BYTE, HELD_ALWAYS))
		return err_set(err, ERR_LIMIT, "%s: %zu readings are more than "
			       "a file of this size should hold (try: --time)",
			       w->t->path, c->n);
	c->v = calloc(c->n + 1, sizeof(*c->v));
	w->filled = calloc((size_t)c->n_series + 1, sizeof(*w->filled));
	if (!c->v || !w->filled)
		return err_nomem(err);
	for (uint32_t i = 0; i < c->n_series; i++)
		w->filled[i] = c->first[i];
	return 0;
}

static void finish(struct an_counters *c)
{
	for (uint32_t i = 0; i < c->n_series; i++) {
		struct an_reading *v = c->v + c->first[i];
		size_t n = c->first[i + 1] - c->first[i];

		put_in_order(v, n);
		if (!n)
			continue;
		if (!c->t_max || v[0].time < c->t_min)
			c->t_min = v[0].time;
		if (v[n - 1].time > c->t_max)
			c->t_max = v[n - 1].time;
	}
}

int an_counters_load(struct an_counters *c, struct an_trace *t, uint64_t t_min,
		     uint64_t t_max, const bool *series, struct err *err)
{
	struct walk w = { .c = c, .t = t, .t_min = t_min, .t_max = t_max,
			  .marks = series, .counts = true };
	int rc;

	*c = (struct an_counters){ .t = t,
				   .n_series = (uint32_t)an_n_series(t) };
	c->first = calloc((size_t)c->n_series + 1, sizeof(*c->first));
	c->before = calloc((size_t)c->n_series + 1, sizeof(*c->before));
	if (!c->first || !c->before)
		return err_nomem(err);
	for (uint32_t i = 0; i < c->n_series; i++)
		c->before[i].state = TF_COUNTER_NONE;
	rc = walk_rows(&w, err);
	if (!rc)
		rc = make_room(c, &w, err);
	w.counts = false;
	if (!rc)
		rc = walk_rows(&w, err);
	free(w.filled);
	if (rc)
		return rc;
	an_lacks_say(t);
	finish(c);
	return 0;
}

void an_counters_fini(struct an_counters *c)
{
	free(c->v);
	free(c->first);
	free(c->before);
	*c = (struct an_counters){ 0 };
}

const struct an_reading *an_counters_of(const struct an_counters *c,
					uint32_t series, size_t *n)
{
	*n = 0;
	if (series >= c->n_series)
		return NULL;
	*n = c->first[series + 1] - c->first[series];
	return *n ? c->v + c->first[series] : NULL;
}
