/* What the JSON of intervals and totals have in common. */
#include "analyze/counter/stat.h"
#include "analyze/head.h"

#include "format/catalog.h"

static const char *const kinds[] = {
	[0] = "unknown",
	[TF_SERIES_COUNT] = "count",
	[TF_SERIES_LEVEL] = "level",
	[TF_SERIES_MEAN] = "mean",
	[TF_SERIES_INTEGRAL] = "integral",
	[TF_SERIES_SUM] = "sum",
};

static void put_missing(const struct an_stat *s, struct json *j)
{
	json_array(j, "missing");
	for (uint32_t i = 0; i < an_n_facts(s->t); i++) {
		const struct an_fact *f = an_fact_of(s->t, i);
		struct span name = an_stat_missing(s->t, f);

		if (!name.n)
			continue;
		json_object(j, NULL);
		json_text(j, "name", name);
		json_text(j, "why", an_string(s->t, f->value));
		json_end_object(j);
	}
	json_end_array(j);
}

static int put_jitter(const struct an_stat *s, struct json *j, struct err *err)
{
	int rc = 0;

	json_f64(j, "asked_ns", s->asked_ms * 1e6);
	json_array(j, "intervals_ns");
	for (uint8_t i = 0; i < AN_STAT_SOURCES && !rc; i++) {
		struct an_jitter w;

		rc = an_jitter_of(s->c, i, &w, err);
		if (rc || !w.n)
			continue;
		json_object(j, NULL);
		json_cstr(j, "source", an_stat_source(i));
		json_u64(j, "count", w.n);
		json_u64(j, "shortest", w.shortest_ns);
		json_u64(j, "p50", w.p50_ns);
		json_u64(j, "p99", w.p99_ns);
		json_u64(j, "longest", w.longest_ns);
		json_end_object(j);
	}
	json_end_array(j);
	return rc;
}

int an_stat_head_json(const struct an_stat *s, struct json *j, struct err *err)
{
	int rc;

	json_u64(j, "version", AN_STAT_JSON_VERSION);
	an_head_json(s->t, j);
	json_u64(j, "zero_ns", s->zero_ns);
	rc = put_jitter(s, j, err);
	if (rc)
		return rc;
	json_u64(j, "failed", s->ticks.failed);
	json_u64(j, "stepped_back", s->ticks.back);
	json_u64(j, "not_counted", s->ticks.not_counted);
	json_u64(j, "too_busy", an_stat_too_busy(s));
	json_u64(j, "nameless", s->c->nameless);
	json_u64(j, "timeless", s->c->timeless);
	put_missing(s, j);
	return 0;
}

void an_stat_series_json(const struct an_stat *s, uint32_t series,
			 struct json *j)
{
	const struct an_trace *t = s->t;
	const struct an_series *r = an_series_of(t, series);

	json_u64(j, "series", series);
	json_text(j, "event", an_string(t, r->name));
	json_text(j, "unit", an_string(t, r->unit));
	json_cstr(j, "kind", kinds[r->kind]);
	json_cstr(j, "source", an_stat_source(r->source));
	json_text(j, "device", an_string(t, r->device));
	json_text(j, "part", an_string(t, r->part));
	json_text(j, "label", an_string(t, r->label));
	if (r->cpu < 0)
		json_null(j, "cpu");
	else
		json_i64(j, "cpu", r->cpu);
	json_i64(j, "pid", r->pid);
	json_u64(j, "client", r->client);
	json_u64(j, "capacity", r->capacity);
	json_u64(j, "run", r->run);
	json_u64(j, "machine", r->machine);
}

void an_stat_row_json(const struct an_stat *s, const struct an_stat_row *r,
		      struct json *j)
{
	(void)s;
	json_cstr(j, "state", an_stat_state_word(r->state));
	if (r->state == AN_INTERVAL_READ)
		json_f64(j, "value", r->amount);
	else
		json_null(j, "value");
	json_u64(j, "length_ns", r->length_ns);
	json_u64(j, "running_ns", r->running_ns);
	json_f64(j, "running_share", r->share);
	json_array(j, "metrics");
	for (size_t i = 0; i < r->n_metrics; i++) {
		json_object(j, NULL);
		json_f64(j, "value", r->metrics[i].value);
		json_cstr(j, "unit", r->metrics[i].percent ? "%" : "");
		json_cstr(j, "of", r->metrics[i].unit);
		json_end_object(j);
	}
	json_end_array(j);
}
