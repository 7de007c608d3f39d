#include "analyze/rewrite/feed.h"

#include "analyze/rewrite/feed_state.h"
#include "analyze/rewrite/rewrite_state.h"

#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* As whoever reads samples and definitions: more is only in a file that was
 * made to keep us busy. */
#define ROWS_PER_BYTE 64u
#define ROWS_ALWAYS (64u << 20)
#define DEFINITIONS_PER_BYTE 4u
#define DEFINITIONS_ALWAYS (1u << 20)

void an_feed_fini(struct an_feed *f)
{
	an_renumber_fini(&f->tables);
	*f = (struct an_feed){ 0 };
}

static uint64_t limit_of(const struct an_feed *f, uint64_t per_byte,
			 uint64_t always)
{
	uint64_t n;

	if (ckd_mul(&n, tf_reader_size(f->reader), per_byte) ||
	    ckd_add(&n, n, always))
		return UINT64_MAX;
	return n;
}

static int match_columns(struct an_inlet *in, const struct tf_table *have,
			 const struct tf_table *want, struct err *err)
{
	uint32_t k = 0;

	in->columns = calloc(want->n_columns, sizeof(*in->columns));
	if (!in->columns)
		return err_nomem(err);
	for (uint32_t i = 0; i < want->n_columns; i++) {
		const struct tf_column *c = &want->columns[i];

		while (k < have->n_columns && have->columns[k].id < c->id)
			k++;
		in->columns[i] = -1;
		if (k < have->n_columns && have->columns[k].id == c->id &&
		    have->columns[k].type == c->type &&
		    have->columns[k].list == c->list)
			in->columns[i] = (int)k;
	}
	return 0;
}

static int make_inlets(struct an_feeding *g)
{
	const struct tf_schema *schema = tf_reader_schema(g->f->reader);
	const struct an_renumber *tables = &g->f->tables;
	int rc = 0;

	g->inlets = calloc(tables->n + 1, sizeof(*g->inlets));
	g->inlet_of = malloc((g->shape->n + 1) * sizeof(*g->inlet_of));
	if (!g->inlets || !g->inlet_of)
		return err_nomem(g->err);
	memset(g->inlet_of, 0xff, (g->shape->n + 1) * sizeof(*g->inlet_of));
	for (size_t i = 0; i < tables->n && !rc; i++) {
		struct an_inlet *in = &g->inlets[g->n];
		const struct tf_table *have =
			tf_schema_by_id(schema, tables->v[i].from);
		const struct tf_table *want;

		in->from = tables->v[i].from;
		in->to = an_shape_find(g->shape, tables->v[i].to);
		want = g->shape->v[in->to].table;
		in->is_definition = want->kind == TF_KIND_DEFINITION;
		g->inlet_of[in->to] = (uint32_t)g->n++;
		rc = match_columns(in, have, want, g->err);
	}
	return rc;
}

int an_feed_cursor(struct tf_cursor **out, const struct an_feeding *g,
		   const struct tf_query *like)
{
	struct tf_query *q = calloc(g->n + 1, sizeof(*q));
	int rc;

	if (!q)
		return err_nomem(g->err);
	for (size_t i = 0; i < g->n; i++) {
		q[i] = *like;
		q[i].table = g->inlets[i].from;
	}
	rc = tf_cursor_new_many(out, g->f->reader, q, g->n, g->err);
	free(q);
	return rc;
}

static int open_cursor(struct an_feeding *g)
{
	const struct tf_query all = { .columns = UINT64_MAX,
				      .t_max = UINT64_MAX };

	return an_feed_cursor(&g->cursor, g, &all);
}

static int make_room(struct an_feeding *g)
{
	uint32_t most = 1;

	for (size_t i = 0; i < g->shape->n; i++)
		if (g->shape->v[i].table->n_columns > most)
			most = g->shape->v[i].table->n_columns;
	g->cells = calloc(most, sizeof(*g->cells));
	return g->cells ? 0 : err_nomem(g->err);
}

struct an_inlet *an_inlet_for(const struct an_feeding *g, uint32_t table)
{
	size_t low = 0, high = g->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (g->inlets[mid].from < table)
			low = mid + 1;
		else
			high = mid;
	}
	return &g->inlets[low];
}

static void free_rows(const struct an_feeding *g, struct an_feed_epoch *e)
{
	for (size_t i = 0; e->rows && i < g->n; i++)
		free(e->rows[i].v);
	free(e->rows);
	e->rows = NULL;
}

static int leave(struct an_feeding *g, struct an_feed_epoch *e)
{
	free_rows(g, e);
	return an_rewrite_leave(g->r, e->to, g->err);
}

