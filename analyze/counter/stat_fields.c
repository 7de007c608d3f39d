/* Fields as perf stat -x has them: no names in front, nothing quoted, and a row
 * for each counter, place and interval. */
#include "analyze/counter/groups.h"

#include "analyze/clean.h"
#include "analyze/counter/amount.h"
#include "analyze/counter/series.h"

#include "format/catalog.h"

#include <inttypes.h>
#include <math.h>

/* What stands in front of a row. */
struct front {
	const struct an_stat *s;
	bool timed;
	uint64_t at_ns;
	size_t group;
	double spread; /* behind the event where something was repeated */
};

static void part(const struct an_stat *s)
{
	fputs(s->separator, s->to);
}

static void put_front(const struct front *f)
{
	const struct an_stat *s = f->s;
	const struct an_by_place *g = s->groups;
	const struct an_member *m = an_group_member(g, f->group);
	char text[AN_CPU_PLACE_TEXT] = "";

	if (f->timed) {
		an_stat_print_time(s, f->at_ns);
		part(s);
	}
	if (!f->timed && s->summary_word && an_stat_has_intervals(s)) {
		fprintf(s->to, "%16s", "summary");
		part(s);
	}
	if (g->level == AN_CPU_LEVEL_ALL)
		return;
	if (m->placed)
		an_cpu_place_text(text, g->level, &m->place);
	fputs(text, s->to);
	part(s);
	if (g->level == AN_CPU_LEVEL_ONE)
		return;
	if (m->placed)
		fprintf(s->to, "%" PRIu32, g->v[f->group].cpus);
	part(s);
}

/* Clocks are in ms; else the unit of the counter, whole where nothing is
 * scaled. */
static void put_value(const struct an_stat *s, const struct an_stat_row *r)
{
	const struct an_series *se = an_series_of(s->t, r->series);
	bool clock = an_series_is_clock(s->t, se);
	double value = r->amount;
	bool whole = se->kind == TF_SERIES_COUNT && !clock &&
		     floor(se->scale) >= se->scale;

	if (clock)
		value = an_amount_of(s->t, se, value).value;
	if (r->state == AN_INTERVAL_READ)
		fprintf(s->to, "%.*f", whole ? 0 : 2, value);
	else
		fputs(an_stat_state_text(r->state), s->to);
	part(s);
	if (clock)
		fputs("msec", s->to);
	else
		an_clean_print(s->to, an_string(s->t, se->unit));
	part(s);
}

/* Where something was counted in a cgroup that is a field behind the event. */
static int put_event(const struct an_stat *s, uint32_t series, struct err *err)
{
	const struct an_series *se = an_series_of(s->t, series);
	struct buf name;
	bool failed;

	if (s->groups->cgroups && se->source == TF_SERIES_PMU) {
		an_clean_print(s->to, an_string(s->t, se->name));
		part(s);
		an_clean_print(s->to, an_string(s->t, se->label));
		return 0;
	}
	buf_init(&name, 0);
	an_series_what(s->t, series, &name);
	failed = buf_failed(&name);
	if (!failed)
		an_clean_print(s->to, span_of(name.p, name.n));
	buf_fini(&name);
	if (s->groups->cgroups)
		part(s);
	return failed ? err_nomem(err) : 0;
}

static void put_metric(const struct an_stat *s, const struct an_metric *m)
{
	part(s);
	if (m)
		fprintf(s->to, "%.*f", (int)m->decimals, m->value);
	part(s);
	if (m)
		fputs(m->unit, s->to);
	putc('\n', s->to);
}

/* A further metric has a row whose fields before it are empty. */
static void put_metrics(const struct front *f, const struct an_stat_row *r)
{
	const struct an_stat *s = f->s;
	int n = 4 + (s->totals.runs != 0) + s->groups->cgroups;
	bool none = !r->n_metrics || r->metrics[0].by_wall;

	put_metric(s, none ? NULL : &r->metrics[0]);
	for (size_t i = 1; i < r->n_metrics; i++) {
		put_front(f);
		for (int k = n; k > 0; k--)
			part(s);
		put_metric(s, &r->metrics[i]);
	}
}

static int put_row(const struct front *f, const struct an_stat_row *r,
		   struct err *err)
{
	const struct an_stat *s = f->s;
	int rc;

	put_front(f);
	put_value(s, r);
	rc = put_event(s, r->series, err);
	if (s->totals.runs) {
		part(s);
		fprintf(s->to, "%.2f%%", 100 * f->spread);
	}
	part(s);
	fprintf(s->to, "%" PRIu64, r->running_ns);
	part(s);
	fprintf(s->to, "%.2f", r->running_ns ? 100 * r->share : 100.0);
	put_metrics(f, r);
	return rc;
}

static int put_tick(const struct an_stat *s, uint32_t tick, struct err *err)
{
	struct front f = { .s = s, .timed = true };
	struct an_stat_row row;
	int rc = 0;

	f.at_ns = s->ticks.v[s->ticks.first[tick + 1] - 1].i.end_ns;
	for (size_t i = 0; i < s->groups->n && !rc; i++) {
		f.group = i;
		if (an_group_row_of_tick(&row, s->groups, i, tick))
			rc = put_row(&f, &row, err);
	}
	return rc;
}

int an_stat_fields_intervals(const struct an_stat *s, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->ticks.n_ticks && !rc; i++)
		if (an_stat_tick_is_due(s, i))
			rc = put_tick(s, i, err);
	return rc;
}

int an_stat_fields_summary(const struct an_stat *s, struct err *err)
{
	const struct an_by_place *g = s->groups;
	struct an_stat_row row;
	int rc = 0;

	for (size_t i = 0; i < g->n && !rc; i += an_group_runs(g, i)) {
		struct front f = { .s = s, .group = i };

		if (an_group_member(g, i)->run)
			an_group_row_of_runs(&row, g, i, &f.spread);
		else
			an_group_row_of_total(&row, g, i);
		rc = put_row(&f, &row, err);
	}
	return rc;
}
