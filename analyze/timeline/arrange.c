#include "analyze/timeline/merge.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

static int by_begin(const void *a, const void *b)
{
	const struct an_span *x = a, *y = b;
	int c = CMP(x->from, y->from);

	if (!c)
		c = CMP(y->to, x->to);
	return c ? c : CMP(x->name, y->name);
}

static int by_time(const void *a, const void *b)
{
	const struct an_step *x = a, *y = b;

	return CMP(x->time, y->time);
}

/* The first row that is free at the span's beginning. Where the last row is not,
 * the span belongs into the block that lies there. */
static uint16_t row_for(const uint64_t *ends, const bool *used,
			const struct an_span *s)
{
	uint16_t i;

	for (i = 0; i < AN_MAX_ROWS - 1; i++)
		if (!used[i] || ends[i] <= s->from)
			break;
	return i;
}

static void give_rows(struct an_lane *l)
{
	uint64_t ends[AN_MAX_ROWS] = { 0 }, longest = 0;
	bool used[AN_MAX_ROWS] = { 0 };
	struct an_span *last = NULL; /* in the last row */
	size_t n = 0;

	for (size_t i = 0; i < l->n_spans; i++) {
		struct an_span s = l->spans[i];

		s.row = row_for(ends, used, &s);
		if (s.row == AN_MAX_ROWS - 1 && last && s.from < last->to) {
			an_block_add(last, &s, &longest);
			ends[s.row] = last->to;
			continue;
		}
		l->spans[n] = s;
		ends[s.row] = s.to;
		used[s.row] = true;
		if (s.row >= l->rows)
			l->rows = s.row + 1u;
		if (s.row == AN_MAX_ROWS - 1) {
			last = &l->spans[n];
			longest = s.busy;
		}
		n++;
	}
	l->n_spans = n;
	if (l->kind == AN_LANE_COUNTER)
		return;
	l->merged = 0;
	for (size_t i = 0; i < n; i++)
		if (l->spans[i].count > 1)
			l->merged += l->spans[i].count;
}

static size_t group_at(const struct an_timeline *tl, uint32_t text)
{
	size_t i = 0;

	while (i < tl->n_groups && tl->groups[i] != text)
		i++;
	return i;
}

static int by_place(const void *a, const void *b, void *ctx)
{
	const struct an_lane *x = a, *y = b;
	const struct an_timeline *tl = ctx;
	int c = CMP(group_at(tl, x->group), group_at(tl, y->group));

	if (!c)
		c = CMP(x->rank, y->rank);
	return c ? c : CMP(x->order, y->order);
}

static void drop_empty(struct an_timeline *tl)
{
	size_t n = 0;

	for (size_t i = 0; i < tl->n; i++) {
		struct an_lane *l = &tl->lanes[i];

		if (l->n_spans || l->n_steps) {
			tl->lanes[n++] = *l;
		} else {
			free(l->spans);
			free(l->steps);
		}
	}
	tl->n = n;
}

static void note_time(struct an_timeline *tl, uint64_t from, uint64_t to)
{
	if (from < tl->t_min)
		tl->t_min = from;
	if (to > tl->t_max)
		tl->t_max = to;
}

static void find_bounds(struct an_timeline *tl)
{
	if (tl->t_min || tl->t_max != UINT64_MAX)
		return;
	tl->t_min = UINT64_MAX;
	tl->t_max = 0;
	for (size_t i = 0; i < tl->n; i++) {
		const struct an_lane *l = &tl->lanes[i];

		for (size_t k = 0; k < l->n_spans; k++)
			note_time(tl, l->spans[k].from, l->spans[k].to);
		for (size_t k = 0; k < l->n_steps; k++)
			note_time(tl, l->steps[k].time, l->steps[k].time);
	}
	if (tl->t_min > tl->t_max)
		tl->t_min = tl->t_max = 0;
}

void an_lane_arrange(struct an_lane *l)
{
	if (l->n_spans)
		qsort(l->spans, l->n_spans, sizeof(*l->spans), by_begin);
	if (l->n_steps)
		qsort(l->steps, l->n_steps, sizeof(*l->steps), by_time);
	give_rows(l);
}

void an_timeline_arrange(struct an_timeline *tl)
{
	drop_empty(tl);
	if (tl->n)
		qsort_r(tl->lanes, tl->n, sizeof(*tl->lanes), by_place, tl);
	for (size_t i = 0; i < tl->n; i++)
		an_lane_arrange(&tl->lanes[i]);
	find_bounds(tl);
}
