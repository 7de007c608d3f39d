#include "analyze/load.h"

#include "analyze/ahead.h"
#include "analyze/lacks.h"
#include "analyze/recall.h"
#include "analyze/symbols.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <stdlib.h>

struct definition {
	uint32_t table;
	enum an_space space; /* AN_N_SPACES: nothing refers to its rows */
	/* NULL: stack nodes, which come by the part. */
	int (*load)(const struct an_row *r, uint32_t *id, struct err *err);
	enum an_need need;
};

/* What is referred to comes before what refers to it. */
static const struct definition definitions[] = {
	{ TF_TABLE_STRING, AN_SPACE_STRING, an_load_string, AN_NEED_STRINGS },
	{ TF_TABLE_IMAGE, AN_SPACE_IMAGE, an_load_image, AN_NEED_IMAGES },
	{ TF_TABLE_PROCESS, AN_N_SPACES, an_load_process, AN_NEED_THREADS },
	{ TF_TABLE_THREAD, AN_SPACE_THREAD, an_load_thread, AN_NEED_THREADS },
	{ TF_TABLE_TRACEPOINT, AN_SPACE_TRACEPOINT, an_load_tracepoint,
	  AN_NEED_WHOLE },
	{ TF_TABLE_EVENT, AN_SPACE_EVENT, an_load_event, AN_NEED_WHOLE },
	{ TF_TABLE_FRAME, AN_SPACE_FRAME, an_load_frame, AN_NEED_ROWS },
	{ TF_TABLE_STACK, AN_SPACE_STACK, NULL, AN_NEED_ROWS },
	{ TF_TABLE_SYMBOL, AN_N_SPACES, an_load_symbol, AN_NEED_WHOLE },
	{ TF_TABLE_CLOCK, AN_N_SPACES, an_load_clock, AN_NEED_ROWS },
	{ TF_TABLE_FACT, AN_N_SPACES, an_load_fact, AN_NEED_WHOLE },
	{ TF_TABLE_LOSS, AN_N_SPACES, an_load_loss, AN_NEED_WHOLE },
	{ TF_TABLE_MARK, AN_N_SPACES, an_load_mark, AN_NEED_WHOLE },
	{ TF_TABLE_SERIES, AN_SPACE_SERIES, an_load_series, AN_NEED_WHOLE },
};

static int in_table(const struct an_trace *t, const struct definition *d,
		    const struct tf_view *v, int rc, struct err *err)
{
	if (rc && rc != ERR_NOMEM && d->space != AN_N_SPACES)
		err_in(err, rc, "%s: table '%s'", t->path, v->table->name);
	return rc;
}

/* Position of the column that is not of the catalog; -1: there is none. */
static int further_column(const struct tf_table *t)
{
	uint32_t id;

	if (t->id == TF_TABLE_THREAD)
		id = TF_THREAD_SOURCE;
	else if (t->id == TF_TABLE_PROCESS)
		id = TF_PROCESS_SOURCE;
	else if (t->id == TF_TABLE_SERIES)
		id = TF_SERIES_MACHINE;
	else
		return -1;
	for (uint32_t i = 0; i < t->n_columns && i < 64; i++)
		if (t->columns[i].id == id)
			return t->columns[i].type == TF_U64 &&
			       !t->columns[i].list ? (int)i : -1;
	return -1;
}

static int load_rows(struct an_trace *t, const struct definition *d,
		     struct an_epoch *epoch, const struct tf_view *v,
		     const struct an_columns *c, struct err *err)
{
	struct an_row r = { t, v, c, epoch, 0,
			    further_column(v->table) };
	uint32_t id = AN_NONE;
	int rc = 0;

	for (; r.row < v->rows && !rc; r.row++) {
		uint64_t at;

		rc = d->load(&r, &id, err);
		if (rc || d->space == AN_N_SPACES)
			continue;
		if (ckd_add(&at, v->base_row, r.row))
			at = UINT64_MAX;
		rc = an_ids_set(&t->epochs, &epoch->ids[d->space], at, id, err);
		rc = in_table(t, d, v, rc, err);
	}
	return rc;
}

static int load_part(struct an_trace *t, const struct definition *d,
		     const struct tf_view *v, const struct an_columns *c,
		     struct err *err)
{
	struct an_epoch *epoch = an_epochs_get(&t->epochs, v->epoch);
	int rc;

