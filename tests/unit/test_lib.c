/* Tables and rows through libcoltrace's public header; what is in the files is
 * said here again by hand. */
#include "format/base/mem.h"
#include "format/builder.h"
#include "format/writer.h"
#include "tests/support/libopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void a_trace_says_of_itself_what_was_put_in(void **state)
{
	struct ct_trace *t = lib_open_stored(LIB_SMALL);
	const struct ct_info *i = ct_trace_info(t);

	(void)state;
	assert_int_equal(i->major, 0);
	assert_int_equal(i->minor, 1);
	for (unsigned k = 0; k < 16; k++)
		assert_int_equal(i->file_id[k], 0xa0 + k);
	assert_true(i->start_unix_ns == 1700000000123456789u);
	assert_int_equal(i->ending, CT_CLOSED);
	assert_int_equal(i->size, 1696);
	assert_int_equal(i->end, 1696);
	assert_false(i->another_follows);
	assert_int_equal(ct_trace_gaps(t), 0);
	assert_null(ct_trace_gap(t, 0));
	assert_string_equal(ct_version(), CT_VERSION);
	ct_close(t);
}

static void tables_and_columns_are_described(void **state)
{
	static const struct ct_column want[] = {
		{ 0, CT_U64, false, "time", "ns", 0, CT_ROLE_TIME, 1 },
		{ 1, CT_U64, false, "u", "", 0, CT_ROLE_VALUE, 1 },
		{ 2, CT_I64, false, "i", "", 0, CT_ROLE_VALUE, 1 },
		{ 3, CT_F64, false, "f", "s", 0, CT_ROLE_VALUE, 1 },
		{ 4, CT_BOOL, false, "b", "", 0, CT_ROLE_VALUE, 1 },
		{ 5, CT_BYTES, false, "raw", "bytes", 0, CT_ROLE_BLOB, 1 },
		{ 6, CT_REF, false, "name", "", 1, CT_ROLE_ID, 2 },
		{ 7, CT_U64, true, "lu", "", 0, CT_ROLE_VALUE, 1 },
		{ 8, CT_I64, true, "li", "", 0, CT_ROLE_SERIAL, 1 },
		{ 9, CT_REF, true, "lr", "", 1, CT_ROLE_ID, 2 },
		{ 10, CT_I64, false, "c", "", 0, CT_ROLE_VALUE, 1 },
	};
	struct ct_trace *trace = lib_open_stored(LIB_SMALL);
	const struct ct_table *t = ct_table_by_name(trace, "test:all");

	(void)state;
	assert_non_null(t);
	assert_ptr_equal(t, ct_table_by_id(trace, 256));
	assert_int_equal(t->id, 256);
	assert_int_equal(t->kind, CT_EVENT);
	assert_int_equal(t->n_columns, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		const struct ct_column *c = ct_table_column(t, i);

		assert_int_equal(c->id, want[i].id);
		assert_int_equal(c->type, want[i].type);
		assert_int_equal(c->list, want[i].list);
		assert_string_equal(c->name, want[i].name);
		assert_string_equal(c->unit, want[i].unit);
		assert_int_equal(c->ref_table, want[i].ref_table);
		assert_int_equal(c->role, want[i].role);
		assert_int_equal(c->privacy, want[i].privacy);
		assert_int_equal(ct_table_find(t, c->name), i);
	}
	assert_null(ct_table_column(t, 11));
	assert_int_equal(ct_table_find(t, "nothing"), -1);
	ct_close(trace);
}

static void tables_are_found_by_name_and_number_and_in_order(void **state)
{
	struct ct_trace *trace = lib_open_stored(LIB_SMALL);
	size_t n = ct_trace_tables(trace);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		const struct ct_table *t = ct_trace_table(trace, i);

		assert_ptr_equal(ct_table_by_id(trace, t->id), t);
		assert_ptr_equal(ct_table_by_name(trace, t->name), t);
		assert_true(!i || ct_trace_table(trace, i - 1)->id < t->id);
	}
	assert_null(ct_trace_table(trace, n));
	assert_null(ct_table_by_name(trace, "nothing"));
	assert_null(ct_table_by_id(trace, 257));
	assert_string_equal(ct_table_by_id(trace, 32)->name, "sample");
	assert_int_equal(ct_table_by_id(trace, 1)->kind, CT_DEFINITION);
	ct_close(trace);
}

