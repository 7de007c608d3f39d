#include "analyze/rewrite/keep.h"

#include "analyze/counter/series.h"
#include "analyze/recall.h"
#include "analyze/rewrite/keep_state.h"
#include "analyze/selection/prune.h"
#include "analyze/selection/rows.h"
#include "analyze/trace_data.h"
#include "analyze/tracepoint/sources.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>

/* Addresses in payloads beyond this many different ones stay without a name. */
#define MAX_POINTERS (1u << 20)

uint64_t an_keep_value(const struct tf_view *v, unsigned column, uint32_t row)
{
	return v->columns[column].present && v->columns[column].v ?
		       v->columns[column].v[row] : 0;
}

const struct an_keep_table *an_keep_table_of(const struct an_keep *k,
					     uint32_t table)
{
	size_t low = 0, high = k->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->tables[mid].table->id < table)
			low = mid + 1;
		else
			high = mid;
	}
	return low < k->n && k->tables[low].table->id == table ?
		       &k->tables[low] : NULL;
}

/* Position of a column in the table of the file; -1: it is not there so. */
static int position_of(const struct tf_table *t, const struct tf_column *c)
{
	for (uint32_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].id == c->id)
			return t->columns[i].type == c->type &&
			       t->columns[i].list == c->list ? (int)i : -1;
	return -1;
}

/* Columns from 64 on are there without being asked for. */
static uint64_t bit(int position)
{
	return position >= 0 && position < 64 ? (uint64_t)1 << position : 0;
}

static int find_refs(struct an_keep *k, struct an_keep_table *tb,
		     struct err *err)
{
	const struct an_shape_table *s = &k->shape.v[tb->position];
	struct an_keep_ref *refs;

	refs = arena_alloc(&k->shape.memory,
			   (s->table->n_columns + 1) * sizeof(*refs));
	if (!refs)
		return err_nomem(err);
	for (uint32_t i = 0; i < s->table->n_columns; i++) {
		const struct an_turn *turn = &s->turns[i];
		int at = position_of(tb->table, &s->table->columns[i]);

		if ((turn->kind != AN_TURN_ROW &&
		     turn->kind != AN_TURN_ROW_ONE) ||
		    turn->to == AN_NOWHERE || at < 0)
			continue;
		refs[tb->n_refs++] = (struct an_keep_ref){
			.column = (unsigned)at,
			.to = turn->to,
			.and_one = turn->kind == AN_TURN_ROW_ONE,
		};
		tb->mask |= bit(at);
	}
	tb->refs = refs;
	return 0;
}

/* What the rows of a table cannot be chosen by chooses them all: marks are of
 * no CPU and no event. */
static void narrow(struct an_keep_table *tb, const struct an_selection *sel)
{
	const int *at = tb->columns.at;
	struct an_selection *s = &tb->sel;

	*s = *sel;
	if (at[TF_SAMPLE_TIME] < 0) {
		s->t_min = 0;
		s->t_max = UINT64_MAX;
	}
	if (at[TF_SAMPLE_CPU] < 0)
		s->cpu_bits = NULL;
	if (at[TF_SAMPLE_THREAD] < 0)
		s->thread = NULL;
	if (at[TF_SAMPLE_EVENT] < 0)
		s->event = NULL;
	if (at[TF_SAMPLE_IP] < 0)
		s->leaf = s->through = NULL;
}

static void find_pointers(struct an_keep_table *tb)
{
	const struct tf_table *t = tb->table;

	for (uint32_t i = TF_PAYLOAD_POSITION; i < t->n_columns && i < 64; i++)
		if (t->id >= TF_TABLE_DYNAMIC && t->columns[i].type == TF_U64 &&
		    !t->columns[i].list &&
		    t->columns[i].privacy == TF_PRIVACY_ADDRESS)
			tb->pointers |= bit((int)i);
}

