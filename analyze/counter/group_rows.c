/* What the series of a group come to together. */
#include "analyze/counter/groups.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <math.h>

/* Members as they are added up. */
struct sum {
	double amount;
	size_t n, read;
	uint64_t enabled_ns;
};

static void add(struct an_stat_row *out, struct sum *sum,
		enum an_interval_state state, double amount)
{
	if (!sum->n++ || state == AN_INTERVAL_READ)
		out->state = state;
	if (state != AN_INTERVAL_READ)
		return;
	sum->amount += amount;
	sum->read++;
}

static void add_times(struct an_stat_row *out, struct sum *sum,
		      uint64_t length_ns, uint64_t enabled_ns,
		      uint64_t running_ns)
{
	if (length_ns > out->length_ns)
		out->length_ns = length_ns;
	out->running_ns += running_ns;
	sum->enabled_ns += enabled_ns;
}

static void finish(struct an_stat_row *out, const struct an_stat *s,
		   const struct sum *sum)
{
	bool counts = an_series_of(s->t, out->series)->kind == TF_SERIES_COUNT;

	if (out->running_ns < sum->enabled_ns)
		out->share = (double)out->running_ns / (double)sum->enabled_ns;
	if (!sum->read)
		return;
	out->amount = counts ? sum->amount : sum->amount / (double)sum->read;
	if (!isfinite(out->amount)) {
		out->amount = 0;
		out->state = AN_INTERVAL_FAILED;
	}
}

static struct an_stat_row begin(const struct an_by_place *g, size_t group)
{
	return (struct an_stat_row){ .series =
					     an_group_member(g, group)->series,
				     .state = AN_INTERVAL_FAILED,
				     .share = 1 };
}

static bool is_none(const struct an_by_place *g, size_t group)
{
	const struct an_total *t = an_totals_find(
		&g->s->totals, an_group_member(g, group)->series);

	return t && t->state == AN_INTERVAL_NONE;
}

/* How many members have a row. */
static size_t sum_tick(struct an_stat_row *out, const struct an_by_place *g,
		       size_t group, uint32_t tick)
{
	const struct an_group *v = &g->v[group];
	struct sum sum = { 0 };

	*out = begin(g, group);
	for (size_t i = v->first; i < v->first + v->n; i++) {
		const struct an_tick_row *r =
			an_ticks_find(&g->s->ticks, tick, g->members[i].series);

		if (!r)
			continue;
		add(out, &sum, r->i.state, r->i.amount);
		add_times(out, &sum, an_interval_length(&r->i), r->i.enabled_ns,
			  r->i.running_ns);
	}
	finish(out, g->s, &sum);
	return sum.n;
}

static void sum_total(struct an_stat_row *out, const struct an_by_place *g,
		      size_t group)
{
	const struct an_group *v = &g->v[group];
	struct sum sum = { 0 };

	*out = begin(g, group);
	for (size_t i = v->first; i < v->first + v->n; i++) {
		const struct an_total *t = an_totals_find(&g->s->totals,
							  g->members[i].series);

		if (!t)
			continue;
		add(out, &sum, t->state, t->amount);
		add_times(out, &sum, t->known_ns, t->enabled_ns, t->running_ns);
	}
	finish(out, g->s, &sum);
}

/* Rates are by the mean length of the runs. */
static void sum_runs(struct an_stat_row *out, const struct an_by_place *g,
		     size_t group, double *spread)
{
	size_t n = an_group_runs(g, group), read = 0;
	double length = 0, running = 0, share = 0;
	struct an_stat_row row;

	*out = begin(g, group);
	*spread = 0;
	for (size_t i = 0; i < n; i++) {
		sum_total(&row, g, group + i);
		if (!i)
			out->state = row.state;
		if (row.state != AN_INTERVAL_READ)
			continue;
		g->values[read++] = row.amount;
		length +=
			g->s->totals
				.elapsed_ns[an_group_member(g, group + i)->run];
		running += (double)row.running_ns;
		share += row.share;
	}
	if (!read)
		return;
	out->state = AN_INTERVAL_READ;
	an_spread(g->values, read, &out->amount, spread);
	out->length_ns = (uint64_t)(length / (double)read);
	out->running_ns = (uint64_t)(running / (double)read);
	out->share = share / (double)read;
}

/* -- What it means ---------------------------------------------------------- */

struct asked {
	const struct an_by_place *g;
	uint32_t tick;
};

static bool is_read(const struct an_stat_row *row, double *amount)
{
	if (row->state != AN_INTERVAL_READ)
		return false;
	*amount = row->amount;
	return true;
}

static bool ask_tick(const void *ctx, uint32_t series, double *amount)
{
	const struct asked *a = ctx;
	struct an_stat_row row;

	if (a->g->of[series] == AN_NONE ||
	    !sum_tick(&row, a->g, a->g->of[series], a->tick))
		return false;
	return is_read(&row, amount);
}

static bool ask_total(const void *ctx, uint32_t series, double *amount)
{
	const struct an_by_place *g = ctx;
	struct an_stat_row row;

	if (g->of[series] == AN_NONE)
		return false;
	sum_total(&row, g, g->of[series]);
	return is_read(&row, amount);
}

static bool ask_runs(const void *ctx, uint32_t series, double *amount)
{
	const struct an_by_place *g = ctx;
	struct an_stat_row row;
	double spread;

	if (g->of[series] == AN_NONE)
		return false;
	sum_runs(&row, g, g->of[series], &spread);
	return is_read(&row, amount);
}

bool an_group_row_of_tick(struct an_stat_row *out, const struct an_by_place *g,
			  size_t group, uint32_t tick)
{
	const struct asked a = { g, tick };

	if (!sum_tick(out, g, group, tick)) {
		out->state = AN_INTERVAL_NONE;
		return is_none(g, group);
	}
	an_stat_find_metrics(out, g->s, ask_tick, &a);
	return true;
}

void an_group_row_of_total(struct an_stat_row *out, const struct an_by_place *g,
			   size_t group)
{
	sum_total(out, g, group);
	an_stat_find_metrics(out, g->s, ask_total, g);
}

void an_group_row_of_runs(struct an_stat_row *out, const struct an_by_place *g,
			  size_t group, double *spread)
{
	sum_runs(out, g, group, spread);
	an_stat_find_metrics(out, g->s, ask_runs, g);
}