static void values_of_every_type_are_those_written(void **state)
{
	static const uint64_t lu[] = { 1, UINT64_MAX, 0, 5 };
	static const int64_t li[] = { INT64_MIN, INT64_MAX, -1, 7 };
	static const uint64_t lr[] = { 2, 2, 1, 2, 1, 1 };
	static const uint32_t of_lu[] = { 0, 0, 3, 3, 4 };
	static const uint32_t of_li[] = { 0, 0, 3, 4, 4 };
	static const uint32_t of_lr[] = { 0, 0, 4, 4, 6 };
	static const uint32_t of_raw[] = { 0, 0, 3, 5, 6 };
	static const uint64_t b[] = { 0, 1, 1, 0 }, names[] = { 0, 1, 2, 1 };
	struct ct_trace *t = lib_open_stored(LIB_SMALL);
	struct ct_cursor *c = lib_cursor(t, "test:all", NULL, 0, CT_TIME_MAX);
	const struct ct_batch *r = lib_next(c);

	(void)state;
	assert_int_equal(ct_batch_rows(r), 4);
	assert_int_equal(ct_batch_epoch(r), 0);
	assert_int_equal(ct_batch_u64(r, 0)[3], 1u << 30);
	assert_true(ct_batch_u64(r, 1)[1] == UINT64_MAX);
	assert_true(ct_batch_i64(r, 2)[1] == INT64_MIN);
	assert_true(ct_batch_i64(r, 2)[2] == INT64_MAX);
	assert_true(ct_batch_f64(r, 3)[2] == 1.5);
	assert_true(ct_batch_f64(r, 3)[3] == -1e300);
	assert_memory_equal(ct_batch_u64(r, 4), b, sizeof(b));
	assert_memory_equal(ct_batch_offsets(r, 5), of_raw, sizeof(of_raw));
	assert_memory_equal(ct_batch_bytes(r, 5), "abc\x01\xffz", 6);
	assert_memory_equal(ct_batch_u64(r, 6), names, sizeof(names));
	assert_memory_equal(ct_batch_offsets(r, 7), of_lu, sizeof(of_lu));
	assert_memory_equal(ct_batch_u64(r, 7), lu, sizeof(lu));
	assert_memory_equal(ct_batch_offsets(r, 8), of_li, sizeof(of_li));
	assert_memory_equal(ct_batch_i64(r, 8), li, sizeof(li));
	assert_memory_equal(ct_batch_offsets(r, 9), of_lr, sizeof(of_lr));
	assert_memory_equal(ct_batch_u64(r, 9), lr, sizeof(lr));
	assert_int_equal(ct_batch_i64(r, 10)[0], -7);
	lib_no_more(c);
	ct_cursor_free(c);
	ct_close(t);
}

static void columns_come_in_the_order_asked_for(void **state)
{
	static const char *const columns[] = { "f", "time", "raw", "f", NULL };
	struct ct_trace *t = lib_open_stored(LIB_SMALL);
	struct ct_cursor *c = lib_cursor(t, "test:all", columns, 0,
					 CT_TIME_MAX);
	const struct ct_batch *r = lib_next(c);

	(void)state;
	assert_true(ct_batch_f64(r, 0)[2] == 1.5);
	assert_int_equal(ct_batch_u64(r, 1)[2], 1005);
	assert_int_equal(ct_batch_bytes(r, 2)[0], 'a');
	assert_true(ct_batch_f64(r, 3)[2] == 1.5);
	assert_false(ct_batch_has(r, 4));
	ct_cursor_free(c);
	ct_close(t);
}

static void a_getter_of_another_type_gives_nothing(void **state)
{
	struct ct_trace *t = lib_open_stored(LIB_SMALL);
	struct ct_cursor *c = lib_cursor(t, "test:all", NULL, 0, CT_TIME_MAX);
	const struct ct_batch *r = lib_next(c);

	(void)state;
	assert_null(ct_batch_i64(r, 1));
	assert_null(ct_batch_f64(r, 1));
	assert_null(ct_batch_bytes(r, 1));
	assert_null(ct_batch_offsets(r, 1));
	assert_null(ct_batch_u64(r, 2));
	assert_null(ct_batch_u64(r, 3));
	assert_null(ct_batch_u64(r, 5));
	assert_null(ct_batch_u64(r, 11));
	assert_null(ct_batch_bytes(r, SIZE_MAX));
	assert_true(ct_batch_has(r, 10));
	assert_false(ct_batch_has(r, 11));
	ct_cursor_free(c);
	ct_close(t);
}

static void what_is_not_there_cannot_be_asked_for(void **state)
{
	static const char *const columns[] = { "time", "nothing", NULL };
	struct ct_trace *t = lib_open_stored(LIB_SMALL);
	struct ct_error error = { 0 };
	struct ct_cursor *c = NULL;

	(void)state;
	assert_int_equal(ct_cursor_new(&c, t, NULL, NULL, 0, CT_TIME_MAX,
				       &error), CT_ERR_USAGE);
	assert_string_equal(error.text, "the trace has no such table");
	assert_int_equal(ct_cursor_new(&c, t, ct_table_by_id(t, 256), columns,
				       0, CT_TIME_MAX, &error), CT_ERR_USAGE);
	assert_int_equal(error.code, CT_ERR_USAGE);
	assert_string_equal(error.text,
			    "table 'test:all' has no column 'nothing'");
	assert_null(c);
	ct_close(t);
}

