#include "format/builder.h"

#include "format/base/mem.h"
#include "format/layout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int check(const struct tf_table *t, uint32_t max_rows, struct err *err)
{
	if (!max_rows || max_rows > TF_MAX_ROWS)
		return err_set(err, ERR_USAGE,
			       "table '%s': a builder of %u rows, limit %u",
			       t->name, max_rows, TF_MAX_ROWS);
	if (!t->n_columns || t->n_columns > TF_MAX_COLUMNS)
		return err_set(err, ERR_USAGE,
			       "table '%s': %u columns, limit %u", t->name,
			       t->n_columns, TF_MAX_COLUMNS);
	for (uint32_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].list && t->columns[i].type == TF_BYTES)
			return err_set(err, ERR_UNSUPPORTED,
				       "table '%s': column '%s': lists of "
				       "bytes cannot be stored",
				       t->name, t->columns[i].name);
	return 0;
}

static bool is_variable(const struct tf_column *c)
{
	return c->list || c->type == TF_BYTES;
}

static int time_column(const struct tf_table *t)
{
	for (uint32_t i = 0; i < t->n_columns; i++)
		if (tf_column_is_time(&t->columns[i]))
			return (int)i;
	return -1;
}

/* Between the values of two columns. Arrays of a power of two of bytes lie at
 * the same place of their pages; a row would then write all its values into one
 * set of the cache, which holds eight lines. */
#define GAP 24u

static uint64_t *column_at(uint64_t *values, uint32_t room, uint32_t i)
{
	return values + (size_t)i * ((size_t)room + GAP);
}

static uint64_t *new_values(const struct tf_builder *b, uint32_t room)
{
	return calloc((size_t)b->table->n_columns * ((size_t)room + GAP),
		      sizeof(uint64_t));
}

static int allocate(struct tf_builder *b, struct err *err)
{
	const struct tf_table *t = b->table;

	b->columns = calloc(t->n_columns, sizeof(*b->columns));
	if (!b->columns)
		return err_nomem(err);
	for (uint32_t i = 0; i < t->n_columns; i++) {
		buf_init(&b->columns[i].bytes, TF_MAX_BYTES_STREAM);
		b->variable = b->variable || is_variable(&t->columns[i]);
	}
	b->values = new_values(b, b->room);
	if (!b->values)
		return err_nomem(err);
	for (uint32_t i = 0; i < t->n_columns; i++)
		b->columns[i].v = column_at(b->values, b->room, i);
	return 0;
}

int tf_builder_new(struct tf_builder **out, const struct tf_table *t,
		   uint32_t max_rows, struct err *err)
{
	return tf_builder_new_growing(out, t, max_rows, max_rows, err);
}

int tf_builder_new_growing(struct tf_builder **out, const struct tf_table *t,
			   uint32_t first, uint32_t max_rows, struct err *err)
{
	struct tf_builder *b;
	int rc = check(t, max_rows, err);

	if (rc)
		return rc;
	b = calloc(1, sizeof(*b));
	if (!b)
		return err_nomem(err);
	b->table = t;
	b->room = first < max_rows ? first : max_rows;
	b->max_rows = max_rows;
	b->time_column = time_column(t);
	rc = allocate(b, err);
	if (rc)
		goto fail;
	tf_builder_clear(b);
	*out = b;
	return 0;
fail:
	tf_builder_free(b);
	return rc;
}

static bool resize(struct tf_builder *b, uint32_t room)
{
	uint64_t *values = new_values(b, room);

	if (!values)
		return false;
	for (uint32_t i = 0; i < b->table->n_columns; i++) {
		uint64_t *v = column_at(values, room, i);

		memcpy(v, b->columns[i].v, b->rows * sizeof(*v));
		b->columns[i].v = v;
	}
	free(b->values);
	b->values = values;
	b->room = room;
	return true;
}

bool tf_builder_grow(struct tf_builder *b)
{
	if (b->rows < b->room)
		return true;
	if (tf_builder_full(b))
		return false;
	return resize(b, b->room < b->max_rows / 2 ? b->room * 2 :
						     b->max_rows);
}

