#include "analyze/rewrite/rewrite.h"

#include "analyze/rewrite/rewrite_state.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* What joining costs in memory before another epoch begins. An hour of a busy
 * machine has 40 MiB of different definitions. */
#define MAX_JOINED ((size_t)192 << 20)
#define MAX_EPOCH_ROWS ((uint64_t)TF_MAX_DEFINITIONS / 4)

/* Waiting rows of an epoch, and what one builder may hold of them. */
#define MAX_WAITING ((size_t)64 << 20)
#define MAX_BUILDER ((size_t)48 << 20)
/* Memory that builders keep from chunk to chunk. */
#define MAX_KEPT ((size_t)128 << 20)
#define FIRST_ROWS 64u

/* Parts of a chunk, by their columns: entries of a directory have at most 1 MiB
 * together. */
#define MAX_COLUMNS_OF_CHUNK 2048u
#define MAX_PARTS_OF_CHUNK (TF_MAX_PARTS / 2)

static void epoch_free(struct an_rewrite *r, struct an_epoch_out *e)
{
	for (size_t i = 0; e->v && i < r->shape->n; i++) {
		tf_builder_free(e->v[i].b);
		intern_fini(&e->v[i].joined);
	}
	free(e->v);
	free(e);
}

/* As a recorder has it: files without dumps or readings do not announce their
 * tables. */
static bool is_usual(const struct tf_table *t)
{
	const struct tf_table *own = tf_catalog_table(t->id);

	for (size_t i = 0; i < tf_catalog_usual; i++)
		if (tf_catalog[i] == own)
			return true;
	return t->id < TF_TABLE_DYNAMIC && !own;
}

static int make_writer(struct an_rewrite *r, struct tf_sink *sink,
		       struct err *err)
{
	struct tf_file_info info = { .start_unix_ns = r->o.start_unix_ns };
	size_t n = 0;
	int rc;

	if (getrandom(info.file_id, sizeof(info.file_id), 0) !=
	    (ssize_t)sizeof(info.file_id))
		return err_sys(err, errno, "cannot make a file id");
	for (size_t i = 0; i < r->shape->n; i++) {
		r->announced[i] = is_usual(r->shape->v[i].table);
		if (r->announced[i])
			r->fresh[n++] = r->shape->v[i].table;
	}
	rc = tf_writer_new_with(&r->w, sink, &info, r->fresh, n, err);
	if (!rc && r->o.level)
		rc = tf_writer_set_level(r->w, r->o.level, err);
	return rc;
}

int an_rewrite_new(struct an_rewrite **out, struct tf_sink *sink,
		   const struct an_shape *shape,
		   const struct an_rewrite_options *o, struct err *err)
{
	struct an_rewrite *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return err_nomem(err);
	r->o = *o;
	r->shape = shape;
	buf_init(&r->key, 0);
	r->announced = calloc(shape->n + 1, sizeof(*r->announced));
	r->fresh = calloc(shape->n + 1, sizeof(*r->fresh));
	r->parts = calloc(shape->n + 1, sizeof(*r->parts));
	rc = r->announced && r->fresh && r->parts ? 0 : err_nomem(err);
	if (!rc)
		rc = make_writer(r, sink, err);
	if (rc) {
		an_rewrite_free(r);
		return rc;
	}
	*out = r;
	return 0;
}

void an_rewrite_free(struct an_rewrite *r)
{
	if (!r)
		return;
	while (r->open) {
		struct an_epoch_out *e = r->open;

		r->open = e->next;
		epoch_free(r, e);
	}
	tf_writer_free(r->w);
	buf_fini(&r->key);
	free(r->announced);
	free(r->fresh);
	free(r->parts);
	free(r);
}

/* Tables of tracepoints and of dumps, before their first rows. */
static int announce(struct an_rewrite *r, const struct an_epoch_out *e,
		    struct err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < r->shape->n; i++) {
		if (r->announced[i] || !e->v[i].b || !e->v[i].b->rows)
			continue;
		r->announced[i] = true;
		r->fresh[n++] = r->shape->v[i].table;
	}
	return n ? tf_writer_add_tables(r->w, r->fresh, n, err) : 0;
}

