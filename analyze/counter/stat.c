#include "analyze/counter/stat.h"

#include "analyze/counter/amount.h"
#include "analyze/counter/series.h"

#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/fact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOO_BUSY 1.01

static double asked_ms(const struct an_trace *t)
{
	const char *fact = an_fact(t, "interval");
	char *end;
	double ms;

	if (!fact || !*fact)
		return 0;
	ms = strtod(fact, &end);
	return *end || !isfinite(ms) || ms < 0 ? 0 : ms;
}

static int find_zero(struct an_stat *s, struct err *err)
{
	const uint32_t table = TF_TABLE_COUNTER;
	uint64_t to;
	int rc = tf_reader_bounds(an_trace_reader(s->t), &table, 1, &s->zero_ns,
				  &to, err);

	return rc < 0 ? rc : 0;
}

int an_stat_make(struct an_stat *s, struct an_trace *t,
		 const struct an_counters *c, struct err *err)
{
	int rc;

	*s = (struct an_stat){ .t = t, .c = c, .asked_ms = asked_ms(t) };
	rc = an_peers_make(&s->peers, t, err);
	if (!rc)
		rc = an_ticks_make(&s->ticks, c, err);
	if (!rc)
		rc = an_totals_make(&s->totals, c, err);
	if (!rc)
		rc = find_zero(s, err);
	for (size_t i = 0; i < s->totals.n && !rc; i++)
		s->cpus |= an_series_of(t, s->totals.v[i].series)->cpu >= 0;
	return rc;
}

void an_stat_fini(struct an_stat *s)
{
	an_peers_fini(&s->peers);
	an_ticks_fini(&s->ticks);
	an_totals_fini(&s->totals);
	*s = (struct an_stat){ 0 };
}

int an_stat_unscale(struct an_stat *s, struct err *err)
{
	for (size_t i = 0; i < s->ticks.n; i++) {
		struct an_tick_row *r = &s->ticks.v[i];

		if (an_series_of(s->t, r->series)->kind == TF_SERIES_COUNT)
			r->i.amount *= r->i.share;
	}
	return an_totals_unscale(&s->totals, s->c, err);
}

bool an_stat_has_intervals(const struct an_stat *s)
{
	if (s->totals.runs)
		return false;
	for (size_t i = 0; i < s->totals.n; i++)
		if (s->totals.v[i].n + s->totals.v[i].unknown > 1)
			return true;
	return s->asked_ms > 0;
}

struct of_tick {
	const struct an_stat *s;
	uint32_t tick;
};

static bool ask_tick(const void *ctx, uint32_t series, double *amount)
{
	const struct of_tick *of = ctx;
	const struct an_tick_row *r = an_ticks_find(&of->s->ticks, of->tick,
						    series);

	if (!r || r->i.state != AN_INTERVAL_READ)
		return false;
	*amount = r->i.amount;
	return true;
}

struct of_total {
	const struct an_stat *s;
	const struct an_total *v; /* what is asked about */
};

/* What a total stands for: of events, how long they were on. */
static bool is_of_one_time(const struct an_total *a, const struct an_total *b)
{
	bool on = a->enabled_ns && b->enabled_ns;
	double x = (double)(on ? a->enabled_ns : a->known_ns);
	double y = (double)(on ? b->enabled_ns : b->known_ns);

	return fabs(x - y) <= x / 20;
}

/* What is known of another time, as of one of two traces that were merged, is
 * nothing to compare with. */
static bool ask_total(const void *ctx, uint32_t series, double *amount)
{
	const struct of_total *of = ctx;
	const struct an_total *v = an_totals_find(&of->s->totals, series);

	if (!v || v->state != AN_INTERVAL_READ || !is_of_one_time(of->v, v))
		return false;
	*amount = v->amount;
	return true;
}

static const struct an_repeat *repeat_of(const struct an_stat *s,
					 uint32_t series)
{
	for (size_t i = 0; i < s->totals.n_repeats; i++)
		if (s->totals.repeats[i].series == series)
			return &s->totals.repeats[i];
	return NULL;
}

static bool ask_repeat(const void *ctx, uint32_t series, double *amount)
{
	const struct an_repeat *v = repeat_of(ctx, series);

	if (!v || !v->n)
		return false;
	*amount = v->mean;
	return true;
}