void tf_builder_shrink(struct tf_builder *b, uint32_t first)
{
	assert(!b->rows);
	if (b->room > first)
		(void)resize(b, first);
	for (uint32_t i = 0; i < b->table->n_columns; i++) {
		struct tf_builder_column *c = &b->columns[i];

		buf_fini(&c->bytes);
		buf_init(&c->bytes, TF_MAX_BYTES_STREAM);
		free(c->items);
		c->items = NULL;
		c->items_cap = 0;
	}
}

size_t tf_builder_memory(const struct tf_builder *b)
{
	size_t n = 0;

	for (uint32_t i = 0; i < b->table->n_columns; i++)
		n += b->room * sizeof(uint64_t) + b->columns[i].bytes.cap +
		     b->columns[i].items_cap * sizeof(uint64_t);
	return n;
}

void tf_builder_free(struct tf_builder *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; b->columns && i < b->table->n_columns; i++) {
		free(b->columns[i].items);
		buf_fini(&b->columns[i].bytes);
	}
	free(b->columns);
	free(b->values);
	free(b);
}

void tf_builder_clear(struct tf_builder *b)
{
	for (uint32_t i = 0; i < b->table->n_columns; i++) {
		buf_clear(&b->columns[i].bytes);
		b->columns[i].n_items = 0;
		b->columns[i].kept = 0;
	}
	b->rows = 0;
	b->t_min = UINT64_MAX;
	b->t_max = 0;
	b->watermark = 0;
	b->raw_bytes = 0;
	b->failed = false;
}

void tf_builder_bytes(struct tf_builder *b, unsigned column, const void *p,
		      size_t n)
{
	struct buf *bytes = &b->columns[column].bytes;

	buf_put(bytes, p, n);
	if (buf_failed(bytes))
		b->failed = true;
}

void tf_builder_list(struct tf_builder *b, unsigned column,
		     const uint64_t *items, size_t n)
{
	struct tf_builder_column *c = &b->columns[column];
	size_t need;

	if (!n)
		return;
	if (ckd_add(&need, c->n_items, n) || need > TF_MAX_LIST_ITEMS ||
	    !mem_grow(&c->items, &c->items_cap, need, sizeof(*c->items))) {
		b->failed = true;
		return;
	}
	memcpy(c->items + c->n_items, items, n * sizeof(*items));
	c->n_items = need;
}

static void take_back(struct tf_builder *b)
{
	for (uint32_t i = 0; i < b->table->n_columns; i++) {
		struct tf_builder_column *c = &b->columns[i];

		buf_clear(&c->bytes);
		if (b->table->columns[i].list)
			c->n_items = c->kept;
		else
			c->bytes.n = c->kept;
	}
	b->failed = false;
}

/* The count of a variable-size column is what was appended since the row
 * before, so a column that was not set is empty and never a stale length. */
static void keep(struct tf_builder *b, const struct tf_column *t,
		 struct tf_builder_column *c)
{
	size_t end;

	if (!is_variable(t))
		return;
	end = t->list ? c->n_items : c->bytes.n;
	c->v[b->rows] = end - c->kept;
	b->raw_bytes += (end - c->kept) * (t->list ? sizeof(*c->items) : 1);
	c->kept = end;
}

/* What varies in size. */
static bool keep_all(struct tf_builder *b)
{
	if (b->failed) {
		take_back(b);
		return false;
	}
	for (uint32_t i = 0; i < b->table->n_columns; i++)
		keep(b, &b->table->columns[i], &b->columns[i]);
	return true;
}

bool tf_builder_commit(struct tf_builder *b)
{
	assert(b->rows < b->room);
	if (b->variable && !keep_all(b))
		return false;
	if (b->time_column >= 0) {
		uint64_t t = b->columns[b->time_column].v[b->rows];

		b->t_min = t < b->t_min ? t : b->t_min;
		b->t_max = t > b->t_max ? t : b->t_max;
	}
	b->rows++;
	return true;
}