static void a_range_of_time_leaves_whole_rows(void **state)
{
	static const uint32_t of_raw[] = { 0, 3, 5 }, of_lr[] = { 0, 4, 4 };
	static const uint64_t lr[] = { 2, 2, 1, 2 };
	struct ct_trace *t = lib_open_stored(LIB_SMALL);
	struct ct_cursor *c = lib_cursor(t, "test:all", NULL, 1005, 1010);
	const struct ct_batch *r = lib_next(c);

	(void)state;
	assert_int_equal(ct_batch_rows(r), 2);
	assert_int_equal(ct_batch_u64(r, 0)[0], 1010);
	assert_int_equal(ct_batch_u64(r, 0)[1], 1005);
	assert_true(ct_batch_i64(r, 2)[1] == INT64_MAX);
	assert_true(ct_batch_f64(r, 3)[1] == 1.5);
	assert_memory_equal(ct_batch_offsets(r, 5), of_raw, sizeof(of_raw));
	assert_memory_equal(ct_batch_bytes(r, 5), "abc\x01\xff", 5);
	assert_memory_equal(ct_batch_offsets(r, 9), of_lr, sizeof(of_lr));
	assert_memory_equal(ct_batch_u64(r, 9), lr, sizeof(lr));
	assert_int_equal(ct_batch_offsets(r, 8)[2], 4);
	assert_int_equal(ct_batch_i64(r, 8)[3], 7);
	lib_no_more(c);
	ct_cursor_free(c);
	ct_close(t);
}

/* Row i of big.ctr is at 1000000 + 100 i + i % 7. */
static uint32_t rows_between(uint64_t min, uint64_t max)
{
	static const char *const columns[] = { "cpu", NULL };
	struct ct_trace *t = lib_open_stored(LIB_BIG);
	struct ct_cursor *c = lib_cursor(t, "sample", columns, min, max);
	const struct ct_batch *b;
	uint32_t n = 0;

	while (ct_cursor_next(c, &b, NULL) == 0)
		n += ct_batch_rows(b);
	ct_cursor_free(c);
	ct_close(t);
	return n;
}

static void a_range_of_time_is_exact_at_both_ends(void **state)
{
	(void)state;
	assert_int_equal(rows_between(0, CT_TIME_MAX), 5000);
	/* 1001003 is row 10, 1002006 row 20 */
	assert_int_equal(rows_between(1001003, 1002006), 11);
	assert_int_equal(rows_between(1001004, 1002005), 9);
	assert_int_equal(rows_between(1001003, 1001003), 1);
	assert_int_equal(rows_between(1001004, 1001004), 0);
	assert_int_equal(rows_between(0, 1000000), 1);
	assert_int_equal(rows_between(0, 0), 0);
	assert_int_equal(rows_between(2000000, CT_TIME_MAX), 0);
	assert_int_equal(rows_between(1499901, 1499901), 1);
}

static void the_times_of_a_table_are_those_of_its_rows(void **state)
{
	struct ct_trace *t = lib_open_stored(LIB_BIG);
	uint64_t min = 7, max = 7;

	(void)state;
	assert_int_equal(ct_table_times(t, ct_table_by_name(t, "stack"), &min,
					&max, NULL), 1);
	assert_int_equal(min, 7);
	assert_int_equal(ct_table_times(t, ct_table_by_name(t, "sample"), &min,
					&max, NULL), 0);
	assert_int_equal(min, 1000000);
	assert_int_equal(max, 1000000 + 100 * 4999 + 4999 % 7);
	ct_close(t);
}

static void definitions_are_numbered_in_their_epoch(void **state)
{
	static const uint32_t epochs[] = { 0, 0, 5, 5 };
	static const uint64_t ids[] = { 0, 2, 0, 2 };
	static const char *const texts[] = { "a", "b", "c", "d" };
	struct ct_trace *t = lib_open_stored(LIB_EPOCHS);
	/* a definition is not left out by a range of time */
	struct ct_cursor *c = lib_cursor(t, "string", NULL, 5, 6);

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const struct ct_batch *b = lib_next(c);
		uint32_t last = ct_batch_rows(b) - 1;

		assert_int_equal(ct_batch_epoch(b), epochs[i]);
		assert_int_equal(ct_batch_first_id(b), ids[i]);
		assert_memory_equal(ct_batch_bytes(b, 0) +
				    ct_batch_offsets(b, 0)[last], texts[i], 1);
	}
	lib_no_more(c);
	ct_cursor_free(c);
	ct_close(t);
}

#define WIDE 70u

