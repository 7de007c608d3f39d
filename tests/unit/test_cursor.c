#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/directory.h"
#include "format/reader.h"
#include "tests/support/goldens.h"
#include "tests/support/refit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SMALL, EPOCHS, BIG, KEYED };

struct file {
	struct buf bytes;
	struct tf_source *source;
	struct tf_reader *r;
	struct tf_cursor *c;
	struct err err;
};

static void open_file(struct file *f)
{
	if (tf_source_memory(&f->source, span_of(f->bytes.p, f->bytes.n),
			     &f->err) ||
	    tf_reader_open(&f->r, f->source, &f->err))
		fail_msg("%s", f->err.text);
}

static void load(struct file *f, int which)
{
	*f = (struct file){ 0 };
	if (golden_stored(&goldens[which], &f->bytes, &f->err))
		fail_msg("%s", f->err.text);
	open_file(f);
}

static void close_file(struct file *f)
{
	tf_cursor_free(f->c);
	tf_reader_free(f->r);
	tf_source_close(f->source);
	f->c = NULL;
}

static void unload(struct file *f)
{
	close_file(f);
	buf_fini(&f->bytes);
}

static struct tf_query query(uint32_t table, uint64_t columns, uint64_t t_min,
			     uint64_t t_max)
{
	return (struct tf_query){ .table = table, .columns = columns,
				  .t_min = t_min, .t_max = t_max };
}

static void ask(struct file *f, struct tf_query q)
{
	tf_cursor_free(f->c);
	f->c = NULL;
	if (tf_cursor_new(&f->c, f->r, &q, &f->err))
		fail_msg("%s", f->err.text);
}

static const struct tf_view *next(struct file *f)
{
	const struct tf_view *v = NULL;

	if (tf_cursor_next(f->c, &v, &f->err))
		fail_msg("%s", f->err.text);
	return v;
}

static int next_rc(struct file *f)
{
	const struct tf_view *v;

	return tf_cursor_next(f->c, &v, &f->err);
}

static void text_is(const struct tf_view *v, unsigned column, uint32_t row,
		    const char *want)
{
	struct span s = tf_view_bytes(v, column, row);

	assert_int_equal(s.n, strlen(want));
	assert_memory_equal(s.p, want, s.n);
}

static void column_is(const struct tf_view *v, unsigned column,
		      const uint64_t *want)
{
	assert_true(v->columns[column].present);
	assert_memory_equal(v->columns[column].v, want,
			    v->rows * sizeof(*want));
}

static void list_is(const struct tf_view *v, unsigned column, uint32_t row,
		    const uint64_t *want, uint32_t n)
{
	const struct tf_values *c = &v->columns[column];

	assert_true(c->present);
	assert_null(c->v);
	assert_int_equal(c->offsets[row + 1] - c->offsets[row], n);
	if (n)
		assert_memory_equal(c->items + c->offsets[row], want,
				    n * sizeof(*want));
}

static void extreme_values_come_back(void **state)
{
	static const uint64_t time[] = { 1000, 1010, 1005, 1073741824 };
	static const uint64_t u[] = { 0, 0xffffffffffffffff, 255, 256 };
	static const uint64_t i[] = { 0, 0x8000000000000000,
				      0x7fffffffffffffff, 0xffffffffffffffff };
	/* 0.0, -0.0, 1.5, -1e300 as IEEE 754 bits */
	static const uint64_t d[] = { 0, 0x8000000000000000,
				      0x3ff8000000000000, 0xfe37e43c8800759c };
	static const uint64_t b[] = { 0, 1, 1, 0 };
	static const uint64_t name[] = { 0, 1, 2, 1 };
	static const uint64_t c[] = { 0xfffffffffffffff9, 0xfffffffffffffff9,
				      0xfffffffffffffff9, 0xfffffffffffffff9 };
	const struct tf_view *v;
	struct file f;

	(void)state;
	load(&f, SMALL);
	ask(&f, query(GOLDEN_TABLE, UINT64_MAX, 0, UINT64_MAX));
	v = next(&f);
	assert_int_equal(v->rows, 4);
	assert_int_equal(v->epoch, 0);
	assert_int_equal(v->base_row, 0);
	assert_int_equal(v->t_min, 1000);
	assert_int_equal(v->t_max, 1073741824);
	assert_int_equal(v->watermark, 990);
	column_is(v, GOLDEN_TIME, time);
	column_is(v, GOLDEN_U64, u);
	column_is(v, GOLDEN_I64, i);
	column_is(v, GOLDEN_F64, d);
	column_is(v, GOLDEN_BOOL, b);
	column_is(v, GOLDEN_REF, name);
	column_is(v, GOLDEN_CONST_I64, c);
	text_is(v, GOLDEN_BYTES, 0, "");
	text_is(v, GOLDEN_BYTES, 1, "abc");
	text_is(v, GOLDEN_BYTES, 2, "\x01\xff");
	text_is(v, GOLDEN_BYTES, 3, "z");
	assert_int_equal(next_rc(&f), 1);
	assert_int_equal(next_rc(&f), 1);
	unload(&f);
}

