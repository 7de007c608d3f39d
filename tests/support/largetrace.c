/* Makes a large trace out of a small one: largetrace IN OUT BYTES [ROUNDS]. The
 * rows of IN come again and again, each time later by its length, as if the
 * recording had gone on; names, which a recorder writes once, only the first
 * time. After so many rounds (1) new epochs begin, which have all definitions
 * again; the rounds between have none. largetrace FILE says how many microseconds
 * opening it takes. */
#include "format/base/time.h"
#include "format/catalog.h"
#include "format/reader.h"
#include "format/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_TABLES 256

struct large {
	struct tf_reader *in;
	struct tf_writer *out;
	const struct tf_table *tables[MAX_TABLES];
	struct tf_builder *parts[MAX_TABLES];
	size_t n_tables, n_parts;
	uint64_t from, shift, length;
	uint32_t epoch, epochs; /* of this round and of the input */
	uint32_t rounds;        /* that an epoch goes on */
	struct err err;
};

static bool is_once(uint32_t table)
{
	return table == TF_TABLE_SYMBOL || table == TF_TABLE_FACT ||
	       table == TF_TABLE_MARK;
}

static bool comes_again(const struct large *l, const struct tf_table *t,
			uint32_t round)
{
	if (!round)
		return true;
	return !is_once(t->id) && (round % l->rounds == 0 ||
				   t->kind != TF_KIND_DEFINITION);
}

/* What began before the recording did so in each round. */
static uint64_t moved(const struct large *l, const struct tf_column *c,
		      uint64_t v)
{
	return tf_column_is_time(c) && v >= l->from ? v + l->shift : v;
}

static void copy_value(const struct large *l, struct tf_builder *b,
		       const struct tf_view *v, uint32_t c, uint32_t row)
{
	const struct tf_column *column = &v->table->columns[c];
	const struct tf_values *in = &v->columns[c];
	struct span bytes;

	if (column->type == TF_BYTES) {
		bytes = tf_view_bytes(v, c, row);
		tf_builder_bytes(b, c, bytes.p, bytes.n);
	} else if (column->list) {
		tf_builder_list(b, c, in->items + in->offsets[row],
				in->offsets[row + 1] - in->offsets[row]);
	} else {
		tf_builder_set(b, c, moved(l, column, in->v[row]));
	}
}

static int copy_part(struct large *l, const struct tf_view *v)
{
	const struct tf_table *own = tf_catalog_table(v->table->id);
	struct tf_builder *b;
	int rc = tf_builder_new(&b, own ? own : v->table, v->rows, &l->err);

	if (rc)
		return rc;
	for (uint32_t row = 0; row < v->rows; row++) {
		for (uint32_t c = 0; c < b->table->n_columns; c++)
			copy_value(l, b, v, c, row);
		tf_builder_commit(b);
	}
	b->watermark = v->watermark ? v->watermark + l->shift : 0;
	l->parts[l->n_parts++] = b;
	return 0;
}

static int put_chunk(struct large *l)
{
	int rc = l->n_parts ? tf_writer_data(l->out, l->epoch, l->parts,
					     l->n_parts, &l->err) : 0;

	for (size_t i = 0; i < l->n_parts; i++)
		tf_builder_free(l->parts[i]);
	l->n_parts = 0;
	return rc;
}

static int copy_once(struct large *l, uint32_t round)
{
	struct tf_query q[MAX_TABLES];
	struct tf_cursor *cursor;
	const struct tf_view *v;
	size_t chunk = SIZE_MAX, n = 0;
	int rc;

	for (size_t i = 0; i < l->n_tables; i++)
		if (comes_again(l, l->tables[i], round))
			q[n++] = (struct tf_query){ .table = l->tables[i]->id,
						    .columns = UINT64_MAX };
	rc = tf_cursor_new_many(&cursor, l->in, q, n, &l->err);
	while (rc == 0 && (rc = tf_cursor_next(cursor, &v, &l->err)) == 0) {
		if (v->chunk != chunk || l->n_parts == MAX_TABLES)
			rc = put_chunk(l);
		chunk = v->chunk;
		l->epoch = round / l->rounds * l->epochs + v->epoch;
		if (!rc)
			rc = copy_part(l, v);
	}
	tf_cursor_free(cursor);
	return rc < 0 ? rc : put_chunk(l);
}

