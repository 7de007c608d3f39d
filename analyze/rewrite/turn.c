/* What becomes of a value on its way into a new trace. */
#include "analyze/rewrite/feed_state.h"

#include "format/base/time.h"
#include "format/catalog.h"

#include <inttypes.h>

/* What a row of another table is now. */
static int turn_row(struct an_feeding *g, uint32_t to, uint64_t row, uint64_t *out)
{
	uint32_t at = to == AN_NOWHERE ? AN_NOWHERE : g->inlet_of[to];
	uint32_t table;
	const struct an_feed_rows *rows;

	*out = 0;
	if (at == AN_NOWHERE)
		return 0;
	rows = &g->epoch->rows[at];
	table = g->inlets[at].from;
	/* A stack cannot stand on itself. */
	if (&g->inlets[at] == g->in && row == g->view->base_row + g->row &&
	    table != TF_TABLE_STACK) {
		*out = AN_SELF;
		return 0;
	}
	if (row < rows->n && rows->v[row] != AN_UNKNOWN) {
		*out = rows->v[row];
		return 0;
	}
	if (!row && (table == TF_TABLE_STRING || table == TF_TABLE_STACK))
		return 0;
	g->f->nameless++;
	return an_rewrite_lost(g->r, g->epoch->to, to, out, g->err);
}

int an_turn_list(struct an_feeding *g, uint32_t to, struct an_cell *cell)
{
	const uint64_t *from = cell->p;
	uint64_t *items = g->items + g->n_items;

	cell->p = items;
	for (size_t i = 0; i < cell->n; i++) {
		int rc = turn_row(g, to, from[i], &items[i]);

		if (rc)
			return rc;
		if (items[i] == AN_SELF)
			items[i] = 0;
	}
	g->n_items += cell->n;
	return 0;
}

static int refuse_time(const struct an_feeding *g, uint64_t time, bool back)
{
	uint64_t begin = 0 - g->f->shift;

	if (!back)
		return err_set(g->err, ERR_USAGE, "'%s': a row at " TIME_MOMENT
			       " s is later than any time on the clock of '%s', "
			       "which is " TIME_MOMENT " s ahead", g->f->name,
			       TIME_MOMENT_OF(time), g->f->first,
			       TIME_MOMENT_OF(g->f->shift));
	return err_set(g->err, ERR_USAGE, "'%s': a row at " TIME_MOMENT " s is "
		       "from before the clock of '%s' began, at " TIME_MOMENT
		       " s of this file's clock (try: name '%s' first)",
		       g->f->name, TIME_MOMENT_OF(time), g->f->first,
		       TIME_MOMENT_OF(begin), g->f->name);
}

/* A definition may be older than the clock of the new trace. */
static int turn_time(struct an_feeding *g, uint64_t *v)
{
	uint64_t shift = g->f->shift, moved = *v + shift;
	bool back = shift >> 63;

	if (!*v || !shift)
		return 0;
	if ((moved > *v) != back) {
		*v = moved;
		return 0;
	}
	if (!g->in->is_definition)
		return refuse_time(g, *v, back);
	*v = back ? 1 : UINT64_MAX;
	return 0;
}

static bool has_build_id(const struct an_feeding *g)
{
	int at = g->in->columns[TF_IMAGE_BUILD_ID];

	return at >= 0 && tf_view_bytes(g->view, (unsigned)at, g->row).n;
}

int an_turn_value(struct an_feeding *g, const struct an_turn *t, bool is_there,
		uint64_t *v)
{
	uint32_t table;
	int rc = 0;

	switch (t->kind) {
	case AN_TURN_COPY:
		break;
	case AN_TURN_TIME:
		rc = turn_time(g, v);
		break;
	case AN_TURN_ROW:
		rc = turn_row(g, t->to, *v, v);
		break;
	case AN_TURN_ROW_ONE:
		if (!*v)
			break;
		rc = turn_row(g, t->to, *v - 1, v);
		*v = *v == AN_SELF ? 0 : *v + 1;
		break;
	case AN_TURN_TABLE:
		if (*v >= TF_TABLE_DYNAMIC &&
		    an_renumber_get(&g->f->tables, *v, &table))
			*v = table;
		break;
	case AN_TURN_SOURCE:
		if (!is_there)
			*v = g->f->source;
		break;
	case AN_TURN_GENERATION:
		if (g->f->apart && !has_build_id(g))
			*v += g->f->apart << 32;
		break;
	}
	return rc;
}