static void lists_come_back(void **state)
{
	static const uint64_t lu[] = { 1, 0xffffffffffffffff, 0 };
	static const uint64_t li[] = { 0x8000000000000000, 0x7fffffffffffffff,
				       0xffffffffffffffff };
	static const uint64_t lr[] = { 2, 2, 1, 2 };
	static const uint64_t five = 5, seven = 7, ones[] = { 1, 1 };
	const struct tf_view *v;
	struct file f;

	(void)state;
	load(&f, SMALL);
	ask(&f, query(GOLDEN_TABLE, UINT64_MAX, 0, UINT64_MAX));
	v = next(&f);
	list_is(v, GOLDEN_LIST_U64, 0, NULL, 0);
	list_is(v, GOLDEN_LIST_U64, 1, lu, 3);
	list_is(v, GOLDEN_LIST_U64, 2, NULL, 0);
	list_is(v, GOLDEN_LIST_U64, 3, &five, 1);
	list_is(v, GOLDEN_LIST_I64, 0, NULL, 0);
	list_is(v, GOLDEN_LIST_I64, 1, li, 3);
	list_is(v, GOLDEN_LIST_I64, 2, &seven, 1);
	list_is(v, GOLDEN_LIST_REF, 1, lr, 4);
	list_is(v, GOLDEN_LIST_REF, 2, NULL, 0);
	list_is(v, GOLDEN_LIST_REF, 3, ones, 2);
	unload(&f);
}

static void strings_come_back_by_row(void **state)
{
	const struct tf_view *v;
	struct file f;

	(void)state;
	load(&f, SMALL);
	ask(&f, query(TF_TABLE_STRING, 1, 0, UINT64_MAX));
	v = next(&f);
	assert_int_equal(v->rows, 3);
	text_is(v, TF_STRING_BYTES, 0, "");
	text_is(v, TF_STRING_BYTES, 1, "main");
	text_is(v, TF_STRING_BYTES, 2, "\xc3\xa9t\xc3\xa9");
	/* What is not there is empty. */
	text_is(v, TF_STRING_BYTES, 3, "");
	text_is(v, 1, 0, "");
	unload(&f);
}

static void row_numbers_restart_with_the_epoch(void **state)
{
	static const struct {
		uint32_t epoch, rows;
		uint64_t base;
		const char *last;
	} want[] = { { 0, 2, 0, "a" }, { 0, 1, 2, "b" }, { 5, 2, 0, "c" },
		     { 5, 1, 2, "d" } };
	struct file f;

	(void)state;
	load(&f, EPOCHS);
	ask(&f, query(TF_TABLE_STRING, 1, 0, UINT64_MAX));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		const struct tf_view *v = next(&f);

		assert_int_equal(v->chunk, i + 2);
		assert_int_equal(v->epoch, want[i].epoch);
		assert_int_equal(v->rows, want[i].rows);
		assert_int_equal(v->base_row, want[i].base);
		text_is(v, TF_STRING_BYTES, v->rows - 1, want[i].last);
	}
	assert_int_equal(next_rc(&f), 1);
	unload(&f);
}