static int find_table(struct an_keep *k, struct an_keep_table *tb,
		      const struct an_sources *sources, struct err *err)
{
	const struct an_source *s = an_sources_of(sources, tb->table->id);
	int rc = find_refs(k, tb, err);

	tb->key = tb->other = -1;
	if (rc || tb->is_definition)
		return rc;
	an_columns_match(&tb->columns, tf_catalog_table(TF_TABLE_SAMPLE),
			 tb->table, UINT64_MAX);
	if (s) {
		tb->key = s->key;
		tb->other = s->other;
	}
	narrow(tb, k->sel);
	find_pointers(tb);
	return 0;
}

static int find_tables(struct an_keep *k, struct err *err)
{
	const struct tf_schema *schema = tf_reader_schema(k->t->reader);
	struct an_sources sources = { 0 };
	int rc = an_sources_find(&sources, k->t, NULL, UINT64_MAX, true, err);

	k->tables = calloc(k->numbers.n + 1, sizeof(*k->tables));
	if (!rc && !k->tables)
		rc = err_nomem(err);
	for (size_t i = 0; i < k->numbers.n && !rc; i++) {
		struct an_keep_table *tb = &k->tables[k->n++];

		tb->table = tf_schema_by_id(schema, k->numbers.v[i].from);
		tb->position = an_shape_find(&k->shape, k->numbers.v[i].to);
		tb->is_definition = tb->table->kind == TF_KIND_DEFINITION;
		tb->is_target = k->shape.v[tb->position].is_target;
		rc = find_table(k, tb, &sources, err);
	}
	an_sources_fini(&sources);
	return rc;
}

static int mark_ref(struct an_keep *k, const struct an_keep_ref *ref,
		    uint32_t epoch, uint64_t row, struct err *err)
{
	if (ref->and_one && !row)
		return 0;
	return an_wanted_mark(&k->need, epoch, ref->to, row - ref->and_one, err);
}

int an_keep_refs(struct an_keep *k, const struct an_keep_table *tb,
		 const struct tf_view *v, uint32_t row, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < tb->n_refs && !rc; i++) {
		const struct an_keep_ref *ref = &tb->refs[i];
		const struct tf_values *c = &v->columns[ref->column];

		if (!c->present)
			continue;
		if (c->v) {
			rc = mark_ref(k, ref, v->epoch, c->v[row], err);
			continue;
		}
		for (uint32_t n = c->offsets[row];
		     n < c->offsets[row + 1] && !rc; n++)
			rc = mark_ref(k, ref, v->epoch, c->items[n], err);
	}
	return rc;
}

/* Without this one the first reading in the selected time would tell nothing. */
static bool is_before(const struct an_keep *k, uint32_t series, uint64_t time)
{
	const struct an_reading *b = &k->before.before[series];

	return b->state == TF_COUNTER_READ && time == b->time;
}

/* Readings of series that are selected, or that were lost. */
static void choose_readings(const struct an_keep *k, const struct tf_view *v,
			    uint32_t *kept, uint32_t *n)
{
	const struct an_selection *sel = k->sel;
	const uint32_t *ids;
	size_t n_ids;

	*n = 0;
	ids = an_trace_ids(k->t, v->epoch, AN_SPACE_SERIES, &n_ids);
	for (uint32_t i = 0; i < v->rows; i++) {
		uint64_t at = an_keep_value(v, TF_COUNTER_SERIES, i);
		uint64_t time = an_keep_value(v, TF_COUNTER_TIME, i);
		uint32_t series = at < n_ids ? ids[at] : AN_NONE;
		bool known = series < an_n_series(k->t);

		if (known && !k->series[series])
			continue;
		if ((time >= sel->t_min && time <= sel->t_max) ||
		    (known && is_before(k, series, time)))
			kept[(*n)++] = i;
	}
}

