#include "analyze/counter/groups.h"

#include "analyze/counter/series.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>

/* Places times what cannot be had: more are only in a file that was made to
 * exhaust memory. */
#define MAX_COPIES (1u << 20)

static int by_place(const struct an_member *x, const struct an_member *y)
{
	int order = CMP(y->placed, x->placed); /* those of no CPU are last */

	return order ? order : an_cpu_place_order(&x->place, &y->place);
}

/* All but CPU and run. */
static int by_identity(const struct an_series *x, const struct an_series *y)
{
	int order = CMP(x->name, y->name);

	order = order ? order : CMP(x->device, y->device);
	order = order ? order : CMP(x->part, y->part);
	order = order ? order : CMP(x->label, y->label);
	order = order ? order : CMP(x->pid, y->pid);
	order = order ? order : CMP(x->client, y->client);
	order = order ? order : CMP(x->event, y->event);
	return order ? order : CMP(x->machine, y->machine);
}

/* What qsort() is to know of a member. */
struct sorted {
	struct an_member m;
	const struct an_series *s;
};

static int by_line(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	int order = by_place(&x->m, &y->m);

	return order ? order : by_identity(x->s, y->s);
}

static int by_all(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	int order = by_line(a, b);

	order = order ? order : CMP(x->m.run, y->m.run);
	return order ? order : CMP(x->m.series, y->m.series);
}

static int add(struct an_by_place *g, const struct an_member *m,
	       struct err *err)
{
	if (!mem_grow(&g->members, &g->cap, g->n_members + 1,
		      sizeof(*g->members)))
		return err_nomem(err);
	g->members[g->n_members++] = *m;
	return 0;
}

static bool is_copied(const struct an_by_place *g, const struct an_total *v)
{
	return g->level != AN_CPU_LEVEL_ALL && g->by_cpu &&
	       v->state == AN_INTERVAL_NONE &&
	       an_series_of(g->s->t, v->series)->cpu < 0;
}

static int add_series(struct an_by_place *g, const struct an_total *v,
		      struct err *err)
{
	const struct an_trace *t = g->s->t;
	const struct an_series *s = an_series_of(t, v->series);
	struct an_member m = { .series = v->series, .run = s->run };

	m.placed = g->level != AN_CPU_LEVEL_ALL && s->cpu >= 0;
	if (m.placed &&
	    !an_cpu_place_of(&m.place, t, g->level, s->machine, s->cpu))
		return err_set(err, ERR_UNSUPPORTED, "%s does not tell where "
			       "CPU %d lies (try: rec stat -A)",
			       an_trace_path(t), (int)s->cpu);
	return add(g, &m, err);
}

static int sort_members(struct an_by_place *g, struct err *err)
{
	struct sorted *v = calloc(g->n_members + 1, sizeof(*v));

	if (!v)
		return err_nomem(err);
	for (size_t i = 0; i < g->n_members; i++)
		v[i] = (struct sorted){ g->members[i],
					an_series_of(g->s->t,
						     g->members[i].series) };
	qsort(v, g->n_members, sizeof(*v), by_all);
	for (size_t i = 0; i < g->n_members; i++)
		g->members[i] = v[i].m;
	free(v);
	return 0;
}

/* The members are in the order of their places. */
static int copy_to_places(struct an_by_place *g, const struct an_total *v,
			  size_t n_placed, struct err *err)
{
	const struct an_series *s = an_series_of(g->s->t, v->series);
	struct an_member m = { .series = v->series,
			       .run = s->run,
			       .placed = true,
			       .copied = true };
	int rc = 0;

	for (size_t i = 0; i < n_placed && !rc; i++) {
		const struct an_member *at = &g->members[i];

		if (!at->placed || at->place.machine != s->machine ||
		    (i && !by_place(at, at - 1)))
			continue;
		if (g->n_members - n_placed >= MAX_COPIES)
			return err_set(err, ERR_LIMIT, "%s: more places of "
				       "CPUs than any machine has",
				       an_trace_path(g->s->t));
		m.place = at->place;
		rc = add(g, &m, err);
	}
	return rc;
}

static bool is_in_cgroup(const struct an_trace *t, uint32_t series)
{
	const struct an_series *s = an_series_of(t, series);

	return s->source == TF_SERIES_PMU && an_string(t, s->label).n;
}

/* What there is, before it is put anywhere. */
static int look(struct an_by_place *g, struct err *err)
{
	const struct an_totals *t = &g->s->totals;

	for (size_t i = 0; i < t->n; i++) {
		const struct an_series *s =
			an_series_of(g->s->t, t->v[i].series);

		if (an_series_is_whole(g->s->t, s))
			continue;
		g->cgroups |= is_in_cgroup(g->s->t, t->v[i].series);
		g->more |= t->v[i].state != AN_INTERVAL_NONE;
		g->by_cpu |= s->cpu >= 0;
	}
	if (g->by_cpu || !g->more || g->s->told ||
	    g->level == AN_CPU_LEVEL_ALL)
		return 0;
	return err_set(err, ERR_UNSUPPORTED, "%s: nothing was counted by CPU "
		       "(try: rec stat -a -A)", an_trace_path(g->s->t));
}