static int find_tables(struct large *l)
{
	const struct tf_schema *s = tf_reader_schema(l->in);
	uint32_t times[] = { TF_TABLE_SAMPLE };
	uint64_t to;

	for (size_t i = 0; i < s->n && l->n_tables < MAX_TABLES; i++)
		if (s->tables[i]->id != TF_TABLE_INDEX)
			l->tables[l->n_tables++] = s->tables[i];
	for (size_t i = 0; i < tf_reader_chunks(l->in); i++)
		if (tf_reader_chunk(l->in, i)->epoch >= l->epochs)
			l->epochs = tf_reader_chunk(l->in, i)->epoch + 1;
	if (tf_reader_bounds(l->in, times, 1, &l->from, &to, &l->err))
		return -1;
	l->length = to - l->from + 1000000;
	return 0;
}

/* The writer knows those of the catalog. */
static int announce(struct large *l)
{
	int rc = 0;

	for (size_t i = 0; i < l->n_tables && !rc; i++)
		if (!tf_catalog_table(l->tables[i]->id))
			rc = tf_writer_add_tables(l->out, &l->tables[i], 1,
						  &l->err);
	return rc;
}

static int run(struct large *l, uint64_t size)
{
	int rc = find_tables(l);

	if (!rc)
		rc = announce(l);
	for (uint32_t round = 0; !rc && tf_writer_size(l->out) < size;
	     round++) {
		rc = copy_once(l, round);
		l->shift += l->length;
	}
	return rc ? rc : tf_writer_end(l->out, &l->err);
}

static uint64_t time_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

static int tell_opening(const char *path)
{
	struct tf_source *source = NULL;
	struct tf_reader *r = NULL;
	struct err err = { 0 };
	uint64_t from = time_now();
	int rc = tf_source_open(&source, path, NULL, &err);

	if (!rc)
		rc = tf_reader_open(&r, source, &err);
	if (!rc)
		printf("%" PRIu64 "\n", (time_now() - from) / 1000);
	else
		fprintf(stderr, "largetrace: %s\n", err.text);
	tf_reader_free(r);
	tf_source_close(source);
	return rc ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct tf_file_info info = { .file_id = "largetrace" };
	struct tf_source *source = NULL;
	struct tf_sink *sink = NULL;
	struct large l = { .rounds = 1 };
	int rc;

	if (argc == 2)
		return tell_opening(argv[1]);
	if (argc == 5)
		l.rounds = (uint32_t)strtoul(argv[4], NULL, 10);
	if (argc < 4 || argc > 5 || !l.rounds) {
		fputs("usage: largetrace IN OUT BYTES [ROUNDS] | largetrace FILE\n",
		      stderr);
		return 2;
	}
	rc = tf_source_open(&source, argv[1], NULL, &l.err);
	if (!rc)
		rc = tf_reader_open(&l.in, source, &l.err);
	if (!rc)
		rc = tf_sink_open(&sink, argv[2], &l.err);
	if (!rc)
		info.start_unix_ns = tf_reader_header(l.in)->start_unix_ns;
	if (!rc)
		rc = tf_writer_new(&l.out, sink, &info, &l.err);
	if (!rc)
		rc = run(&l, strtoull(argv[3], NULL, 10));
	tf_writer_free(l.out);
	if (tf_sink_close(sink, NULL))
		rc = -1;
	tf_reader_free(l.in);
	tf_source_close(source);
	if (rc)
		fprintf(stderr, "largetrace: %s\n", l.err.text);
	return rc ? 1 : 0;
}
