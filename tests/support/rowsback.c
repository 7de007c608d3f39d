#include "tests/support/rowsback.h"

#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void add_row(struct rowsback *to, const struct tf_view *v, uint32_t i)
{
	struct rowsback_row row = {
		.chunk = v->chunk,
		.epoch = v->epoch,
		.id = v->base_row + i,
		.watermark = v->watermark,
	};

	for (uint32_t c = 0; c < v->table->n_columns; c++) {
		const struct tf_column *column = &v->table->columns[c];
		struct span bytes;

		if (column->list) {
			row.v[c] = v->columns[c].offsets[i + 1] -
				   v->columns[c].offsets[i];
			continue;
		}
		if (column->type != TF_BYTES) {
			row.v[c] = v->columns[c].v[i];
			continue;
		}
		bytes = tf_view_bytes(v, c, i);
		row.n_bytes = bytes.n;
		row.bytes = malloc(bytes.n + 1);
		assert_non_null(row.bytes);
		if (bytes.n)
			memcpy(row.bytes, bytes.p, bytes.n);
	}
	assert_true(mem_grow(&to->items, &to->cap, to->n + 1,
			     sizeof(*to->items)));
	to->items[to->n++] = row;
}

static void read_rows(struct rowsback *to, const struct tf_reader *r,
		      uint32_t table)
{
	struct tf_query q = { .table = table, .columns = UINT64_MAX };
	struct tf_cursor *c = NULL;
	const struct tf_view *v;
	struct err err = { 0 };
	int rc;

	assert_int_equal(tf_cursor_new(&c, r, &q, &err), 0);
	while ((rc = tf_cursor_next(c, &v, &err)) == 0)
		for (uint32_t i = 0; i < v->rows; i++)
			add_row(to, v, i);
	assert_int_equal(rc, 1);
	tf_cursor_free(c);
}

void rowsback_read(struct rowsback *to, struct span file, uint32_t table)
{
	struct tf_source *source = NULL;
	struct tf_reader *r = NULL;
	struct err err = { 0 };
	const struct tf_gap *gaps;

	*to = (struct rowsback){ 0 };
	assert_int_equal(tf_source_memory(&source, file, &err), 0);
	assert_int_equal(tf_reader_open(&r, source, &err), 0);
	to->closed = tf_reader_ending(r) == TF_CLOSED &&
		     tf_reader_gaps(r, &gaps) == 0;
	if (tf_schema_by_id(tf_reader_schema(r), table))
		read_rows(to, r, table);
	tf_reader_free(r);
	tf_source_close(source);
}

void rowsback_fini(struct rowsback *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->items[i].bytes);
	free(r->items);
	*r = (struct rowsback){ 0 };
}

const struct rowsback_row *rowsback_find(const struct rowsback *r,
					 uint32_t epoch, uint64_t id)
{
	/* Rows of definitions are dense, so the place is a good first try. */
	if (id < r->n && r->items[id].epoch == epoch && r->items[id].id == id)
		return &r->items[id];
	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].epoch == epoch && r->items[i].id == id)
			return &r->items[i];
	return NULL;
}

bool rowsback_is(const struct rowsback_row *r, const char *text)
{
	return r && r->n_bytes == strlen(text) &&
	       memcmp(r->bytes, text, r->n_bytes) == 0;
}

static void check_column(const struct tf_table *table, uint32_t column,
			 const struct rowsback *rows, const struct rowsback *to)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct rowsback_row *r = &rows->items[i];
		const struct rowsback_row *meant =
			rowsback_find(to, r->epoch, r->v[column]);

		/* The empty stack has no frame. */
		if (table->id == TF_TABLE_STACK && !r->id)
			continue;
		assert_non_null(meant);
		assert_true(meant->chunk <= r->chunk);
	}
}

void rowsback_check_references(struct span file)
{
	for (size_t t = 0; t < tf_catalog_size; t++) {
		const struct tf_table *table = tf_catalog[t];
		struct rowsback rows, to;

		rowsback_read(&rows, file, table->id);
		for (uint32_t c = 0; c < table->n_columns; c++) {
			if (table->columns[c].type != TF_REF)
				continue;
			rowsback_read(&to, file, table->columns[c].ref_table);
			check_column(table, c, &rows, &to);
			rowsback_fini(&to);
		}
		rowsback_fini(&rows);
	}
}