static int add_all(struct an_by_place *g, struct err *err)
{
	const struct an_totals *t = &g->s->totals;
	size_t n_placed;
	int rc = 0;

	for (size_t i = 0; i < t->n && !rc; i++)
		if (!an_series_is_whole(
			    g->s->t, an_series_of(g->s->t, t->v[i].series)) &&
		    !is_copied(g, &t->v[i]))
			rc = add_series(g, &t->v[i], err);
	if (!rc && g->n_members)
		rc = sort_members(g, err);
	n_placed = g->n_members;
	for (size_t i = 0; i < t->n && !rc; i++)
		if (is_copied(g, &t->v[i]))
			rc = copy_to_places(g, &t->v[i], n_placed, err);
	if (!rc && g->n_members > n_placed)
		rc = sort_members(g, err);
	return rc;
}

static bool is_same_line(const struct an_by_place *g, size_t a, size_t b)
{
	const struct an_member *x = &g->members[a], *y = &g->members[b];

	return !by_place(x, y) && x->copied == y->copied &&
	       !by_identity(an_series_of(g->s->t, x->series),
			    an_series_of(g->s->t, y->series));
}

/* The members of a line: a group for each run. */
static void add_line(struct an_by_place *g, size_t from, size_t to)
{
	uint32_t order = UINT32_MAX;
	size_t first = g->n;

	for (size_t i = from; i < to; i++) {
		const struct an_member *m = &g->members[i];

		/* One without a place is by itself. */
		if (i == from || m->run != m[-1].run ||
		    (!m->placed && g->level == AN_CPU_LEVEL_ALL))
			g->v[g->n++] = (struct an_group){ .first = i };
		g->v[g->n - 1].n++;
		if (m->series < order)
			order = m->series;
	}
	for (size_t i = first; i < g->n; i++) {
		g->v[i].order = order;
		g->v[i].cpus = (uint32_t)g->v[i].n;
	}
}

/* What stands at a place without having been counted there is of its CPUs. */
static void find_cpus(struct an_by_place *g)
{
	for (size_t from = 0, to; from < g->n; from = to) {
		const struct an_member *at = an_group_member(g, from);
		uint32_t most = 0;

		for (to = from;
		     to < g->n && !by_place(at, an_group_member(g, to)); to++)
			if (!an_group_member(g, to)->copied &&
			    g->v[to].cpus > most)
				most = g->v[to].cpus;
		for (size_t i = from; i < to; i++)
			if (an_group_member(g, i)->copied)
				g->v[i].cpus = most;
	}
}

/* As they are printed. */
struct printed {
	struct an_group v;
	const struct an_member *m;
	bool by_event; /* before the place */
};

static int by_print(const void *a, const void *b)
{
	const struct printed *x = a, *y = b;
	int order = x->by_event ? CMP(x->v.order, y->v.order) : 0;

	order = order ? order : by_place(x->m, y->m);
	order = order ? order : CMP(x->v.order, y->v.order);
	return order ? order : CMP(x->m->run, y->m->run);
}

static int sort_groups(struct an_by_place *g, struct err *err)
{
	struct printed *v = calloc(g->n + 1, sizeof(*v));

	if (!v)
		return err_nomem(err);
	for (size_t i = 0; i < g->n; i++)
		v[i] = (struct printed){ g->v[i], an_group_member(g, i),
					 g->level <= AN_CPU_LEVEL_ONE };
	qsort(v, g->n, sizeof(*v), by_print);
	for (size_t i = 0; i < g->n; i++)
		g->v[i] = v[i].v;
	free(v);
	return 0;
}

static void find_groups(struct an_by_place *g)
{
	for (uint32_t i = 0; i < an_n_series(g->s->t); i++)
		g->of[i] = AN_NONE;
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++) {
			const struct an_member *m =
				&g->members[g->v[i].first + k];

			if (!m->copied)
				g->of[m->series] = (uint32_t)i;
		}
}

int an_by_place_make(struct an_by_place *out, const struct an_stat *s,
		     enum an_cpu_level level, struct err *err)
{
	struct an_by_place *g = out;
	int rc;

	*g = (struct an_by_place){ .s = s, .level = level };
	rc = look(g, err);
	if (!rc)
		rc = add_all(g, err);
	if (rc)
		return rc;
	g->v = calloc(g->n_members + 1, sizeof(*g->v));
	g->of = calloc((size_t)an_n_series(s->t) + 1, sizeof(*g->of));
	g->values = calloc(g->n_members + 1, sizeof(*g->values));
	if (!g->v || !g->of || !g->values)
		return err_nomem(err);
	for (size_t from = 0, to; from < g->n_members; from = to) {
		for (to = from + 1;
		     to < g->n_members && is_same_line(g, from, to); to++)
			;
		add_line(g, from, to);
	}
	find_cpus(g);
	rc = g->n ? sort_groups(g, err) : 0;
	if (!rc)
		find_groups(g);
	return rc;
}

void an_by_place_fini(struct an_by_place *g)
{
	free(g->members);
	free(g->v);
	free(g->of);
	free(g->values);
	*g = (struct an_by_place){ 0 };
}

const struct an_member *an_group_member(const struct an_by_place *g,
					size_t group)
{
	return &g->members[g->v[group].first];
}

size_t an_group_runs(const struct an_by_place *g, size_t group)
{
	size_t to = group + 1;

	while (an_group_member(g, group)->run && to < g->n &&
	       g->v[to].order == g->v[group].order &&
	       !by_place(an_group_member(g, group), an_group_member(g, to)))
		to++;
	return to - group;
}
