/* recode FILE: writes the rows of a trace again, to nowhere. Prints, for rows of
 * events: how many, bytes of the file a row, and nanoseconds of CPU a row to
 * encode all, to decode all, and to decode only cpu and time. */
#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/reader.h"
#include "format/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct counting_sink { /* counts bytes */
	struct tf_sink base;
	uint64_t n;
};

struct recoder {
	const struct tf_schema *schema;
	struct tf_reader *reader;
	struct tf_writer *writer;
	struct tf_builder **rows;  /* by table, as in the schema */
	struct tf_builder **parts; /* of the chunk, in their order */
	size_t n_parts;
	uint32_t epoch;
	uint64_t events;
	double encode;             /* seconds */
	struct err err;
};

static int count(struct tf_sink *s, const struct iovec *v, int n,
		 struct err *err)
{
	struct counting_sink *c = (struct counting_sink *)s;

	(void)err;
	for (int i = 0; i < n; i++)
		c->n += v[i].iov_len;
	return 0;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool is_event(const struct tf_table *t)
{
	return t->kind == TF_KIND_EVENT;
}

/* The writer knows the catalog's tables by its own pointers. */
static const struct tf_table *own_table(const struct tf_table *t)
{
	const struct tf_table *own = tf_catalog_table(t->id);

	return own ? own : t;
}

static int begin(struct recoder *r, struct tf_sink *sink)
{
	struct tf_file_info info = { .start_unix_ns = 1 };
	size_t n = r->schema->n;
	int rc = tf_writer_new(&r->writer, sink, &info, &r->err);

	r->rows = calloc(n + 1, sizeof(*r->rows));
	r->parts = calloc(n + 1, sizeof(*r->parts));
	if (rc == 0 && (!r->rows || !r->parts))
		rc = err_nomem(&r->err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct tf_table *t = own_table(r->schema->tables[i]);

		if (t->id >= TF_TABLE_DYNAMIC)
			rc = tf_writer_add_tables(r->writer, &t, 1, &r->err);
		if (rc == 0)
			rc = tf_builder_new_growing(&r->rows[i], t, 1024,
						    TF_MAX_ROWS, &r->err);
	}
	return rc;
}

static int write_chunk(struct recoder *r)
{
	double from = cpu_seconds();
	int rc = tf_writer_data(r->writer, r->epoch, r->parts, r->n_parts,
				&r->err);

	r->encode += cpu_seconds() - from;
	for (size_t i = 0; i < r->n_parts; i++)
		tf_builder_clear(r->parts[i]);
	r->n_parts = 0;
	return rc;
}

static void put_value(struct tf_builder *b, unsigned column,
		      const struct tf_values *x, uint32_t row)
{
	size_t n = x->offsets ? x->offsets[row + 1] - x->offsets[row] : 0;

	if (x->v)
		tf_builder_set(b, column, x->v[row]);
	else if (x->items)
		tf_builder_list(b, column, x->items + x->offsets[row], n);
	else if (x->bytes)
		tf_builder_bytes(b, column, x->bytes + x->offsets[row], n);
}

static int put_rows(struct recoder *r, struct tf_builder *b,
		    const struct tf_view *v)
{
	for (uint32_t i = 0; i < v->rows; i++) {
		if (!tf_builder_grow(b))
			return err_nomem(&r->err);
		for (uint32_t k = 0; k < b->table->n_columns; k++)
			put_value(b, k, &v->columns[k], i);
		if (!tf_builder_commit(b))
			return err_nomem(&r->err);
	}
	b->watermark = v->watermark;
	r->parts[r->n_parts++] = b;
	r->events += is_event(b->table) ? v->rows : 0;
	return 0;
}

static struct tf_builder *builder_of(const struct recoder *r, uint32_t table)
{
	for (size_t i = 0; i < r->schema->n; i++)
		if (r->rows[i]->table->id == table)
			return r->rows[i];
	return NULL;
}

static int copy(struct recoder *r, struct tf_cursor *c)
{
	size_t chunk = SIZE_MAX;
	const struct tf_view *v;
	int rc;

	while ((rc = tf_cursor_next(c, &v, &r->err)) == 0) {
		if (r->n_parts && v->chunk != chunk)
			rc = write_chunk(r);
		chunk = v->chunk;
		r->epoch = v->epoch;
		if (rc == 0)
			rc = put_rows(r, builder_of(r, v->table->id), v);
		if (rc)
			return rc;
	}
	return rc < 0 ? rc : write_chunk(r);
}

/* A cursor over all tables, or over cpu and time of those with events. */
static int cursor(struct recoder *r, bool all, struct tf_cursor **out)
{
	struct tf_query *q = calloc(r->schema->n + 1, sizeof(*q));
	size_t n = 0;
	int rc;

	if (!q)
		return err_nomem(&r->err);
	for (size_t i = 0; i < r->schema->n; i++) {
		const struct tf_table *t = r->schema->tables[i];

		if (all || is_event(t))
			q[n++] = (struct tf_query){
				.table = t->id,
				.columns = all ? UINT64_MAX : 3,
			};
	}
	rc = tf_cursor_new_many(out, r->reader, q, n, &r->err);
	free(q);
	return rc;
}

static int run_copy(struct recoder *r)
{
	struct tf_cursor *c = NULL;
	int rc = cursor(r, true, &c);

	if (rc == 0)
		rc = copy(r, c);
	if (rc == 0)
		rc = tf_writer_end(r->writer, &r->err);
	tf_cursor_free(c);
	return rc;
}

/* The least of some runs, as `zstd -b` gives it for what it is compared with. */
enum { RUNS = 3 };

static int run_decode(struct recoder *r, bool all, double *seconds)
{
	struct tf_cursor *c = NULL;
	const struct tf_view *v;
	double from = cpu_seconds(), took;
	int rc = cursor(r, all, &c);

	while (rc == 0)
		rc = tf_cursor_next(c, &v, &r->err);
	tf_cursor_free(c);
	took = cpu_seconds() - from;
	if (*seconds <= 0 || took < *seconds)
		*seconds = took;
	return rc < 0 ? rc : 0;
}

static int run_decodes(struct recoder *r, double *all, double *few)
{
	int rc = 0;

	for (int i = 0; i < RUNS && rc == 0; i++) {
		rc = run_decode(r, true, all);
		if (rc == 0)
			rc = run_decode(r, false, few);
	}
	return rc;
}

static int recode(struct recoder *r, struct tf_source *source)
{
	struct counting_sink to = { .base = { .append = count,
					      .name = "(nowhere)" } };
	double all = 0, few = 0, n;
	int rc = tf_reader_open(&r->reader, source, &r->err);

	if (rc == 0) {
		r->schema = tf_reader_schema(r->reader);
		rc = begin(r, &to.base);
	}
	if (rc == 0)
		rc = run_copy(r);
	if (rc == 0)
		rc = run_decodes(r, &all, &few);
	n = r->events ? (double)r->events : 1;
	if (rc == 0)
		printf("%" PRIu64 " %.3f %.1f %.1f %.1f\n", r->events,
		       (double)to.n / n, r->encode * 1e9 / n,
		       all * 1e9 / n, few * 1e9 / n);
	return rc;
}

int main(int argc, char **argv)
{
	struct recoder r = { .n_parts = 0 };
	struct tf_source *source = NULL;
	int rc;

	if (argc != 2) {
		fprintf(stderr, "usage: recode FILE\n");
		return 2;
	}
	rc = tf_source_open(&source, argv[1], NULL, &r.err);
	if (rc == 0)
		rc = recode(&r, source);
	if (rc)
		fprintf(stderr, "recode: %s\n", r.err.text);
	for (size_t i = 0; r.rows && i < r.schema->n; i++)
		tf_builder_free(r.rows[i]);
	free(r.rows);
	free(r.parts);
	tf_writer_free(r.writer);
	tf_reader_free(r.reader);
	if (source)
		tf_source_close(source);
	return rc ? 1 : 0;
}