static int write_parts(struct an_rewrite *r, struct an_epoch_out *e, size_t n,
		       struct err *err)
{
	int rc;

	if (!n)
		return 0;
	rc = r->o.go_on ? r->o.go_on(r->o.ctx, err) : 0;
	if (!rc)
		rc = tf_writer_data(r->w, e->number, r->parts, n, err);
	for (size_t i = 0; i < n; i++)
		tf_builder_clear(r->parts[i]);
	return rc;
}

static void shrink(struct an_rewrite *r, struct an_epoch_out *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->shape->n; i++)
		if (e->v[i].b)
			kept += tf_builder_memory(e->v[i].b);
	for (size_t i = 0; kept > MAX_KEPT && i < r->shape->n; i++)
		if (e->v[i].b)
			tf_builder_shrink(e->v[i].b, FIRST_ROWS);
}

/* All that waits goes together: tables with few rows are then never far behind
 * the others, which whoever puts them in order has to hold in memory. */
static int flush(struct an_rewrite *r, struct an_epoch_out *e, struct err *err)
{
	size_t n = 0, columns = 0;
	int rc = announce(r, e, err);

	for (size_t i = 0; i < r->shape->n && !rc; i++) {
		struct tf_builder *b = e->v[r->shape->order[i]].b;

		if (!b || !b->rows)
			continue;
		if (n == MAX_PARTS_OF_CHUNK ||
		    columns + b->table->n_columns > MAX_COLUMNS_OF_CHUNK) {
			rc = write_parts(r, e, n, err);
			n = columns = 0;
		}
		r->parts[n++] = b;
		columns += b->table->n_columns;
	}
	if (!rc)
		rc = write_parts(r, e, n, err);
	e->bytes = 0;
	shrink(r, e);
	return rc;
}

/* Beyond a part a builder has room for rows that others wait for: one that
 * stands for lost ones, the texts of a fact. */
#define SPARE_ROWS 4u

static int make_builder(struct an_rewrite *r, struct an_epoch_out *e,
			uint32_t table, struct err *err)
{
	const struct tf_table *t = r->shape->v[table].table;
	struct waiting *w = &e->v[table];
	size_t fits = MAX_BUILDER / sizeof(uint64_t) / t->n_columns;

	w->limit = r->o.part_rows ? r->o.part_rows : TF_PART_ROWS;
	if (w->limit > fits)
		w->limit = (uint32_t)fits;
	if (t->id == TF_TABLE_USER_DUMP && w->limit > TF_USER_DUMP_ROWS)
		w->limit = TF_USER_DUMP_ROWS;
	return tf_builder_new_growing(&w->b, t, FIRST_ROWS, w->limit + SPARE_ROWS,
				      err);
}

/* Numbers as varints and bytes behind their length: no two different rows are
 * the same bytes. */
static void make_key(struct buf *key, const struct tf_table *t,
		     const struct an_cell *cells)
{
	buf_clear(key);
	for (uint32_t i = 0; i < t->n_columns; i++) {
		const struct an_cell *c = &cells[i];

		if (t->columns[i].list) {
			buf_varint(key, c->n);
			buf_put(key, c->p, c->n * sizeof(uint64_t));
		} else if (t->columns[i].type == TF_BYTES) {
			buf_varint(key, c->n);
			buf_put(key, c->p, c->n);
		} else {
			buf_varint(key, c->v);
		}
	}
}

static bool is_self(const struct an_shape_table *t, uint32_t table,
		    uint32_t column, const struct an_cell *c)
{
	return t->turns[column].kind == AN_TURN_ROW &&
	       t->turns[column].to == table &&
	       !t->table->columns[column].list && c->v == AN_SELF;
}

static int add_row(struct an_rewrite *r, struct an_epoch_out *e,
		   uint32_t table, const struct an_cell *cells, uint64_t id,
		   struct err *err)
{
	const struct an_shape_table *t = &r->shape->v[table];
	struct tf_builder *b = e->v[table].b;
	size_t raw = b->raw_bytes;

