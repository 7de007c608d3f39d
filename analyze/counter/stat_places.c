/* Lines for people, of places: as perf stat --per-core has them. */
#include "analyze/counter/groups.h"

#include "format/base/time.h"

#include <inttypes.h>

void an_stat_print_time(const struct an_stat *s, uint64_t end_ns)
{
	uint64_t at = end_ns > s->zero_ns ? end_ns - s->zero_ns : 0;

	fprintf(s->to, "%6" PRIu64 ".%09" PRIu64, at / NSEC_PER_SEC,
		at % NSEC_PER_SEC);
}

void an_stat_places_title(const struct an_stat *s)
{
	fprintf(s->to, "%-*s cpus ", an_cpu_place_width(s->groups->level),
		an_cpu_place_word(s->groups->level));
}

static void print_place(const struct an_stat *s, size_t group)
{
	const struct an_by_place *g = s->groups;
	const struct an_member *m = an_group_member(g, group);
	char text[AN_CPU_PLACE_TEXT] = "";
	int width = an_cpu_place_width(g->level);

	if (!m->placed) {
		fprintf(s->to, "%-*s", width + 5, "");
		return;
	}
	an_cpu_place_text(text, g->level, &m->place);
	fprintf(s->to, "%-*s %4" PRIu32, width, text, g->v[group].cpus);
}

/* What cannot be had has no tick of its own, unless there is nothing else. */
bool an_stat_tick_is_due(const struct an_stat *s, uint32_t tick)
{
	bool any = s->groups->more, due = false;

	for (size_t i = s->ticks.first[tick]; i < s->ticks.first[tick + 1];
	     i++) {
		const struct an_tick_row *r = &s->ticks.v[i];

		if (any && r->i.state == AN_INTERVAL_NONE)
			continue;
		due |= !s->told || an_told_take(s->told, r);
	}
	return due;
}

static int print_tick(const struct an_stat *s, uint32_t tick,
		      const struct an_stat_widths *w, struct err *err)
{
	uint64_t at = s->ticks.v[s->ticks.first[tick + 1] - 1].i.end_ns;
	struct an_stat_row row;
	int rc = 0;

	for (size_t i = 0; i < s->groups->n && !rc; i++) {
		if (!an_group_row_of_tick(&row, s->groups, i, tick))
			continue;
		an_stat_print_time(s, at);
		putc(' ', s->to);
		print_place(s, i);
		rc = an_stat_row_text(s, &row, w, -1, err);
		putc('\n', s->to);
	}
	return rc;
}

int an_stat_places_intervals(const struct an_stat *s,
			     const struct an_stat_widths *w, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->ticks.n_ticks && !rc; i++)
		if (an_stat_tick_is_due(s, i))
			rc = print_tick(s, i, w, err);
	return rc;
}

int an_stat_places_summary(const struct an_stat *s,
			   const struct an_stat_widths *w, struct err *err)
{
	const struct an_by_place *g = s->groups;
	struct an_stat_row row;
	int rc = 0;

	for (size_t i = 0, n; i < g->n && !rc; i += n) {
		double spread = -1;

		n = an_group_runs(g, i);
		if (an_group_member(g, i)->run)
			an_group_row_of_runs(&row, g, i, &spread);
		else
			an_group_row_of_total(&row, g, i);
		print_place(s, i);
		rc = an_stat_row_text(s, &row, w, n > 1 ? spread : -1, err);
		putc('\n', s->to);
	}
	return rc;
}