int an_feed_enter(struct an_feeding *g, uint32_t number)
{
	struct an_feed_epoch *oldest = &g->open[0];
	int rc = 0;

	for (size_t i = 0; i < g->n_open; i++) {
		g->epoch = &g->open[i];
		if (g->epoch->number == number)
			return 0;
		if (g->epoch->number < oldest->number)
			oldest = g->epoch;
	}
	g->epoch = oldest;
	if (g->n_open == TF_MAX_OPEN_EPOCHS)
		rc = leave(g, oldest);
	else
		g->epoch = &g->open[g->n_open];
	if (rc)
		return rc;
	*g->epoch = (struct an_feed_epoch){ .number = number };
	g->epoch->rows = calloc(g->n + 1, sizeof(*g->epoch->rows));
	if (!g->epoch->rows)
		return err_nomem(g->err);
	rc = an_rewrite_enter(g->r, &g->epoch->to, g->err);
	if (rc)
		free_rows(g, g->epoch);
	else if (g->epoch == &g->open[g->n_open])
		g->n_open++;
	return rc;
}

static int fill_cell(struct an_feeding *g, uint32_t column)
{
	const struct an_shape_table *t = &g->shape->v[g->in->to];
	const struct tf_column *c = &t->table->columns[column];
	const struct an_turn *how = &t->turns[column];
	struct an_cell *cell = &g->cells[column];
	int at = g->in->columns[column];
	const struct tf_values *v = at < 0 || !g->view->columns[at].present ?
					    NULL : &g->view->columns[at];

	*cell = (struct an_cell){ .p = "" };
	if (v && c->type == TF_BYTES) {
		struct span s = tf_view_bytes(g->view, (unsigned)at, g->row);

		cell->p = s.p ? s.p : (const uint8_t *)"";
		cell->n = s.n;
		if (c->role == TF_ROLE_TEXT && s.n > TF_MAX_STRING)
			cell->n = TF_MAX_STRING;
	} else if (v && c->list) {
		cell->p = v->items + v->offsets[g->row];
		cell->n = v->offsets[g->row + 1] - v->offsets[g->row];
		if (how->kind == AN_TURN_ROW)
			return an_turn_list(g, how->to, cell);
	} else if (c->type != TF_BYTES && !c->list) {
		cell->v = v ? v->v[g->row] : 0;
		return an_turn_value(g, how, v != NULL, &cell->v);
	}
	return 0;
}

/* Room for all lists of the row, so that they stay where they are. */
static int room_for_lists(struct an_feeding *g)
{
	const struct tf_table *t = g->shape->v[g->in->to].table;
	size_t n = 1;

	for (uint32_t i = 0; i < t->n_columns; i++) {
		int at = g->in->columns[i];

		if (t->columns[i].list && at >= 0 &&
		    g->view->columns[at].present)
			n += g->view->columns[at].offsets[g->row + 1] -
			     g->view->columns[at].offsets[g->row];
	}
	g->n_items = 0;
	return mem_grow(&g->items, &g->items_cap, n, sizeof(*g->items)) ?
		       0 : err_nomem(g->err);
}

/* Row numbers that are skipped over are rows that were lost; more of them than
 * a damaged file can explain are refused. */
static int remember(struct an_feeding *g, struct an_feed_rows *rows, uint64_t row,
		    uint64_t id)
{
	uint64_t holes = row > rows->n ? row - rows->n : 0;

	if (row >= TF_MAX_DEFINITIONS || holes > g->holes_left ||
	    id >= AN_UNKNOWN)
		return err_set(g->err, ERR_LIMIT, "%s: table '%s': row %" PRIu64
			       ": more than a file of this size can hold",
			       g->f->name, g->view->table->name, row);
	if (row >= rows->n) {
		if (!mem_grow(&rows->v, &rows->cap, (size_t)row + 1,
			      sizeof(*rows->v)))
			return err_nomem(g->err);
		while (rows->n <= row)
			rows->v[rows->n++] = AN_UNKNOWN;
	}
	g->holes_left -= holes;
	rows->v[row] = (uint32_t)id;
	return 0;
}

/* Of a lost image nobody knows which one it was: as a row of the one that stands
 * for all of them it would name addresses of others. */
static bool is_of_lost_image(const struct an_feeding *g)
{
	uint32_t image = an_shape_find(g->shape, TF_TABLE_IMAGE);
	uint64_t lost = g->epoch->to->v[image].lost;

	return g->shape->v[g->in->to].table->id == TF_TABLE_SYMBOL && lost &&
	       g->cells[TF_SYMBOL_IMAGE].v == lost - 1;
}

static int take_row(struct an_feeding *g)
{
	const struct an_shape_table *t = &g->shape->v[g->in->to];
	struct an_feed_rows *rows = &g->epoch->rows[g->in - g->inlets];
	uint64_t row, id = 0;
	int rc = 0;

	if (ckd_add(&row, g->view->base_row, (uint64_t)g->row))
		row = UINT64_MAX;
	/* The new trace has its own. */
	if (!row && t->table->id == TF_TABLE_STACK)
		return remember(g, rows, row, 0);
	rc = room_for_lists(g);
	for (uint32_t i = 0; i < t->table->n_columns && !rc; i++)
		rc = fill_cell(g, i);
	if (!rc && is_of_lost_image(g))
		return 0;
	if (!rc)
		rc = an_rewrite_put(g->r, g->epoch->to, g->in->to, g->cells,
				    &id, g->err);
	return rc || !t->is_target ? rc : remember(g, rows, row, id);
}