	if (!tf_builder_grow(b))
		return err_nomem(err);
	for (uint32_t i = 0; i < t->table->n_columns; i++) {
		const struct tf_column *c = &t->table->columns[i];

		if (c->list)
			tf_builder_list(b, i, cells[i].p, cells[i].n);
		else if (c->type == TF_BYTES)
			tf_builder_bytes(b, i, cells[i].p, cells[i].n);
		else
			tf_builder_set(b, i, is_self(t, table, i, &cells[i]) ?
					     id : cells[i].v);
	}
	if (!tf_builder_commit(b))
		return err_nomem(err);
	e->bytes += t->table->n_columns * sizeof(uint64_t) +
		    (b->raw_bytes - raw);
	if (t->table->kind == TF_KIND_DEFINITION)
		e->definitions++;
	else
		r->rows++;
	return 0;
}

int an_rewrite_put_now(struct an_rewrite *r, struct an_epoch_out *e, uint32_t table,
	       const struct an_cell *cells, uint64_t *id, struct err *err)
{
	const struct an_shape_table *t = &r->shape->v[table];
	struct waiting *w = &e->v[table];
	bool is_new = true;
	uint32_t same;
	int rc = w->b ? 0 : make_builder(r, e, table, err);

	if (rc)
		return rc;
	*id = w->rows;
	if (t->is_joined) {
		make_key(&r->key, t->table, cells);
		if (buf_failed(&r->key) ||
		    !intern_put(&w->joined, r->key.p, r->key.n, &same,
				&is_new))
			return err_nomem(err);
		*id = same;
	}
	if (!is_new)
		return 0;
	w->rows++;
	return add_row(r, e, table, cells, *id, err);
}

static bool is_part(const struct waiting *w)
{
	return w->b && w->b->rows >= w->limit;
}

int an_rewrite_put(struct an_rewrite *r, struct an_epoch_out *e,
		   uint32_t table, const struct an_cell *cells, uint64_t *id,
		   struct err *err)
{
	const struct tf_table *t = r->shape->v[table].table;
	size_t bytes = e->bytes;
	int rc = 0;

	for (uint32_t i = 0; i < t->n_columns; i++)
		bytes += cells[i].n * (t->columns[i].list ? sizeof(uint64_t) :
							    1);
	if (is_part(&e->v[table]) || (bytes > MAX_WAITING && e->bytes))
		rc = flush(r, e, err);
	return rc ? rc : an_rewrite_put_now(r, e, table, cells, id, err);
}

struct an_cell *an_rewrite_cells(const struct an_rewrite *r, uint32_t table,
				 struct err *err)
{
	uint32_t n = r->shape->v[table].table->n_columns;
	struct an_cell *cells = calloc(n, sizeof(*cells));

	if (!cells)
		err_nomem(err);
	for (uint32_t i = 0; cells && i < n; i++)
		cells[i].p = "";
	return cells;
}

/* Row 0 of strings is the empty one, that of stacks the empty stack. A stack
 * that looks like it is not it, so its content is one that no other has. */
static int put_empty(struct an_rewrite *r, struct an_epoch_out *e,
		     uint32_t number, struct err *err)
{
	uint32_t table = an_shape_find(r->shape, number), same;
	struct waiting *w = &e->v[table];
	struct an_cell *cells = an_rewrite_cells(r, table, err);
	uint64_t id;
	int rc = cells ? 0 : ERR_NOMEM;

	if (!rc && number == TF_TABLE_STRING) {
		rc = an_rewrite_put_now(r, e, table, cells, &id, err);
	} else if (!rc) {
		rc = make_builder(r, e, table, err);
		if (!rc && !intern_put(&w->joined, "", 0, &same, NULL))
			rc = err_nomem(err);
		w->rows = 1;
		if (!rc)
			rc = add_row(r, e, table, cells, 0, err);
	}
	free(cells);
	return rc;
}

static int new_epoch(struct an_rewrite *r, struct err *err)
{
	struct an_epoch_out *e = calloc(1, sizeof(*e));
	int rc;

	if (!e)
		return err_nomem(err);
	e->v = calloc(r->shape->n + 1, sizeof(*e->v));
	e->number = r->next_epoch++;
	e->next = r->open;
	r->open = e;
	if (!e->v)
		return err_nomem(err);
	rc = put_empty(r, e, TF_TABLE_STRING, err);
	return rc ? rc : put_empty(r, e, TF_TABLE_STACK, err);
}