	if (!epoch)
		return err_nomem(err);
	if (v->rows > t->rows_left) {
		t->rows_left = 0;
		return err_set(err, ERR_LIMIT, "%s: table '%s': %" PRIu32 " "
			       "rows more than a file of this size can hold",
			       t->path, v->table->name, v->rows);
	}
	t->rows_left -= v->rows;
	rc = an_lacks_see(t, v, err);
	if (rc)
		return rc;
	if (d->load)
		return load_rows(t, d, epoch, v, c, err);
	return in_table(t, d, v, an_load_nodes(t, epoch, v, c, err), err);
}

/* A table that is over the limit is left as far as it came. */
static int survive(struct an_trace *t, int rc, struct err *err)
{
	bool over = rc == ERR_LIMIT && !t->rows_left;

	rc = an_trace_survive(t, rc, err);
	return rc ? rc : over;
}

static int load_table(struct an_trace *t, const struct definition *d,
		      struct err *err)
{
	struct tf_query q = { .table = d->table, .t_max = UINT64_MAX };
	struct an_ahead *parts = NULL;
	const struct tf_view *v;
	struct an_columns c;
	int rc, further;

	if (!an_columns_find(&c, t->reader, d->table, UINT64_MAX))
		return 0;
	further = further_column(tf_schema_by_id(tf_reader_schema(t->reader),
						 d->table));
	q.columns = c.mask;
	if (further >= 0)
		q.columns |= (uint64_t)1 << further;
	an_slice_narrow(&t->slice, d->need, &q);
	rc = an_ahead_new(&parts, t, &q, 1, err);
	while (!rc) {
		rc = an_ahead_next(parts, &v, err);
		if (!rc)
			rc = load_part(t, d, v, &c, err);
		if (rc < 0)
			rc = survive(t, rc, err);
	}
	an_ahead_free(parts);
	return rc < 0 ? rc : 0;
}

/* Stacks of one epoch need no joining: a node that is there twice does no harm,
 * since what is printed is merged by name. Nor do those of a few; beyond, they
 * are joined, so that memory follows the different stacks and not the length.
 * Joining 1.2 M nodes costs 0.2 s. */
#define SEPARATE_EPOCHS 8u

/* Room for as many nodes as the directories tell of: growing step by step would
 * move them again and again. */
static int make_room(struct an_trace *t, uint64_t rows, struct err *err)
{
	size_t n = (size_t)(rows < t->rows_left ? rows : t->rows_left);

	/* One more for the empty stack, one for what lost its callers. */
	if (t->joins_stacks)
		return 0;
	return mem_grow(&t->nodes.v, &t->nodes.cap, n + 2,
			sizeof(*t->nodes.v)) &&
	       mem_grow(&t->depth.v, &t->depth.cap, n + 2,
			sizeof(*t->depth.v)) ? 0 : err_nomem(err);
}

/* How many frames and stacks there are to load, by the directories. */
static int count_part(struct an_trace *t, const struct tf_place *part,
		      struct err *err)
{
	struct an_epoch *e = an_epochs_get(&t->epochs, part->epoch);

	if (!e)
		return err_nomem(err);
	e->parts++;
	return 0;
}

static int find_stacks(struct an_trace *t, struct err *err)
{
	struct tf_query q[] = { { .table = TF_TABLE_FRAME },
				{ .table = TF_TABLE_STACK } };
	struct tf_cursor *cursor = NULL;
	struct tf_place part;
	uint64_t rows = 0, nodes = 0;
	uint32_t last = 0;
	size_t epochs = 0;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(q); i++)
		an_slice_narrow(&t->slice, AN_NEED_ROWS, &q[i]);
	rc = tf_cursor_new_many(&cursor, t->reader, q, ARRAY_LEN(q), err);
	while (!rc) {
		rc = tf_cursor_find(cursor, &part, err);
		if (rc < 0)
			rc = an_trace_survive(t, rc, err);
		if (rc)
			continue;
		rc = count_part(t, &part, err);
		rows += part.rows;
		if (part.table == TF_TABLE_FRAME)
			continue;
		epochs += !epochs || part.epoch != last;
		last = part.epoch;
		nodes += part.rows;
	}
	tf_cursor_free(cursor);
	t->joins_stacks = epochs > SEPARATE_EPOCHS;
	an_recall_plan(t, rows);
	return rc < 0 ? rc : make_room(t, nodes, err);
}

static const struct definition *definition_of(uint32_t table)
{
	for (size_t i = 0; i < ARRAY_LEN(definitions); i++)
		if (definitions[i].table == table)
			return &definitions[i];
	return NULL;
}

/* Frames and stacks in one walk: `each` is given their parts. */
typedef int each_part(struct an_trace *t, const struct definition *d,
		      const struct tf_view *v, const struct an_columns *c,
		      struct err *err);