/* A table of 70 columns: row r has 1000 c + r in column c. */
static void write_wide(struct buf *out)
{
	struct tf_file_info info = { .start_unix_ns = 1 };
	struct tf_column columns[WIDE];
	char names[WIDE][8];
	const struct tf_table wide = { 300, "wide", TF_KIND_EVENT, columns,
				       WIDE };
	const struct tf_table *announced = &wide;
	struct tf_sink *sink;
	struct tf_writer *w;
	struct tf_builder *b;

	for (uint32_t i = 0; i < WIDE; i++) {
		snprintf(names[i], sizeof(names[i]), "c%u", i);
		columns[i] = (struct tf_column){
			.id = i, .name = names[i], .type = TF_U64, .unit = "",
			.role = i == 66 ? TF_ROLE_TIME : TF_ROLE_VALUE,
			.privacy = TF_PRIVACY_NUMBER,
		};
	}
	assert_int_equal(tf_sink_memory(&sink, out, NULL), 0);
	assert_int_equal(tf_writer_new(&w, sink, &info, NULL), 0);
	assert_int_equal(tf_writer_add_tables(w, &announced, 1, NULL), 0);
	assert_int_equal(tf_builder_new(&b, &wide, 4, NULL), 0);
	for (uint32_t r = 0; r < 3; r++) {
		for (uint32_t i = 0; i < WIDE; i++)
			tf_builder_set(b, i, 1000 * i + r);
		assert_true(tf_builder_commit(b));
	}
	assert_int_equal(tf_writer_data(w, 0, &b, 1, NULL), 0);
	tf_builder_free(b);
	assert_int_equal(tf_writer_end(w, NULL), 0);
	tf_writer_free(w);
	tf_sink_close(sink, NULL);
}

static void a_table_may_have_more_columns_than_a_word_has_bits(void **state)
{
	static const char *const columns[] = { "c69", "c3", NULL };
	struct ct_trace *t;
	struct ct_cursor *c;
	const struct ct_batch *r;
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	write_wide(&b);
	t = lib_open_buf(&b);
	c = lib_cursor(t, "wide", columns, 66001, 66001);
	r = lib_next(c);
	assert_int_equal(ct_batch_rows(r), 1);
	assert_int_equal(ct_batch_u64(r, 0)[0], 69001);
	assert_int_equal(ct_batch_u64(r, 1)[0], 3001);
	lib_no_more(c);
	ct_cursor_free(c);
	ct_close(t);
	buf_fini(&b);
}

static void *sum_of_periods(void *arg)
{
	static const char *const columns[] = { "period", NULL };
	struct ct_cursor *c = NULL;
	const struct ct_batch *b;
	uintptr_t sum = 0;

	if (ct_cursor_new(&c, arg, ct_table_by_name(arg, "sample"), columns, 0,
			  CT_TIME_MAX, NULL))
		return NULL;
	while (ct_cursor_next(c, &b, NULL) == 0)
		for (uint32_t i = 0; i < ct_batch_rows(b); i++)
			sum += (uintptr_t)ct_batch_u64(b, 0)[i];
	ct_cursor_free(c);
	return (void *)sum;
}

static void threads_read_one_trace_at_once(void **state)
{
	struct ct_trace *t = lib_open_stored(LIB_BIG);
	uint64_t want = 0;
	pthread_t threads[4];

	(void)state;
	for (uint32_t i = 0; i < 5000; i++)
		want += i * 2654435761u;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						sum_of_periods, t), 0);
	for (int i = 0; i < 4; i++) {
		void *got;

		assert_int_equal(pthread_join(threads[i], &got), 0);
		assert_true((uintptr_t)got == (uintptr_t)want);
	}
	ct_close(t);
}

static void nothing_is_released_without_complaint(void **state)
{
	(void)state;
	ct_close(NULL);
	ct_cursor_free(NULL);
	ct_lookup_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_says_of_itself_what_was_put_in),
		cmocka_unit_test(tables_and_columns_are_described),
		cmocka_unit_test(tables_are_found_by_name_and_number_and_in_order),
		cmocka_unit_test(values_of_every_type_are_those_written),
		cmocka_unit_test(columns_come_in_the_order_asked_for),
		cmocka_unit_test(a_getter_of_another_type_gives_nothing),
		cmocka_unit_test(what_is_not_there_cannot_be_asked_for),
		cmocka_unit_test(a_range_of_time_leaves_whole_rows),
		cmocka_unit_test(a_range_of_time_is_exact_at_both_ends),
		cmocka_unit_test(the_times_of_a_table_are_those_of_its_rows),
		cmocka_unit_test(definitions_are_numbered_in_their_epoch),
		cmocka_unit_test(a_table_may_have_more_columns_than_a_word_has_bits),
		cmocka_unit_test(threads_read_one_trace_at_once),
		cmocka_unit_test(nothing_is_released_without_complaint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
