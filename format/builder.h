/* Rows of one table while they are being made: one array per column, sized
 * once, so that the recorder's loop does not allocate; or growing, for tables
 * of which there are many and most stay small. */
#ifndef FORMAT_BUILDER_H
#define FORMAT_BUILDER_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/schema.h"

#include <stdbool.h>
#include <stdint.h>

struct tf_builder_column {
	uint64_t *v;    /* one a row: the value, f64 as its bits, i64 as two's
			 * complement; for bytes and lists the item count */
	struct buf bytes; /* TF_BYTES: the bytes of all rows, one behind another*/
	uint64_t *items;  /* list: the items of all rows */
	size_t n_items;
	size_t items_cap;
	size_t kept;      /* of the bytes or items: those of whole rows */
};

struct tf_builder {
	const struct tf_table *table; /* outlives the builder */
	struct tf_builder_column *columns;
	uint64_t *values;   /* of all columns, one behind another */
	uint32_t rows;
	uint32_t room;      /* rows that the arrays hold now */
	uint32_t max_rows;
	uint64_t t_min; /* of the column with role TIME; UINT64_MAX if none */
	uint64_t t_max;
	uint64_t watermark; /* no later row of this table in this epoch is
			     * older; set by the owner before it leaves */
	size_t raw_bytes;   /* variable-size content so far */
	int time_column;    /* -1: none */
	bool variable;      /* has columns of bytes or lists */
	bool failed;        /* a byte or list item found no memory: the row was
			     * not added */
};

int tf_builder_new(struct tf_builder **out, const struct tf_table *t,
		   uint32_t max_rows, struct err *err);

/* One that begins with room for `first` rows; ask tf_builder_grow() for room
 * before each row. */
int tf_builder_new_growing(struct tf_builder **out, const struct tf_table *t,
			   uint32_t first, uint32_t max_rows, struct err *err);
/* Room for one more row: false where max_rows are there or no memory is. */
bool tf_builder_grow(struct tf_builder *b);
/* Gives the memory back beyond `first` rows and of all variable-size columns;
 * only of an empty builder. */
void tf_builder_shrink(struct tf_builder *b, uint32_t first);
size_t tf_builder_memory(const struct tf_builder *b); /* bytes of its arrays */

void tf_builder_free(struct tf_builder *b); /* NULL is fine */
void tf_builder_clear(struct tf_builder *b); /* keeps the memory */

/* A row: set every column once, then commit. Columns are by position. */
static inline void tf_builder_set(struct tf_builder *b, unsigned column,
				  uint64_t value)
{
	b->columns[column].v[b->rows] = value;
}

void tf_builder_bytes(struct tf_builder *b, unsigned column, const void *p,
		      size_t n);
void tf_builder_list(struct tf_builder *b, unsigned column,
		     const uint64_t *items, size_t n);

/* false: out of memory in a variable-size column; the row is taken back. */
bool tf_builder_commit(struct tf_builder *b);

static inline bool tf_builder_full(const struct tf_builder *b)
{
	return b->rows >= b->max_rows;
}

#endif
