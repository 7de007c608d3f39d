#include "analyze/dump/readings.h"

#include "analyze/counter/series.h"
#include "analyze/counter/stat.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <stdlib.h>

static int by_time(const void *a, const void *b)
{
	const struct an_dump_reading *x = a, *y = b;
	int order = CMP(x->r->time, y->r->time);

	order = order ? order : CMP(x->series, y->series);
	return order ? order : CMP(x->r->value, y->r->value);
}

static int put_in_order(struct an_readings *r, struct err *err)
{
	r->v = calloc(r->c.n + 1, sizeof(*r->v));
	if (!r->v)
		return err_nomem(err);
	for (uint32_t i = 0; i < r->c.n_series; i++) {
		size_t n;
		const struct an_reading *v = an_counters_of(&r->c, i, &n);

		for (size_t k = 0; k < n; k++)
			r->v[r->n++] = (struct an_dump_reading){ &v[k], i };
	}
	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_time);
	return 0;
}

int an_readings_init(struct an_readings *r, struct an_trace *t,
		     const struct an_selection *sel, struct err *err)
{
	uint32_t n = (uint32_t)an_n_series(t);
	bool *marks = calloc((size_t)n + 1, sizeof(*marks));
	int rc;

	*r = (struct an_readings){ 0 };
	if (!marks)
		return err_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		marks[i] = an_series_is_beside(sel, i);
	rc = an_counters_load(&r->c, t, sel->t_min, sel->t_max, marks, err);
	free(marks);
	return rc ? rc : put_in_order(r, err);
}

void an_readings_fini(struct an_readings *r)
{
	an_counters_fini(&r->c);
	free(r->v);
	*r = (struct an_readings){ 0 };
}

const struct an_dump_reading *an_readings_next(struct an_readings *r,
					       uint64_t until)
{
	if (r->next == r->n || r->v[r->next].r->time > until)
		return NULL;
	return &r->v[r->next++];
}

static const char *state_of(const struct an_reading *r)
{
	static const enum an_interval_state states[] = {
		[TF_COUNTER_READ] = AN_INTERVAL_READ,
		[TF_COUNTER_GONE] = AN_INTERVAL_GONE,
		[TF_COUNTER_FAILED] = AN_INTERVAL_FAILED,
		[TF_COUNTER_NONE] = AN_INTERVAL_NONE,
	};

	return an_stat_state_word(states[r->state]);
}

void an_reading_text(const struct an_trace *t, const struct an_dump_reading *d,
		     struct buf *to)
{
	const struct an_series *s = an_series_of(t, d->series);
	const struct an_reading *r = d->r;
	const char *unit = an_text(t, s->unit);

	an_series_text(t, d->series, to);
	if (r->state != TF_COUNTER_READ) {
		buf_printf(to, ": %s", state_of(r));
		return;
	}
	if (s->scale < 1 || s->scale > 1)
		buf_printf(to, ": %.15g", (double)r->value * s->scale);
	else
		buf_printf(to, ": %" PRId64, r->value);
	buf_printf(to, "%s%s", *unit ? " " : "", unit);
	if (r->enabled)
		buf_printf(to, " (on for %" PRIu64 " ns, counted %" PRIu64 ")",
			   r->enabled, r->running);
}

void an_reading_json(const struct an_trace *t, const struct an_dump_reading *d,
		     struct json *j)
{
	const struct an_series *s = an_series_of(t, d->series);
	const struct an_reading *r = d->r;

	json_text(j, "counter", an_string(t, s->name));
	json_u64(j, "series", d->series);
	json_text(j, "unit", an_string(t, s->unit));
	json_f64(j, "scale", s->scale);
	json_text(j, "device", an_string(t, s->device));
	json_text(j, "part", an_string(t, s->part));
	json_text(j, "label", an_string(t, s->label));
	json_i64(j, "pid", s->pid);
	json_i64(j, "cpu", s->cpu);
	json_u64(j, "client", s->client);
	json_cstr(j, "state", state_of(r));
	if (r->state == TF_COUNTER_READ)
		json_i64(j, "value", r->value);
	else
		json_null(j, "value");
	json_u64(j, "enabled_ns", r->enabled);
	json_u64(j, "running_ns", r->running);
}
