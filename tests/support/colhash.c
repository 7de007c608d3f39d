/* colhash FILE: for each table and column, by table number and position, a line
 * "TABLE COLUMN ROWS CRC": the checksum of valuehash.h over all values in the
 * order of the file that can be read. An independent reader must come to the
 * same. */
#include "format/reader.h"
#include "tests/support/valuehash.h"

#include <inttypes.h>
#include <stdio.h>

/* Goes on behind what is damaged. */
static int next_part(struct tf_cursor *c, const struct tf_view **out,
		     struct err *err)
{
	int rc;

	while ((rc = tf_cursor_next(c, out, err)) == ERR_FORMAT ||
	       rc == ERR_LIMIT)
		fprintf(stderr, "colhash: %s\n", err->text);
	return rc;
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
	struct valuehash h;
	int rc = tf_cursor_new(&c, r, &q, err);

	valuehash_init(&h);
	while (rc == 0 && (rc = next_part(c, &v, err)) == 0) {
		/* Stored in a way that is not known. */
		if (!v->columns[i].present)
			continue;
		for (uint32_t k = 0; k < v->rows; k++)
			valuehash_add_value(&h, v, i, k);
		rows += v->rows;
	}
	tf_cursor_free(c);
	if (rc < 0)
		return rc;
	if (rows)
		printf("%s %s %" PRIu64 " %08" PRIx32 "\n", t->name,
		       t->columns[i].name, rows, valuehash_sum(&h));
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
