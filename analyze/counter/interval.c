/* What lies between two readings of a series. */
#include "analyze/counter/counters.h"

#include "analyze/counter/series.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <math.h>
#include <string.h>

static bool is_level(const struct an_series *s)
{
	return s->kind == TF_SERIES_LEVEL || s->kind == TF_SERIES_MEAN;
}

void an_intervals_of(struct an_intervals *it, const struct an_counters *c,
		     uint32_t series)
{
	*it = (struct an_intervals){ .c = c,
				     .s = an_series_of(c->t, series) };
	if (series >= c->n_series)
		return;
	it->at = c->first[series];
	it->end = c->first[series + 1];
	it->base = c->before[series];
	it->has_base = it->base.state == TF_COUNTER_READ;
	it->last_ns = it->base.time;
	it->has_last = it->has_base;
}

static void set_amount(struct an_interval *out, double amount)
{
	if (isfinite(amount)) {
		out->state = AN_INTERVAL_READ;
		out->amount = amount;
	}
}

/* Of a difference: how often the counter was not there is made up for. */
static void set_difference(struct an_interval *out, const struct an_series *s,
			   uint64_t difference)
{
	double amount = (double)difference * s->scale;
	double seconds = (double)an_interval_length(out) / 1e9;

	if (out->enabled_ns && !out->running_ns) {
		out->state = AN_INTERVAL_NOT_COUNTED;
		out->share = 0;
		return;
	}
	if (out->running_ns < out->enabled_ns) {
		out->share = (double)out->running_ns / (double)out->enabled_ns;
		amount /= out->share;
	}
	if (s->kind == TF_SERIES_INTEGRAL)
		amount /= seconds; /* not finite where no time passed */
	set_amount(out, amount);
}

/* false: one of the three is less than before. */
static bool subtract(const struct an_reading *from, const struct an_reading *to,
		     struct an_interval *out, uint64_t *difference)
{
	if (to->value < from->value || to->enabled < from->enabled ||
	    to->running < from->running)
		return false;
	*difference = (uint64_t)to->value - (uint64_t)from->value;
	out->enabled_ns = to->enabled - from->enabled;
	out->running_ns = to->running - from->running;
	return true;
}

/* From base to `r`, a good reading of a series whose differences tell. */
static void difference(struct an_intervals *it, const struct an_reading *r,
		       struct an_interval *out)
{
	uint64_t n;

	out->begin_ns = it->base.time;
	if (subtract(&it->base, r, out, &n)) {
		set_difference(out, it->s, n);
		it->base = *r;
		return;
	}
	out->begin_ns = it->last_ns;
	out->state = AN_INTERVAL_BACK;
	if (!an_series_keeps_greatest(it->s))
		it->base = *r;
}

/* false: it is only where the next one begins. */
static bool good(struct an_intervals *it, const struct an_reading *r,
		 struct an_interval *out)
{
	if (!it->s->kind)
		return it->has_last;
	if (is_level(it->s)) {
		set_amount(out, (double)r->value * it->s->scale);
		return true;
	}
	if (it->has_base) {
		difference(it, r, out);
		return true;
	}
	it->base = *r;
	it->has_base = true;
	return false;
}

/* What has no value. */
static bool bad(struct an_intervals *it, const struct an_reading *r,
		struct an_interval *out)
{
	switch (r->state) {
	case TF_COUNTER_GONE:
		out->state = AN_INTERVAL_GONE;
		it->has_base = false;
		break;
	case TF_COUNTER_NONE:
		out->state = AN_INTERVAL_NONE;
		break;
	default:
		out->state = AN_INTERVAL_FAILED;
	}
	return true;
}

bool an_intervals_next(struct an_intervals *it, struct an_interval *out)
{
	while (it->at < it->end) {
		const struct an_reading *r = &it->c->v[it->at++];
		bool tells;

		*out = (struct an_interval){
			.begin_ns = it->has_last ? it->last_ns : r->time,
			.end_ns = r->time,
			.state = AN_INTERVAL_FAILED,
			.share = 1,
		};
		tells = r->state == TF_COUNTER_READ ? good(it, r, out) :
						      bad(it, r, out);
		it->last_ns = r->time;
		it->has_last = true;
		if (tells)
			return true;
	}
	return false;
}

double an_interval_busy(const struct an_trace *t, const struct an_series *s,
			const struct an_interval *i)
{
	double length = (double)an_interval_length(i) * (double)s->capacity;
	double share;

	if (i->state != AN_INTERVAL_READ || !(length > 0))
		return 0;
	share = i->amount * an_series_time_unit(t, s) / length;
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

bool an_counters_level_at(const struct an_counters *c, uint32_t series,
			  uint64_t time, double *value)
{
	const struct an_series *s = an_series_of(c->t, series);
	const struct an_reading *found = NULL, *v;
	size_t n, low = 0, high;

	v = an_counters_of(c, series, &n);
	if (series >= c->n_series || !is_level(s))
		return false;
	if (c->before[series].state == TF_COUNTER_READ &&
	    c->before[series].time <= time)
		found = &c->before[series];
	for (high = n; low < high;) {
		size_t mid = low + (high - low) / 2;

		if (v[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	while (low > 0 && v[low - 1].state == TF_COUNTER_FAILED)
		low--;
	if (low)
		found = &v[low - 1];
	if (found && found->state == TF_COUNTER_READ)
		*value = (double)found->value * s->scale;
	return found && found->state == TF_COUNTER_READ && isfinite(*value);
}
