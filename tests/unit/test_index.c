#include "format/batch.h"
#include "format/index.h"
#include "format/meter.h"
#include "format/verify.h"
#include "format/writer.h"

#include "format/base/mem.h"
#include "format/catalog.h"
#include "tests/support/failalloc.h"
#include "tests/support/goldens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Four chunks: strings; marks; strings and marks; marks of earlier times. */
struct file {
	struct buf bytes;
	struct tf_source *source;
	struct tf_reader *r;
	struct err err;
};

static const struct tf_table *table(uint32_t id)
{
	return tf_catalog_table(id);
}

static void put(struct tf_writer *w, struct tf_builder *string,
		struct tf_builder *mark, bool has_string, uint64_t from,
		uint64_t to)
{
	struct tf_builder *parts[] = { string, mark };

	if (has_string) {
		tf_builder_bytes(string, TF_STRING_BYTES, "x", 1);
		assert_true(tf_builder_commit(string));
	}
	for (uint64_t at = from; at <= to && from; at += to - from) {
		tf_builder_set(mark, TF_MARK_TIME, at);
		tf_builder_set(mark, TF_MARK_SOURCE, 1);
		tf_builder_set(mark, TF_MARK_PID, 0);
		tf_builder_set(mark, TF_MARK_TEXT, 0);
		assert_true(tf_builder_commit(mark));
	}
	assert_int_equal(tf_writer_data(w, 0, parts, 2, NULL), 0);
	tf_builder_clear(string);
	tf_builder_clear(mark);
}

static void write_file(struct file *f, bool closed)
{
	struct tf_file_info info = { .file_id = { 1, 2, 3 } };
	struct tf_builder *string, *mark;
	struct tf_writer *w;
	struct tf_sink *sink;

	*f = (struct file){ .source = NULL };
	buf_init(&f->bytes, 0);
	assert_int_equal(tf_sink_memory(&sink, &f->bytes, NULL), 0);
	assert_int_equal(tf_writer_new(&w, sink, &info, NULL), 0);
	assert_int_equal(tf_builder_new(&string, table(TF_TABLE_STRING), 4,
					NULL), 0);
	assert_int_equal(tf_builder_new(&mark, table(TF_TABLE_MARK), 4, NULL),
			 0);
	put(w, string, mark, true, 0, 0);
	put(w, string, mark, false, 2000, 3000);
	put(w, string, mark, true, 2500, 2600);
	put(w, string, mark, false, 1000, 1500);
	if (closed)
		assert_int_equal(tf_writer_end(w, NULL), 0);
	tf_builder_free(string);
	tf_builder_free(mark);
	tf_writer_free(w);
	assert_int_equal(tf_sink_close(sink, NULL), 0);
}

static void open_file(struct file *f)
{
	if (tf_source_memory(&f->source, span_of(f->bytes.p, f->bytes.n),
			     &f->err) ||
	    tf_reader_open(&f->r, f->source, &f->err))
		fail_msg("%s", f->err.text);
}

static void unload(struct file *f)
{
	tf_reader_free(f->r);
	tf_source_close(f->source);
	buf_fini(&f->bytes);
}

#define STRINGS ((uint64_t)1 << 1)
#define MARKS ((uint64_t)1 << 18)

static void the_index_tells_the_tables_of_each_chunk(void **state)
{
	/* Schema, the four, index, END. */
	static const uint64_t want[] = { 0, STRINGS, MARKS, STRINGS | MARKS,
					 MARKS };
	struct file f;

	(void)state;
	write_file(&f, true);
	open_file(&f);
	assert_int_equal(tf_reader_chunks(f.r), 7);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(tf_reader_chunk(f.r, i)->tables, want[i]);
	unload(&f);
}