static int choose_events(const struct an_keep *k,
			 const struct an_keep_table *tb,
			 const struct tf_view *v, uint32_t *kept, uint32_t *n,
			 struct err *err)
{
	struct an_part p = { .view = v, .columns = &tb->columns };
	int rc = tb->sel.leaf || tb->sel.through ?
			 an_recall(k->t, v->epoch, err) : 0;

	if (rc)
		return rc;
	if (tb->table->id == TF_TABLE_COUNTER) {
		choose_readings(k, v, kept, n);
		return 0;
	}
	p.epoch = an_epochs_find(&k->t->epochs, v->epoch);
	if (tb->key >= 0 && v->columns[tb->key].present)
		p.keys = v->columns[tb->key].v;
	*n = (uint32_t)an_selection_rows(&tb->sel, k->t, &p, kept);
	return 0;
}

static int note(struct map64 *m, uint64_t key, struct err *err)
{
	bool is_new;

	return map64_put(m, key, 0, &is_new) ? 0 : err_nomem(err);
}

static int note_pointers(struct an_keep *k, const struct an_keep_table *tb,
			 const struct tf_view *v, uint32_t row,
			 struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; tb->pointers >> i && i < 63 && !rc; i++)
		if (tb->pointers >> i & 1 && k->pointers.n < MAX_POINTERS)
			rc = note(&k->pointers, an_keep_value(v, i, row), err);
	return rc;
}

/* Threads that a switch names by their id are known by it only. */
static int note_other(struct an_keep *k, const struct an_keep_table *tb,
		      const struct tf_view *v, uint32_t row, struct err *err)
{
	uint64_t other = tb->other < 0 ? 0 : an_keep_value(
				v, (unsigned)tb->other, row);

	return other ? note(&k->tids, (uint32_t)(other - 1), err) : 0;
}

static int see_events(struct an_keep *k, const struct tf_view *v,
		      uint32_t *kept, struct err *err)
{
	const struct an_keep_table *tb = an_keep_table_of(k, v->table->id);
	uint32_t n = 0;
	int rc = choose_events(k, tb, v, kept, &n, err);

	for (size_t i = 0; i < n && !rc; i++) {
		rc = an_keep_refs(k, tb, v, kept[i], err);
		if (!rc && tb->pointers)
			rc = note_pointers(k, tb, v, kept[i], err);
		if (!rc && tb->other >= 0)
			rc = note_other(k, tb, v, kept[i], err);
	}
	return rc;
}

static int open_events(struct an_keep *k, struct tf_cursor **out,
		       struct err *err)
{
	struct tf_query *q = calloc(k->n + 1, sizeof(*q));
	size_t n = 0;
	int rc;

	if (!q)
		return err_nomem(err);
	for (size_t i = 0; i < k->n; i++) {
		const struct an_keep_table *tb = &k->tables[i];

		if (tb->is_definition)
			continue;
		q[n] = (struct tf_query){
			.table = tb->table->id,
			.columns = tb->mask | tb->columns.mask |
				   bit(tb->key) | bit(tb->other) |
				   tb->pointers,
			.t_min = tb->table->id == TF_TABLE_COUNTER ?
					 0 : tb->sel.t_min,
			.t_max = tb->sel.t_max,
		};
		an_selection_only(&tb->sel, &tb->columns, q[n++].only);
	}
	rc = tf_cursor_new_many(out, k->t->reader, q, n, err);
	free(q);
	return rc;
}

static int walk_events(struct an_keep *k, struct err *err)
{
	struct tf_cursor *cursor = NULL;
	const struct tf_view *v;
	uint32_t *kept = NULL;
	size_t cap = 0;
	int rc = open_events(k, &cursor, err);

	while (!rc) {
		rc = tf_cursor_next(cursor, &v, err);
		if (rc < 0) {
			rc = an_trace_survive(k->t, rc, err);
			continue;
		}
		if (rc)
			break;
		if (!mem_grow(&kept, &cap, v->rows, sizeof(*kept)))
			rc = err_nomem(err);
		else
			rc = see_events(k, v, kept, err);
	}
	tf_cursor_free(cursor);
	free(kept);
	return rc < 0 ? rc : 0;
}