static void parents_of_both_epochs_come_back(void **state)
{
	static const uint64_t want[4][3] = { { 0, 0, 1 }, { 2, 0, 3 },
					     { 0, 0, 0 }, { 1, 2, 4 } };
	struct file f;

	(void)state;
	load(&f, EPOCHS);
	ask(&f, query(TF_TABLE_STACK, 3, 0, UINT64_MAX));
	for (size_t i = 0; i < 4; i++)
		column_is(next(&f), TF_STACK_PARENT, want[i]);
	unload(&f);
}

static void is_keyed_row(const struct tf_view *v, uint32_t i)
{
	const uint64_t cpu = i / 30 % 2, who = 100 + i % 5;
	const int64_t call = -(int64_t)(i % 3);

	assert_int_equal(v->columns[0].v[i], 1000000 + (cpu << 40) +
						     1000ull * i + i * i % 700);
	assert_int_equal(v->columns[1].v[i], cpu);
	assert_int_equal(v->columns[2].v[i], who);
	assert_int_equal(v->columns[3].v[i], (uint64_t)call);
	assert_int_equal(v->columns[4].v[i], who % 4);
	assert_int_equal(v->columns[5].v[i],
			 (uint64_t)call * who * 1000003 + i / 400);
	/* Who was before on the same cpu; nobody at first. */
	if (i % 30)
		assert_int_equal(v->columns[6].v[i], 100 + (i - 1) % 5);
	else
		assert_int_equal(v->columns[6].v[i], i < 60 ? 0 : 104);
}

static void rows_that_predict_each_other_come_back(void **state)
{
	const struct tf_view *v;
	struct tf_query q = query(257, UINT64_MAX, 0, 0);
	struct file f;

	(void)state;
	load(&f, KEYED);
	assert_int_equal(tf_cursor_new(&f.c, f.r, &q, NULL), 0);
	assert_int_equal(tf_cursor_next(f.c, &v, &f.err), 0);
	assert_int_equal(v->rows, 600);
	for (uint32_t i = 0; i < v->rows; i++)
		is_keyed_row(v, i);
	assert_int_equal(tf_cursor_next(f.c, &v, &f.err), 1);
	unload(&f);
}

static void every_row_of_a_big_part_comes_back(void **state)
{
	const struct tf_values *c;
	const struct tf_view *v;
	struct file f;

	(void)state;
	load(&f, BIG);
	assert_int_equal(tf_reader_chunk(f.r, 2)->flags & TF_CHUNK_PACKED, 0);
	ask(&f, query(TF_TABLE_SAMPLE, UINT64_MAX, 0, UINT64_MAX));
	v = next(&f);
	c = v->columns;
	assert_int_equal(v->rows, 5000);
	for (uint32_t i = 0; i < 5000; i++) {
		assert_int_equal(c[TF_SAMPLE_TIME].v[i],
				 1000000 + 100 * i + i % 7);
		assert_int_equal(c[TF_SAMPLE_CPU].v[i], i / 50 % 4);
		assert_int_equal(c[TF_SAMPLE_PERIOD].v[i],
				 (uint32_t)(i * 2654435761u));
		assert_int_equal(c[TF_SAMPLE_KSTACK].v[i], i * i % 300 % 3);
		assert_int_equal(c[TF_SAMPLE_USTACK].v[i], 0);
		assert_int_equal(c[TF_SAMPLE_FLAGS].v[i], i % 5 ? 0 : 4);
	}
	assert_int_equal(next_rc(&f), 1);
	unload(&f);
}

static void only_columns_that_are_asked_for_are_decoded(void **state)
{
	const struct tf_view *v;
	struct file f;

	(void)state;
	load(&f, BIG);
	ask(&f, query(TF_TABLE_SAMPLE,
		      1u << TF_SAMPLE_TIME | 1u << TF_SAMPLE_FLAGS, 0,
		      UINT64_MAX));
	v = next(&f);
	for (uint32_t i = 0; i < v->table->n_columns; i++) {
		bool want = i == TF_SAMPLE_TIME || i == TF_SAMPLE_FLAGS;

		assert_int_equal(v->columns[i].present, want);
		assert_int_equal(v->columns[i].v != NULL, want);
	}
	unload(&f);
}