static void without_an_index_any_table_may_be_anywhere(void **state)
{
	struct file f;

	(void)state;
	write_file(&f, false);
	open_file(&f);
	assert_int_equal(tf_reader_chunks(f.r), 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(tf_reader_chunk(f.r, i)->tables, UINT64_MAX);
	unload(&f);
}

static void nor_does_an_index_of_an_earlier_version_tell(void **state)
{
	struct file f = { .source = NULL };

	(void)state;
	assert_int_equal(golden_stored(&goldens[0], &f.bytes, &f.err), 0);
	open_file(&f);
	assert_int_equal(tf_reader_ending(f.r), TF_CLOSED);
	assert_int_equal(tf_reader_chunk(f.r, 1)->tables, UINT64_MAX);
	unload(&f);
}

static size_t rows_of(struct file *f, uint32_t id)
{
	struct tf_query q = { .table = id, .columns = 1 };
	const struct tf_view *v;
	struct tf_cursor *c;
	size_t n = 0;

	assert_int_equal(tf_cursor_new(&c, f->r, &q, NULL), 0);
	while (tf_cursor_next(c, &v, NULL) == 0)
		n += v->rows;
	tf_cursor_free(c);
	return n;
}

static void chunks_without_the_table_are_not_loaded(void **state)
{
	struct file f;

	(void)state;
	write_file(&f, true);
	open_file(&f);
	assert_int_equal(tf_reader_loaded(f.r), 0);
	assert_int_equal(rows_of(&f, TF_TABLE_STRING), 2);
	assert_int_equal(tf_reader_loaded(f.r), 2);
	assert_int_equal(rows_of(&f, TF_TABLE_MARK), 6);
	assert_int_equal(tf_reader_loaded(f.r), 4);
	unload(&f);
}

static void take(struct file *f, const struct tf_sealed *s)
{
	for (int i = 0; i < s->n; i++)
		buf_put(&f->bytes, s->v[i].iov_base, s->v[i].iov_len);
}

/* The file again, with an index that says `tables` of chunk 2. */
static void lie(struct file *f, uint64_t tables)
{
	static const uint8_t file_id[TF_FILE_ID_SIZE] = { 1, 2, 3 };
	struct tf_head h = { .type = TF_CHUNK_INDEX, .seq = 5 };
	struct tf_head end = { .type = TF_CHUNK_END, .seq = 6 };
	struct tf_index index = { 0 };
	struct tf_batch batch;
	struct tf_builder *b;
	struct tf_sealed s;

	open_file(f);
	for (size_t i = 0; i < 5; i++) {
		struct tf_chunk_info c = *tf_reader_chunk(f->r, i);

		if (i == 2)
			c.tables = tables;
		assert_true(tf_index_add(&index, &c));
	}
	h.offset = end.aux = tf_reader_chunk(f->r, 5)->offset;
	f->bytes.n = (size_t)h.offset;
	assert_int_equal(tf_index_build(&index, &b, NULL), 0);
	assert_int_equal(tf_batch_init(&batch, NULL), 0);
	assert_int_equal(tf_batch_add(&batch, b, 0, NULL), 0);
	assert_int_equal(tf_batch_seal(&batch, &h, file_id, &s, NULL), 0);
	take(f, &s);
	tf_builder_free(b);
	tf_batch_clear(&batch);
	end.offset = f->bytes.n;
	tf_batch_seal_end(&batch, &end, file_id, &s);
	take(f, &s);
	tf_batch_fini(&batch);
	tf_index_fini(&index);
	tf_reader_free(f->r);
	tf_source_close(f->source);
}

static void note(void *ctx, uint64_t offset, const char *what)
{
	(void)offset;
	assert_non_null(strstr(what, "index differs from the chunks"));
	++*(int *)ctx;
}

static int problems(uint64_t tables)
{
	struct tf_verify_result result;
	struct file f;
	int n = 0;

	write_file(&f, true);
	lie(&f, tables);
	open_file(&f);
	assert_int_equal(tf_reader_ending(f.r), TF_CLOSED);
	assert_int_equal(tf_verify(f.r, note, &n, &result, &f.err), 0);
	assert_int_equal(result.problems, n);
	unload(&f);
	return n;
}

static void an_index_with_other_tables_than_there_are_is_a_problem(void **state)
{
	(void)state;
	assert_int_equal(problems(MARKS), 0);
	assert_int_equal(problems(UINT64_MAX), 0); /* does not say */
	assert_int_equal(problems(0), 1);
	assert_int_equal(problems(STRINGS), 1);
	assert_int_equal(problems(MARKS | STRINGS), 1);
}

static void bounds_are_those_of_the_table_from_few_chunks(void **state)
{
	static const uint32_t marks[] = { TF_TABLE_MARK };
	static const uint32_t others[] = { TF_TABLE_LOSS, TF_TABLE_SAMPLE };
	uint64_t t_min = 7, t_max = 7;
	struct file f;

	(void)state;
	write_file(&f, true);
	open_file(&f);
	assert_int_equal(tf_reader_bounds(f.r, others, 2, &t_min, &t_max,
					  NULL), 1);
	assert_int_equal(tf_reader_loaded(f.r), 0);
	assert_int_equal(tf_reader_bounds(f.r, marks, 1, &t_min, &t_max, NULL),
			 0);
	assert_int_equal(t_min, 1000);
	assert_int_equal(t_max, 3000);
	/* 2500 to 2600 is known to lie inside. */
	assert_int_equal(tf_reader_loaded(f.r), 2);
	unload(&f);
}

static void a_page_that_is_read_twice_counts_once(void **state)
{
	static uint8_t bytes[10000];
	uint8_t to[10000];
	struct tf_source *inner, *meter;

	(void)state;
	assert_int_equal(tf_source_memory(&inner,
					  span_of(bytes, sizeof(bytes)), NULL),
			 0);
	assert_int_equal(tf_meter_new(&meter, inner, NULL), 0);
	assert_int_equal(meter->size, 10000);
	assert_int_equal(tf_meter_bytes(meter), 0);
	assert_int_equal(meter->read(meter, to, 10, 100, NULL), 0);
	assert_int_equal(meter->read(meter, to, 4096, 0, NULL), 0);
	assert_int_equal(tf_meter_bytes(meter), 4096);
	assert_int_equal(meter->read(meter, to, 2, 8191, NULL), 0);
	assert_int_equal(tf_meter_bytes(meter), 10000);
	assert_int_equal(meter->read(meter, to, 2, 9999, NULL), 1);
	assert_int_equal(meter->read(meter, to, 0, UINT64_MAX, NULL), 1);
	tf_source_close(meter);
}

static void a_meter_without_memory_leaves_the_source_alone(void **state)
{
	struct tf_source *inner, *meter;
	uint8_t to;

	(void)state;
	assert_int_equal(tf_source_memory(&inner, span_of("x", 1), NULL), 0);
	for (long n = 1; n <= 2; n++) {
		failalloc_at(n);
		assert_int_equal(tf_meter_new(&meter, inner, NULL), ERR_NOMEM);
		failalloc_off();
	}
	assert_int_equal(inner->read(inner, &to, 1, 0, NULL), 0);
	assert_int_equal(to, 'x');
	tf_source_close(inner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_index_tells_the_tables_of_each_chunk),
		cmocka_unit_test(without_an_index_any_table_may_be_anywhere),
		cmocka_unit_test(nor_does_an_index_of_an_earlier_version_tell),
		cmocka_unit_test(chunks_without_the_table_are_not_loaded),
		cmocka_unit_test(
			an_index_with_other_tables_than_there_are_is_a_problem),
		cmocka_unit_test(bounds_are_those_of_the_table_from_few_chunks),
		cmocka_unit_test(a_page_that_is_read_twice_counts_once),
		cmocka_unit_test(
			a_meter_without_memory_leaves_the_source_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