static bool is_full(const struct an_rewrite *r, const struct an_epoch_out *e)
{
	size_t bytes = 0;

	for (size_t i = 0; i < r->shape->n; i++)
		bytes += intern_size(&e->v[i].joined);
	return bytes > MAX_JOINED || e->definitions > MAX_EPOCH_ROWS;
}

/* Writes out what nothing more can come to, but for the newest. */
static int close_unused(struct an_rewrite *r, struct err *err)
{
	struct an_epoch_out **at = &r->open;
	int rc = 0;

	while (*at && !rc) {
		struct an_epoch_out *e = *at;

		if (e->users || e == r->open) {
			at = &e->next;
			continue;
		}
		rc = flush(r, e, err);
		*at = e->next;
		epoch_free(r, e);
	}
	return rc;
}

int an_rewrite_enter(struct an_rewrite *r, struct an_epoch_out **out,
		     struct err *err)
{
	int rc = 0;

	if (!r->open || is_full(r, r->open))
		rc = new_epoch(r, err);
	if (!rc)
		rc = close_unused(r, err);
	if (rc)
		return rc;
	r->open->users++;
	*out = r->open;
	return 0;
}

int an_rewrite_leave(struct an_rewrite *r, struct an_epoch_out *e,
		     struct err *err)
{
	e->users--;
	return close_unused(r, err);
}

static int put_text(struct an_rewrite *r, struct an_epoch_out *e,
		    struct span text, uint64_t *id, struct err *err)
{
	uint32_t table = an_shape_find(r->shape, TF_TABLE_STRING);
	struct an_cell *cells = an_rewrite_cells(r, table, err);
	int rc;

	if (!cells)
		return ERR_NOMEM;
	cells[TF_STRING_BYTES].p = text.p;
	cells[TF_STRING_BYTES].n = text.n < TF_MAX_STRING ? text.n :
							    TF_MAX_STRING;
	rc = an_rewrite_put_now(r, e, table, cells, id, err);
	free(cells);
	return rc;
}

static int put_fact(struct an_rewrite *r, const char *key, struct span value,
		    struct an_cell *cells, struct err *err)
{
	uint32_t facts = an_shape_find(r->shape, TF_TABLE_FACT);
	uint64_t id;
	int rc = put_text(r, r->open, span_of(key, strlen(key)),
			  &cells[TF_FACT_KEY].v, err);

	if (!rc)
		rc = put_text(r, r->open, value, &cells[TF_FACT_VALUE].v, err);
	return rc ? rc : an_rewrite_put_now(r, r->open, facts, cells, &id, err);
}

int an_rewrite_fact(struct an_rewrite *r, const char *key, struct span value,
		    struct err *err)
{
	uint32_t strings = an_shape_find(r->shape, TF_TABLE_STRING);
	uint32_t facts = an_shape_find(r->shape, TF_TABLE_FACT);
	struct an_cell *cells;
	int rc = r->open ? 0 : new_epoch(r, err);

	if (!rc && (is_part(&r->open->v[strings]) ||
		    is_part(&r->open->v[facts])))
		rc = flush(r, r->open, err);
	if (rc)
		return rc;
	cells = an_rewrite_cells(r, facts, err);
	if (!cells)
		return ERR_NOMEM;
	rc = put_fact(r, key, value, cells, err);
	free(cells);
	return rc;
}

int an_rewrite_text(struct an_rewrite *r, const char *key,
		    const struct buf *text, struct err *err)
{
	if (buf_failed(text))
		return err_nomem(err);
	return text->n ? an_rewrite_fact(r, key, span_of(text->p, text->n),
					 err) : 0;
}

int an_rewrite_end(struct an_rewrite *r, struct err *err)
{
	int rc = 0;

	for (struct an_epoch_out *e = r->open; e && !rc; e = e->next)
		rc = flush(r, e, err);
	return rc ? rc : tf_writer_end(r->w, err);
}

uint64_t an_rewrite_rows(const struct an_rewrite *r)
{
	return r->rows;
}

uint64_t an_rewrite_size(const struct an_rewrite *r)
{
	return tf_writer_size(r->w);
}