static int walk_stacks(struct an_trace *t, struct tf_query q[2],
		       each_part *each, struct err *err)
{
	struct an_columns c[2];
	struct an_ahead *parts = NULL;
	const struct tf_view *v;
	int rc;

	for (size_t i = 0; i < 2; i++) {
		an_columns_find(&c[i], t->reader, q[i].table, UINT64_MAX);
		q[i].columns = c[i].mask;
	}
	rc = an_ahead_new(&parts, t, q, 2, err);
	while (!rc) {
		rc = an_ahead_next(parts, &v, err);
		if (!rc)
			rc = each(t, definition_of(v->table->id), v,
				  &c[v->table->id == TF_TABLE_STACK], err);
		if (rc < 0)
			rc = survive(t, rc, err);
	}
	an_ahead_free(parts);
	return rc < 0 ? rc : 0;
}

static int load_and_note(struct an_trace *t, const struct definition *d,
			 const struct tf_view *v, const struct an_columns *c,
			 struct err *err)
{
	int rc = load_part(t, d, v, c, err);

	an_recall_note(t, v->epoch);
	return rc;
}

/* Where ids are dropped, epoch by epoch: a file has frames before the stacks of
 * them. */
static int load_stacks(struct an_trace *t, struct err *err)
{
	struct tf_query q[] = { { .table = TF_TABLE_FRAME },
				{ .table = TF_TABLE_STACK } };

	for (size_t i = 0; i < ARRAY_LEN(q); i++)
		an_slice_narrow(&t->slice, AN_NEED_ROWS, &q[i]);
	return walk_stacks(t, q, load_and_note, err);
}

static bool is_of_epoch(const void *ctx, size_t i,
			const struct tf_chunk_info *c)
{
	const struct an_epoch *e = ctx;

	(void)i;
	return c->epoch == e->number;
}

static int load_ids(struct an_trace *t, const struct definition *d,
		    const struct tf_view *v, const struct an_columns *c,
		    struct err *err)
{
	struct an_epoch *epoch = an_epochs_get(&t->epochs, v->epoch);
	int rc = d->load ? load_rows(t, d, epoch, v, c, err) :
			   an_load_nodes(t, epoch, v, c, err);

	return in_table(t, d, v, rc, err);
}

int an_load_again(struct an_trace *t, struct an_epoch *epoch, struct err *err)
{
	struct tf_query q[] = {
		{ .table = TF_TABLE_FRAME, .chunk = is_of_epoch,
		  .chunk_ctx = epoch },
		{ .table = TF_TABLE_STACK, .chunk = is_of_epoch,
		  .chunk_ctx = epoch },
	};

	return walk_stacks(t, q, load_ids, err);
}

/* What only loading needs. */
static void drop_scaffold(struct an_trace *t)
{
	t->loaded = true;
	map64_fini(&t->fact_index);
	intern_fini(&t->image_keys);
	intern_fini(&t->thread_keys);
	intern_fini(&t->event_keys);
	intern_fini(&t->tracepoint_keys);
	intern_fini(&t->series_keys);
	if (t->recalls)
		return;
	an_index_fini(&t->frame_index);
	map64_fini(&t->node_index);
	free(t->depth.v);
	t->depth.v = NULL;
	t->depth.n = t->depth.cap = 0;
}

static int load_definition(struct an_trace *t, const struct definition *d,
			   struct err *err)
{
	if (d->space != AN_SPACE_FRAME && d->space != AN_SPACE_STACK)
		return load_table(t, d, err);
	if (t->names_only)
		return 0;
	if (!t->recalls)
		return load_table(t, d, err);
	return d->space == AN_SPACE_STACK ? load_stacks(t, err) : 0;
}

int an_load(struct an_trace *t, const struct an_selection_args *args,
	    struct err *err)
{
	uint32_t id;
	int rc;

	t->rows_left = an_trace_rows_limit(t);
	t->epochs.holes_left = t->rows_left;
	rc = an_slice_make(&t->slice, t, args, err);
	if (!rc)
		rc = an_string_put(t, span_of("", 0), &id, err);
	if (!rc && !t->names_only)
		rc = find_stacks(t, err);
	if (!rc)
		rc = an_load_empty_stack(t, err);
	for (size_t i = 0; i < ARRAY_LEN(definitions) && !rc; i++)
		rc = load_definition(t, &definitions[i], err);
	if (!rc)
		rc = an_symbols_resolve(t, err);
	if (!rc)
		rc = an_load_halves(t, err);
	an_load_processes_join(t);
	an_load_marks_order(t);
	drop_scaffold(t);
	return rc;
}