void an_stat_find_metrics(struct an_stat_row *out, const struct an_stat *s,
			  bool (*ask)(const void *ctx, uint32_t series,
				      double *amount), const void *ctx)
{
	const struct an_measured m = { out->series, out->amount,
				       out->length_ns, s->groups, ask, ctx };

	if (out->state == AN_INTERVAL_READ)
		out->n_metrics = an_metrics_of(&s->peers, &m, out->metrics);
}

void an_stat_row_of_tick(struct an_stat_row *out, const struct an_stat *s,
			 const struct an_tick_row *r)
{
	const struct of_tick of = { s, r->tick };

	*out = (struct an_stat_row){
		.series = r->series,
		.state = r->i.state,
		.amount = r->i.amount,
		.length_ns = an_interval_length(&r->i),
		.running_ns = r->i.running_ns,
		.share = r->i.share,
	};
	an_stat_find_metrics(out, s, ask_tick, &of);
}

void an_stat_row_of_total(struct an_stat_row *out, const struct an_stat *s,
			  const struct an_total *v)
{
	*out = (struct an_stat_row){
		.series = v->series,
		.state = v->state,
		.amount = v->amount,
		.length_ns = v->known_ns,
		.running_ns = v->running_ns,
		.share = v->share,
	};
	an_stat_find_metrics(out, s, ask_total,
			     &(struct of_total){ s, v });
}

/* Shares and times of the runs together; rates by the mean length. */
void an_stat_row_of_repeat(struct an_stat_row *out, const struct an_stat *s,
			   const struct an_repeat *v)
{
	double sum = 0;

	an_stat_row_of_total(out, s, an_totals_find(&s->totals, v->series));
	for (uint32_t i = 1; i <= s->totals.runs; i++)
		sum += s->totals.elapsed_ns[i];
	out->length_ns = (uint64_t)(sum / (double)s->totals.runs);
	out->amount = v->mean;
	out->n_metrics = 0;
	if (v->n)
		out->state = AN_INTERVAL_READ;
	an_stat_find_metrics(out, s, ask_repeat, s);
}

static const struct {
	const char *text, *word;
} states[] = {
	[AN_INTERVAL_READ] = { NULL, "read" },
	[AN_INTERVAL_NOT_COUNTED] = { "<not counted>", "not counted" },
	[AN_INTERVAL_BACK] = { "<stepped back>", "stepped back" },
	[AN_INTERVAL_FAILED] = { "<not read>", "failed" },
	[AN_INTERVAL_GONE] = { "<gone>", "gone" },
	[AN_INTERVAL_NONE] = { "<not supported>", "not supported" },
};

const char *an_stat_state_text(enum an_interval_state state)
{
	return states[state].text;
}

const char *an_stat_source(uint8_t source)
{
	static const char *const sources[AN_STAT_SOURCES] = {
		[0] = "unknown",
		[TF_SERIES_PMU] = "pmu",
		[TF_SERIES_FDINFO] = "fdinfo",
		[TF_SERIES_SYSFS] = "sysfs",
		[TF_SERIES_NVML] = "nvml",
		[TF_SERIES_PROC] = "proc",
	};

	return sources[source < AN_STAT_SOURCES ? source : 0];
}

struct span an_stat_missing(const struct an_trace *t, const struct an_fact *f)
{
	static const char before[] = "counter.missing.";
	struct span key = tf_fact_own_key(an_string(t, f->key));
	size_t n = strlen(before);

	if (key.n <= n || memcmp(key.p, before, n) != 0)
		return span_of("", 0);
	return span_of(key.p + n, key.n - n);
}

uint64_t an_stat_too_busy(const struct an_stat *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->ticks.n; i++) {
		const struct an_tick_row *r = &s->ticks.v[i];
		const struct an_series *se = an_series_of(s->t, r->series);
		double ns = r->i.amount * an_series_time_unit(s->t, se);

		n += !an_series_is_clock(s->t, se) &&
		     ns > TOO_BUSY * (double)an_interval_length(&r->i) *
				  (double)se->capacity;
	}
	return n;
}

const char *an_stat_state_word(enum an_interval_state state)
{
	return states[state].word;
}
