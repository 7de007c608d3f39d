#include "tests/support/goldenmaker.h"

#include "format/catalog.h"

#include <string.h>

void goldenmaker_begin(struct goldenmaker *m, struct tf_sink *sink,
		       const struct tf_table *table, struct err *err)
{
	struct tf_file_info info = { .start_unix_ns = 1700000000123456789 };

	for (uint8_t i = 0; i < TF_FILE_ID_SIZE; i++)
		info.file_id[i] = (uint8_t)(0xa0 + i);
	*m = (struct goldenmaker){ .err = err };
	m->rc = tf_writer_new(&m->w, sink, &info, err);
	if (m->rc == 0 && table)
		m->rc = tf_writer_add_tables(m->w, &table, 1, err);
}

int goldenmaker_end(struct goldenmaker *m)
{
	if (m->w) {
		int rc = tf_writer_end(m->w, m->rc ? NULL : m->err);

		m->rc = m->rc ? m->rc : rc;
	}
	tf_writer_free(m->w);
	return m->rc;
}

struct tf_builder *goldenmaker_rows(struct goldenmaker *m,
				    const struct tf_table *t, uint32_t n)
{
	struct tf_builder *b = NULL;

	if (m->rc == 0)
		m->rc = tf_builder_new(&b, t, n, m->err);
	return b;
}

void goldenmaker_commit(struct goldenmaker *m, struct tf_builder *b)
{
	if (b && !tf_builder_commit(b) && m->rc == 0)
		m->rc = err_nomem(m->err);
}

struct tf_builder *goldenmaker_numbers(struct goldenmaker *m, uint32_t table,
				       const uint64_t *v, size_t n)
{
	const struct tf_table *t = tf_catalog_table(table);
	size_t rows = n / t->n_columns;
	struct tf_builder *b = goldenmaker_rows(m, t, (uint32_t)rows);

	for (size_t i = 0; b && i < rows; i++) {
		for (uint32_t c = 0; c < t->n_columns; c++)
			tf_builder_set(b, c, *v++);
		goldenmaker_commit(m, b);
	}
	return b;
}

struct tf_builder *goldenmaker_strings(struct goldenmaker *m,
				       const char *const *s)
{
	struct tf_builder *b =
		goldenmaker_rows(m, tf_catalog_table(TF_TABLE_STRING), 16);

	for (; b && *s; s++) {
		tf_builder_bytes(b, TF_STRING_BYTES, *s, strlen(*s));
		goldenmaker_commit(m, b);
	}
	return b;
}

struct tf_builder *goldenmaker_stacks(struct goldenmaker *m,
				      const uint64_t *parents, size_t n)
{
	struct tf_builder *b =
		goldenmaker_rows(m, tf_catalog_table(TF_TABLE_STACK), 8);

	for (size_t i = 0; b && i < n; i++) {
		tf_builder_set(b, TF_STACK_PARENT, parents[i]);
		tf_builder_set(b, TF_STACK_FRAME, 0);
		goldenmaker_commit(m, b);
	}
	return b;
}

void goldenmaker_chunk(struct goldenmaker *m, uint32_t epoch,
		       struct tf_builder **b, size_t n)
{
	if (m->rc == 0)
		m->rc = tf_writer_data(m->w, epoch, b, n, m->err);
	for (size_t i = 0; i < n; i++)
		tf_builder_free(b[i]);
}
