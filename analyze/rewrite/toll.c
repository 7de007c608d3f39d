#include "analyze/rewrite/feed_state.h"

#include "format/base/mem.h"

/* Chunks before the damaged one are of no more use. */
static bool is_ahead(const void *ctx, size_t i, const struct tf_chunk_info *c)
{
	const struct an_toll *t = ctx;

	(void)c;
	return i >= t->hurt;
}

static int open_finder(struct an_feeding *g)
{
	const struct tf_query ahead = { .t_max = UINT64_MAX, .chunk = is_ahead,
					.chunk_ctx = &g->toll };

	return an_feed_cursor(&g->toll.finder, g, &ahead);
}

/* The next part that a directory tells of, or the next damaged directory. */
static int find(struct an_feeding *g)
{
	struct an_toll *t = &g->toll;
	struct err why;

	t->rc = tf_cursor_find(t->finder, &t->place, &why);
	t->at = t->rc == 0 ? t->place.chunk :
		t->rc < 0 ? tf_cursor_chunk(t->finder) : SIZE_MAX;
	if (t->rc == ERR_NOMEM || t->rc == ERR_IO)
		return err_set(g->err, t->rc, "%s", why.text);
	return 0;
}

/* Adds up the rows of each table in the damaged chunk. */
static int add_up(struct an_feeding *g, bool *all)
{
	struct an_toll *t = &g->toll;
	int rc = 0;

	for (size_t i = 0; i < g->n; i++)
		g->inlets[i].announced = 0;
	if (!t->finder) {
		rc = open_finder(g);
		if (!rc)
			rc = find(g);
	}
	while (!rc && t->at < t->hurt)
		rc = find(g);
	*all = !rc && t->at == t->hurt;
	for (; !rc && t->at == t->hurt; rc = find(g)) {
		if (t->rc)
			*all = false;
		else
			an_inlet_for(g, t->place.table)->announced +=
				t->place.rows;
	}
	return rc;
}

/* What the next row's number tells already is not counted again. */
static void count_table(struct an_feeding *g, const struct an_inlet *in)
{
	struct an_feed_rows *rows = &g->epoch->rows[in - g->inlets];
	uint64_t *missing = in->is_definition ? &g->f->missing_definitions :
						&g->f->missing;
	uint64_t end;

	if (rows->chunk != g->toll.hurt + 1)
		rows->began = rows->next;
	if (ckd_add(&end, rows->began, in->announced) || end <= rows->next)
		return;
	if (ckd_add(missing, *missing, end - rows->next))
		*missing = UINT64_MAX;
	rows->next = end;
}

int an_toll_settle(struct an_feeding *g)
{
	const struct tf_chunk_info *c;
	bool all;
	int rc;

	if (!g->toll.is_hurt)
		return 0;
	g->toll.is_hurt = false;
	c = tf_reader_chunk(g->f->reader, g->toll.hurt);
	rc = add_up(g, &all);
	if (!rc && !all && g->f->uncounted)
		g->f->uncounted(g->f->ctx, g->toll.hurt);
	for (size_t i = 0; i < g->n && !rc; i++) {
		if (!g->inlets[i].announced)
			continue;
		rc = an_feed_enter(g, c->epoch);
		if (!rc)
			count_table(g, &g->inlets[i]);
	}
	return rc;
}

int an_toll_damage(struct an_feeding *g, size_t chunk)
{
	int rc = 0;

	if (g->toll.is_hurt && g->toll.hurt != chunk)
		rc = an_toll_settle(g);
	g->toll.is_hurt = true;
	g->toll.hurt = chunk;
	return rc;
}

int an_toll_view(struct an_feeding *g)
{
	return g->toll.is_hurt && g->toll.hurt != g->view->chunk ?
		       an_toll_settle(g) : 0;
}