static size_t parts_between(struct file *f, uint32_t table, uint64_t t_min,
			    uint64_t t_max)
{
	size_t n = 0;

	ask(f, query(table, 1, t_min, t_max));
	while (next_rc(f) == 0)
		n++;
	return n;
}

static void parts_outside_the_time_are_left_out(void **state)
{
	struct file f;

	(void)state;
	load(&f, SMALL); /* 1000 .. 2^30 */
	assert_int_equal(parts_between(&f, GOLDEN_TABLE, 0, 999), 0);
	assert_int_equal(parts_between(&f, GOLDEN_TABLE, 0, 1000), 1);
	assert_int_equal(parts_between(&f, GOLDEN_TABLE, 2000, 3000), 1);
	assert_int_equal(parts_between(&f, GOLDEN_TABLE, 1 << 30, UINT64_MAX),
			 1);
	assert_int_equal(parts_between(&f, GOLDEN_TABLE, (1 << 30) + 1,
				       UINT64_MAX), 0);
	/* A table without times is never left out; 0 is no limit. */
	assert_int_equal(parts_between(&f, TF_TABLE_STRING, 5, 6), 1);
	assert_int_equal(parts_between(&f, GOLDEN_TABLE, 0, 0), 1);
	unload(&f);
}

/* In the file of spec/walk.md the chunk of the samples has a thread that is
 * older than they are, and the next chunk nothing but definitions. */
static void definitions_are_found_whatever_their_chunk_says(void **state)
{
	struct file f = { 0 };

	(void)state;
	if (golden_stored(&moregoldens[3], &f.bytes, &f.err))
		fail_msg("%s", f.err.text);
	open_file(&f);
	assert_int_equal(tf_reader_chunk(f.r, 1)->t_min, 1000000000);
	assert_int_equal(parts_between(&f, TF_TABLE_SAMPLE, 999000000,
				       999999999), 0);
	assert_int_equal(tf_reader_loaded(f.r), 0);
	assert_int_equal(parts_between(&f, TF_TABLE_THREAD, 0, 999000000), 1);
	assert_int_equal(parts_between(&f, TF_TABLE_CLOCK, 1, 1700000000), 1);
	unload(&f);
}

/* Notes what it was asked and says what it was told to. */
struct asked {
	uint64_t min, max;
	unsigned n;
	bool any;
};

static bool ask_any(const void *ctx, uint32_t epoch, uint64_t min,
		    uint64_t max)
{
	struct asked *a = *(struct asked *const *)ctx;

	assert_int_equal(epoch, 0);
	a->min = min;
	a->max = max;
	a->n++;
	return a->any;
}

static bool has_part(struct file *f, unsigned column, struct asked *a)
{
	struct tf_query q = {
		.table = TF_TABLE_SAMPLE,
		.only = { { column, ask_any, &a } },
	};

	ask(f, q);
	return next_rc(f) == 0;
}

static void a_part_is_left_out_by_the_range_that_a_column_states(void **state)
{
	static const struct {
		unsigned column;
		uint64_t min, max;
	} cases[] = {
		{ TF_SAMPLE_CPU, 0, 3 },
		{ TF_SAMPLE_KSTACK, 0, 1 }, /* squares modulo 3 */
		{ TF_SAMPLE_USTACK, 0, 0 }, /* constant */
	};
	struct file f;

	(void)state;
	load(&f, BIG);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct asked a = { .any = true };

		assert_true(has_part(&f, cases[i].column, &a));
		assert_int_equal(a.n, 1);
		assert_int_equal(a.min, cases[i].min);
		assert_int_equal(a.max, cases[i].max);
		a.any = false;
		assert_false(has_part(&f, cases[i].column, &a));
	}
	unload(&f);
}

