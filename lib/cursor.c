#include "format/base/mem.h"
#include "lib/private.h"
#include "lib/range.h"

#include <stdlib.h>
#include <string.h>

struct ct_batch {
	const struct tf_table *table;
	const struct tf_view *view;
	uint32_t rows;
	uint32_t *positions; /* by column as it was asked for */
	size_t n;
};

struct ct_cursor {
	struct tf_cursor *inner;
	struct ct_batch batch;
	struct ct_range range;
};

/* Positions from 64 on are decoded unasked. */
static uint64_t bit(uint32_t position)
{
	return position < 64 ? (uint64_t)1 << position : 0;
}

static int choose(struct ct_batch *b, const char *const *names,
		  struct err *err)
{
	size_t n = 0, cap = 0;

	while (names && names[n])
		n++;
	b->n = names ? n : b->table->n_columns;
	if (!mem_grow(&b->positions, &cap, b->n + 1, sizeof(*b->positions)))
		return err_nomem(err);
	for (uint32_t i = 0; i < b->n; i++) {
		int at = names ? tf_table_column(b->table, names[i]) : (int)i;

		if (at < 0)
			return err_set(err, ERR_USAGE, "table '%s' has no "
				       "column '%s'", b->table->name,
				       names[i]);
		b->positions[i] = (uint32_t)at;
	}
	return 0;
}

static int begin(struct ct_cursor *c, const struct ct_trace *trace,
		 struct err *err)
{
	struct tf_query q = { .table = c->batch.table->id };

	for (size_t i = 0; i < c->batch.n; i++)
		q.columns |= bit(c->batch.positions[i]);
	if (c->range.column >= 0) {
		q.columns |= bit((uint32_t)c->range.column);
		q.t_min = c->range.min;
		q.t_max = c->range.max;
	}
	return tf_cursor_new(&c->inner, trace->reader, &q, err);
}

int ct_cursor_new(struct ct_cursor **out, const struct ct_trace *trace,
		  const struct ct_table *table, const char *const *columns,
		  uint64_t t_min, uint64_t t_max, struct ct_error *error)
{
	struct err err = { 0 };
	struct ct_cursor *c;
	int rc;

	if (!table)
		return ct_misuse(error, "the trace has no such table");
	c = calloc(1, sizeof(*c));
	if (!c)
		return ct_fail(error, err_nomem(&err), &err);
	c->batch.table = ct_table_inside(table);
	ct_range_init(&c->range, c->batch.table, t_min, t_max);
	rc = choose(&c->batch, columns, &err);
	if (rc == 0)
		rc = begin(c, trace, &err);
	if (rc) {
		ct_cursor_free(c);
		return ct_fail(error, rc, &err);
	}
	*out = c;
	return 0;
}

void ct_cursor_free(struct ct_cursor *cursor)
{
	if (!cursor)
		return;
	tf_cursor_free(cursor->inner);
	ct_range_fini(&cursor->range);
	free(cursor->batch.positions);
	free(cursor);
}

/* Memory has the type that was stored last: the bits become doubles in place.*/
static void make_doubles(uint64_t *v, size_t n)
{
	double *d = (void *)v;

	for (size_t i = 0; i < n; i++) {
		double x;

		memcpy(&x, &v[i], sizeof(x));
		d[i] = x;
	}
}

static void finish(struct ct_batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct tf_values *c = &b->view->columns[b->positions[i]];

		if (!c->present ||
		    b->table->columns[b->positions[i]].type != TF_F64)
			continue;
		if (c->v)
			make_doubles(c->v, b->rows);
		else
			make_doubles(c->items, c->offsets[b->rows]);
	}
}

int ct_cursor_next(struct ct_cursor *cursor, const struct ct_batch **out,
		   struct ct_error *error)
{
	struct ct_batch *b = &cursor->batch;
	struct err err = { 0 };
	int rc;

	do {
		rc = tf_cursor_next(cursor->inner, &b->view, &err);
		if (rc == 0)
			rc = ct_range_apply(&cursor->range, b->view, &err);
	} while (rc == 0 && !cursor->range.n);
	if (rc)
		return rc < 0 ? ct_fail(error, rc, &err) : rc;
	b->rows = (uint32_t)cursor->range.n;
	finish(b);
	*out = b;
	return 0;
}

uint32_t ct_batch_rows(const struct ct_batch *batch)
{
	return batch->rows;
}

uint32_t ct_batch_epoch(const struct ct_batch *batch)
{
	return batch->view->epoch;
}

uint64_t ct_batch_first_id(const struct ct_batch *batch)
{
	return batch->view->base_row;
}

/* NULL: these rows have no such column. */
static const struct tf_values *values(const struct ct_batch *b, size_t i)
{
	const struct tf_values *v;

	if (i >= b->n)
		return NULL;
	v = &b->view->columns[b->positions[i]];
	return v->present ? v : NULL;
}

static enum tf_type type_of(const struct ct_batch *b, size_t i)
{
	return b->table->columns[b->positions[i]].type;
}

/* Of a list its items, of others the values of the rows. */
static uint64_t *numbers(const struct ct_batch *b, size_t i)
{
	const struct tf_values *v = values(b, i);

	if (!v)
		return NULL;
	return b->table->columns[b->positions[i]].list ? v->items : v->v;
}

bool ct_batch_has(const struct ct_batch *batch, size_t i)
{
	return values(batch, i) != NULL;
}

const uint64_t *ct_batch_u64(const struct ct_batch *batch, size_t i)
{
	const uint64_t *v = numbers(batch, i);
	enum tf_type t = v ? type_of(batch, i) : TF_BYTES;

	return t == TF_U64 || t == TF_BOOL || t == TF_REF ? v : NULL;
}

const int64_t *ct_batch_i64(const struct ct_batch *batch, size_t i)
{
	const uint64_t *v = numbers(batch, i);

	return v && type_of(batch, i) == TF_I64 ? (const int64_t *)v : NULL;
}

const double *ct_batch_f64(const struct ct_batch *batch, size_t i)
{
	const void *v = numbers(batch, i);

	return v && type_of(batch, i) == TF_F64 ? v : NULL;
}

const uint8_t *ct_batch_bytes(const struct ct_batch *batch, size_t i)
{
	const struct tf_values *v = values(batch, i);

	return v ? v->bytes : NULL;
}

const uint32_t *ct_batch_offsets(const struct ct_batch *batch, size_t i)
{
	const struct tf_values *v = values(batch, i);

	return v ? v->offsets : NULL;
}