static void count_missing(struct an_feeding *g)
{
	struct an_feed_rows *rows = &g->epoch->rows[g->in - g->inlets];
	uint64_t *missing = g->in->is_definition ? &g->f->missing_definitions :
						   &g->f->missing;
	uint64_t base = g->view->base_row;

	if (rows->chunk != g->view->chunk + 1)
		rows->began = rows->next;
	rows->chunk = g->view->chunk + 1;
	if (base > rows->next && ckd_add(missing, *missing, base - rows->next))
		*missing = UINT64_MAX;
	if (base >= rows->next &&
	    ckd_add(&rows->next, base, (uint64_t)g->view->rows))
		rows->next = UINT64_MAX;
}

static int count(struct an_feeding *g, uint32_t rows)
{
	uint64_t *left = g->in->is_definition ? &g->definitions_left :
						&g->rows_left;

	if (rows > *left)
		return err_set(g->err, ERR_LIMIT, "%s: more rows than a file "
			       "of this size can hold", g->f->name);
	*left -= rows;
	return 0;
}

/* A column cannot be left out in some rows only, and 0 would be made up. */
static int check_known(const struct an_feeding *g)
{
	const struct tf_table *t = g->shape->v[g->in->to].table;

	for (uint32_t i = 0; i < t->n_columns; i++) {
		int at = g->in->columns[i];

		if (at >= 0 && g->view->columns[at].skipped)
			return err_set(g->err, ERR_NEWER, "%s: table '%s': "
				       "column '%s' is stored in a way that is "
				       "not known here and cannot be written "
				       "again (try: a newer analyze)",
				       g->f->name, g->view->table->name,
				       t->columns[i].name);
	}
	return 0;
}

static int take_view(struct an_feeding *g)
{
	uint32_t n = g->view->rows;
	int rc = an_toll_view(g);

	if (rc)
		return rc;
	g->in = an_inlet_for(g, g->view->table->id);
	if (g->f->no_facts && g->in->from == TF_TABLE_FACT)
		return 0;
	rc = check_known(g);
	if (!rc)
		rc = count(g, n);
	if (!rc)
		rc = an_feed_enter(g, g->view->epoch);
	if (rc)
		return rc;
	count_missing(g);
	if (!mem_grow(&g->kept, &g->kept_cap, n, sizeof(*g->kept)))
		return err_nomem(g->err);
	if (g->f->choose)
		rc = g->f->choose(g->f->ctx, g->view, g->kept, &n, g->err);
	for (uint32_t i = 0; i < n && !rc; i++) {
		g->row = g->f->choose ? g->kept[i] : i;
		rc = take_row(g);
	}
	*(g->in->is_definition ? &g->f->definitions : &g->f->rows) += n;
	return rc;
}

/* Damage of the source is passed over, not that of our own doing. */
static int survive(struct an_feeding *g, int rc)
{
	if (rc == ERR_NOMEM || rc == ERR_IO)
		return rc;
	if (g->f->damage)
		g->f->damage(g->f->ctx, tf_cursor_chunk(g->cursor), g->err);
	return an_toll_damage(g, tf_cursor_chunk(g->cursor));
}

static int take_all(struct an_feeding *g)
{
	int rc = 0;

	while (!rc) {
		rc = tf_cursor_next(g->cursor, &g->view, g->err);
		if (rc < 0)
			rc = survive(g, rc);
		else if (!rc)
			rc = take_view(g);
	}
	return rc < 0 ? rc : an_toll_settle(g);
}

int an_feed_run(struct an_feed *f, struct an_rewrite *to,
		const struct an_shape *shape, struct err *err)
{
	struct err own = { .code = 0 };
	struct an_feeding *g = calloc(1, sizeof(*g));
	int rc;

	if (!g)
		return err_nomem(err);
	g->f = f;
	g->r = to;
	g->shape = shape;
	g->err = err ? err : &own;
	g->rows_left = limit_of(f, ROWS_PER_BYTE, ROWS_ALWAYS);
	g->definitions_left = limit_of(f, DEFINITIONS_PER_BYTE,
				       DEFINITIONS_ALWAYS);
	g->holes_left = g->definitions_left;
	rc = make_inlets(g);
	if (!rc)
		rc = make_room(g);
	if (!rc)
		rc = open_cursor(g);
	if (!rc)
		rc = take_all(g);
	for (size_t i = 0; i < g->n_open; i++) {
		if (!rc)
			rc = leave(g, &g->open[i]);
		free_rows(g, &g->open[i]);
	}
	tf_cursor_free(g->cursor);
	tf_cursor_free(g->toll.finder);
	for (size_t i = 0; i < g->n; i++)
		free(g->inlets[i].columns);
	free(g->inlets);
	free(g->inlet_of);
	free(g->cells);
	free(g->items);
	free(g->kept);
	free(g);
	return rc;
}