static void a_table_that_is_not_there_has_no_parts(void **state)
{
	struct file f;

	(void)state;
	load(&f, SMALL);
	ask(&f, (struct tf_query){ .table = 9999, .columns = UINT64_MAX });
	assert_int_equal(next_rc(&f), 1);
	ask(&f, (struct tf_query){ .table = TF_TABLE_LOSS, .columns = 1 });
	assert_int_equal(next_rc(&f), 1);
	unload(&f);
}

static void damage_is_named_and_the_next_call_goes_on(void **state)
{
	static const uint64_t parents[] = { 1, 2, 4 };
	const struct tf_chunk_info *c;
	struct file f;
	char want[100];

	(void)state;
	load(&f, EPOCHS);
	c = tf_reader_chunk(f.r, 4);
	f.bytes.p[c->offset + 90] ^= 0x10; /* in its directory */
	close_file(&f);
	open_file(&f);
	c = tf_reader_chunk(f.r, 4);
	ask(&f, query(TF_TABLE_STACK, 3, 0, UINT64_MAX));
	next(&f);
	next(&f);
	assert_int_equal(next_rc(&f), ERR_FORMAT);
	snprintf(want, sizeof(want), "(memory): chunk 4 at offset %llu: "
		 "directory: checksum differs", (unsigned long long)c->offset);
	assert_string_equal(f.err.text, want);
	column_is(next(&f), TF_STACK_PARENT, parents);
	assert_int_equal(next_rc(&f), 1);
	unload(&f);
}

static void a_damaged_stream_is_named_and_the_others_are_read(void **state)
{
	const struct tf_chunk_info *c;
	struct file f;
	char want[120];

	(void)state;
	load(&f, BIG);
	c = tf_reader_chunk(f.r, 2);
	f.bytes.p[c->offset + c->size - 9] ^= 1; /* in its last stream */
	close_file(&f);
	open_file(&f);
	c = tf_reader_chunk(f.r, 2);
	ask(&f, (struct tf_query){ .table = TF_TABLE_SAMPLE,
				   .columns = UINT64_MAX });
	assert_int_equal(next_rc(&f), ERR_FORMAT);
	snprintf(want, sizeof(want), "(memory): chunk 2 at offset %llu: table "
		 "'sample': column 'flags': stream 1: checksum differs",
		 (unsigned long long)c->offset);
	assert_string_equal(f.err.text, want);
	ask(&f, (struct tf_query){ .table = TF_TABLE_SAMPLE,
				   .columns = ~(1ull << TF_SAMPLE_FLAGS) });
	assert_int_equal(next(&f)->rows, GOLDEN_BIG_ROWS);
	unload(&f);
}

/* The tail of the first column `id` of `table` in chunk i of a file whose
 * bodies are raw. */
static uint8_t *tail_of(struct file *f, size_t i, uint32_t table, uint64_t id)
{
	const struct tf_chunk_info *c = tf_reader_chunk(f->r, i);
	const uint8_t *p = f->bytes.p + c->offset;
	struct tf_head h;
	struct tf_directory d;
	struct tf_entry e;
	struct tf_part part;

	assert_null(tf_head_take(&h, span_of(p, 80), c->offset,
				 f->bytes.p + 32));
	assert_int_equal(tf_directory_begin(&d, &h, span_of(p + 80, h.dir_size),
					    NULL), 0);
	do {
		assert_int_equal(tf_directory_next(&d, &part, NULL), 0);
	} while (part.table != table);
	do {
		assert_int_equal(tf_part_next(&part, &e, NULL), 0);
	} while (e.column != id);
	return (uint8_t *)(uintptr_t)e.tail.p;
}

static void load_raw(struct file *f, int which)
{
	struct buf raw = { 0 };

	load(f, which);
	close_file(f);
	refit_raw(&raw, span_of(f->bytes.p, f->bytes.n));
	buf_fini(&f->bytes);
	f->bytes = raw;
	open_file(f);
}