int an_keep_walk(struct an_keep *k, const struct an_keep_table *tb,
		 uint64_t columns, an_keep_see *see, struct err *err)
{
	struct tf_query q = { .table = tb->table->id,
			      .columns = columns,
			      .t_max = UINT64_MAX };
	struct tf_cursor *cursor = NULL;
	const struct tf_view *v;
	int rc = tf_cursor_new(&cursor, k->t->reader, &q, err);

	while (!rc) {
		rc = tf_cursor_next(cursor, &v, err);
		if (rc < 0)
			rc = an_trace_survive(k->t, rc, err);
		else if (!rc)
			rc = see(k, tb, v, err);
	}
	tf_cursor_free(cursor);
	return rc < 0 ? rc : 0;
}

static int find_series(struct an_keep *k, struct err *err)
{
	const struct an_selection *sel = k->sel;
	uint32_t n = (uint32_t)an_n_series(k->t);

	k->series = calloc((size_t)n + 1, sizeof(*k->series));
	if (!k->series)
		return err_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		k->series[i] = an_series_is_beside(sel, i);
	/* No rows: only what is before. */
	return an_counters_load(&k->before, k->t, sel->t_min,
				sel->t_min ? sel->t_min - 1 : 0, k->series,
				err);
}

static int find_out(struct an_keep *k, struct err *err)
{
	int rc = an_shape_add(&k->shape, tf_reader_schema(k->t->reader),
			      &k->numbers, err);

	if (!rc)
		rc = an_shape_finish(&k->shape, err);
	if (!rc)
		rc = find_tables(k, err);
	if (rc)
		return rc;
	an_wanted_init(&k->need, k->shape.n, an_trace_rows_limit(k->t));
	k->frames = calloc(an_n_frames(k->t) + 1, sizeof(*k->frames));
	k->symbols = calloc(an_n_symbols(k->t) + 1, sizeof(*k->symbols));
	if (!k->frames || !k->symbols)
		return err_nomem(err);
	rc = find_series(k, err);
	if (!rc)
		rc = walk_events(k, err);
	return rc ? rc : an_keep_close(k, err);
}

int an_keep_new(struct an_keep **out, struct an_trace *t,
		const struct an_selection *sel, struct err *err)
{
	struct an_keep *k = calloc(1, sizeof(*k));
	int rc;

	if (!k)
		return err_nomem(err);
	k->t = t;
	k->sel = sel;
	rc = find_out(k, err);
	if (rc) {
		an_keep_free(k);
		return rc;
	}
	*out = k;
	return 0;
}

void an_keep_free(struct an_keep *k)
{
	if (!k)
		return;
	an_wanted_fini(&k->need);
	map64_fini(&k->pids);
	map64_fini(&k->tids);
	map64_fini(&k->pointers);
	an_renumber_fini(&k->numbers);
	an_shape_fini(&k->shape);
	free(k->tables);
	an_counters_fini(&k->before);
	free(k->frames);
	free(k->symbols);
	free(k->series);
	free(k);
}

int an_keep_choose(struct an_keep *k, const struct tf_view *v, uint32_t *kept,
		   uint32_t *n, struct err *err)
{
	const struct an_keep_table *tb = an_keep_table_of(k, v->table->id);

	*n = 0;
	if (!tb->is_definition)
		return choose_events(k, tb, v, kept, n, err);
	for (uint32_t i = 0; i < v->rows; i++)
		if (tb->is_target ? an_wanted_has(&k->need, v->epoch,
						tb->position, v->base_row + i) :
				    an_keep_by_rule(k, tb, v, i))
			kept[(*n)++] = i;
	if (tb->table->id == TF_TABLE_SYMBOL)
		k->next_symbol += v->rows;
	return 0;
}
