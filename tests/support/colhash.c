/* colhash FILE: for each table and column, by table number and position, a line
 * "TABLE COLUMN ROWS CRC": the CRC-32 (as zlib's crc32) over all values in the
 * order of the file: numbers as 8 bytes, little-endian; bytes as 8 bytes of
 * length, then themselves; lists as 8 bytes of count, then 8 bytes an item. An
 * independent reader must come to the same. */
#include "format/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLYNOMIAL 0xedb88320u

struct hash {
	uint32_t table[256];
	uint32_t crc;
};

static void begin(struct hash *h)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? POLYNOMIAL ^ c >> 1 : c >> 1;
		h->table[i] = c;
	}
	h->crc = 0xffffffff;
}

static void add(struct hash *h, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h->crc = h->table[(h->crc ^ p[i]) & 0xff] ^ h->crc >> 8;
}

static void add_number(struct hash *h, uint64_t v)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(v >> (8 * i));
	add(h, bytes, sizeof(bytes));
}

static void add_row(struct hash *h, const struct tf_view *v, uint32_t column,
		    uint32_t row)
{
	const struct tf_column *c = &v->table->columns[column];
	const struct tf_values *x = &v->columns[column];
	struct span s;

	if (c->list) {
		add_number(h, x->offsets[row + 1] - x->offsets[row]);
		for (uint32_t i = x->offsets[row]; i < x->offsets[row + 1];
		     i++)
			add_number(h, x->items[i]);
	} else if (c->type == TF_BYTES) {
		s = tf_view_bytes(v, column, row);
		add_number(h, s.n);
		add(h, s.p, s.n);
	} else {
		add_number(h, x->v[row]);
	}
}

/* One column at a time: memory stays small, and each is decoded on its own. */
static int column(const struct tf_reader *r, const struct tf_table *t,
		  uint32_t i, struct err *err)
{
	struct tf_query q = { .table = t->id,
			      .columns = i < 64 ? UINT64_C(1) << i : 0 };
	struct tf_cursor *c = NULL;
	const struct tf_view *v;
	uint64_t rows = 0;
	struct hash h;
	int rc = tf_cursor_new(&c, r, &q, err);

	begin(&h);
	while (rc == 0 && (rc = tf_cursor_next(c, &v, err)) == 0) {
		for (uint32_t k = 0; k < v->rows; k++)
			add_row(&h, v, i, k);
		rows += v->rows;
	}
	tf_cursor_free(c);
	if (rc < 0)
		return rc;
	if (rows)
		printf("%s %s %" PRIu64 " %08" PRIx32 "\n", t->name,
		       t->columns[i].name, rows, ~h.crc);
	return 0;
}

int main(int argc, char **argv)
{
	const struct tf_schema *schema;
	struct tf_source *source = NULL;
	struct tf_reader *r = NULL;
	struct err err = { 0 };
	int rc;

	if (argc != 2)
		return 2;
	rc = tf_source_open(&source, argv[1], tf_reader_check_front, &err);
	if (rc == 0)
		rc = tf_reader_open(&r, source, &err);
	if (rc < 0)
		goto out;
	schema = tf_reader_schema(r);
	for (size_t i = 0; i < schema->n && rc == 0; i++)
		for (uint32_t k = 0;
		     k < schema->tables[i]->n_columns && rc == 0; k++)
			rc = column(r, schema->tables[i], k, &err);
out:
	if (rc < 0)
		fprintf(stderr, "colhash: %s\n", err.text);
	tf_reader_free(r);
	tf_source_close(source);
	return rc < 0;
}