static void a_column_of_unknown_encoding_is_absent(void **state)
{
	static const uint64_t time[] = { 1000, 1010, 1005, 1073741824 };
	const struct tf_view *v;
	struct file f;

	(void)state;
	load_raw(&f, SMALL);
	tail_of(&f, 2, GOLDEN_TABLE, GOLDEN_F64)[1] = 42;
	refit(f.bytes.p, f.bytes.n);
	ask(&f, query(GOLDEN_TABLE, UINT64_MAX, 0, UINT64_MAX));
	v = next(&f);
	assert_false(v->columns[GOLDEN_F64].present);
	assert_null(v->columns[GOLDEN_F64].v);
	/* Those before and behind it are not disturbed. */
	column_is(v, GOLDEN_TIME, time);
	text_is(v, GOLDEN_BYTES, 1, "abc");
	unload(&f);
}

static void bad_values_behind_good_checksums_are_named(void **state)
{
	struct file f;
	uint8_t *tail;
	char want[120];

	(void)state;
	load_raw(&f, SMALL);
	tail = tail_of(&f, 2, GOLDEN_TABLE, GOLDEN_BOOL);
	assert_int_equal(tail[2], 1);
	tail[2] = 9; /* planes */
	refit(f.bytes.p, f.bytes.n);
	ask(&f, query(GOLDEN_TABLE, UINT64_MAX, 0, UINT64_MAX));
	assert_int_equal(next_rc(&f), ERR_FORMAT);
	snprintf(want, sizeof(want), "(memory): chunk 2 at offset %llu: table "
		 "'test:all': column 'b': 9 planes, limit 8",
		 (unsigned long long)tf_reader_chunk(f.r, 2)->offset);
	assert_string_equal(f.err.text, want);
	assert_int_equal(next_rc(&f), 1);
	/* The column is not asked for: nothing is wrong. */
	ask(&f, query(GOLDEN_TABLE, 1, 0, UINT64_MAX));
	assert_int_equal(next_rc(&f), 0);
	unload(&f);
}

static void *count_rows(void *reader)
{
	struct tf_query q = { .table = TF_TABLE_STACK,
			      .columns = UINT64_MAX };
	uintptr_t rows = 0;

	for (int i = 0; i < 50; i++) {
		const struct tf_view *v;
		struct tf_cursor *c;

		if (tf_cursor_new(&c, reader, &q, NULL))
			return NULL;
		while (tf_cursor_next(c, &v, NULL) == 0)
			rows += v->rows;
		tf_cursor_free(c);
	}
	return (void *)rows;
}

static void threads_can_share_a_reader(void **state)
{
	pthread_t threads[4];
	struct file f;

	(void)state;
	load(&f, EPOCHS);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count_rows,
						f.r), 0);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		void *rows;

		pthread_join(threads[i], &rows);
		assert_int_equal((uintptr_t)rows, 50 * 12);
	}
	unload(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extreme_values_come_back),
		cmocka_unit_test(lists_come_back),
		cmocka_unit_test(strings_come_back_by_row),
		cmocka_unit_test(row_numbers_restart_with_the_epoch),
		cmocka_unit_test(parents_of_both_epochs_come_back),
		cmocka_unit_test(every_row_of_a_big_part_comes_back),
		cmocka_unit_test(rows_that_predict_each_other_come_back),
		cmocka_unit_test(only_columns_that_are_asked_for_are_decoded),
		cmocka_unit_test(parts_outside_the_time_are_left_out),
		cmocka_unit_test(definitions_are_found_whatever_their_chunk_says),
		cmocka_unit_test(
			a_part_is_left_out_by_the_range_that_a_column_states),
		cmocka_unit_test(a_table_that_is_not_there_has_no_parts),
		cmocka_unit_test(damage_is_named_and_the_next_call_goes_on),
		cmocka_unit_test(a_damaged_stream_is_named_and_the_others_are_read),
		cmocka_unit_test(a_column_of_unknown_encoding_is_absent),
		cmocka_unit_test(bad_values_behind_good_checksums_are_named),
		cmocka_unit_test(threads_can_share_a_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
