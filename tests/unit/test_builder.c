#include "format/base/mem.h"
#include "format/builder.h"
#include "format/catalog.h"
#include "format/layout.h"
#include "tests/support/failalloc.h"
#include "tests/support/goldens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct tf_builder *new_builder(const struct tf_table *t, uint32_t rows)
{
	struct tf_builder *b = NULL;
	struct err err = { 0 };

	if (tf_builder_new(&b, t, rows, &err))
		fail_msg("%s", err.text);
	return b;
}

static void rows_are_kept_until_cleared(void **state)
{
	struct tf_builder *b =
		new_builder(tf_catalog_table(TF_TABLE_CLOCK), 3);

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		assert_false(tf_builder_full(b));
		tf_builder_set(b, TF_CLOCK_MONOTONIC, 50 - i);
		tf_builder_set(b, TF_CLOCK_REALTIME, i);
		tf_builder_set(b, TF_CLOCK_BOOTTIME, i * i);
		assert_true(tf_builder_commit(b));
	}
	assert_true(tf_builder_full(b));
	assert_int_equal(b->rows, 3);
	assert_int_equal(b->columns[TF_CLOCK_BOOTTIME].v[2], 4);
	tf_builder_clear(b);
	assert_int_equal(b->rows, 0);
	assert_false(tf_builder_full(b));
	tf_builder_free(b);
}

static void the_times_of_its_rows_are_known(void **state)
{
	static const uint64_t times[] = { 70, 50, 60 };
	struct tf_builder *b =
		new_builder(tf_catalog_table(TF_TABLE_CLOCK), 8);

	(void)state;
	assert_int_equal(b->time_column, TF_CLOCK_MONOTONIC);
	assert_true(b->t_min == UINT64_MAX && b->t_max == 0);
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		tf_builder_set(b, TF_CLOCK_MONOTONIC, times[i]);
		tf_builder_commit(b);
	}
	assert_int_equal(b->t_min, 50);
	assert_int_equal(b->t_max, 70);
	tf_builder_free(b);
	b = new_builder(tf_catalog_table(TF_TABLE_STRING), 1);
	assert_int_equal(b->time_column, -1);
	tf_builder_free(b);
}

static void bytes_and_items_follow_each_other(void **state)
{
	static const uint64_t items[] = { 1, 2, 3 };
	struct tf_builder *b = new_builder(&golden_table, 4);
	struct tf_builder_column *raw = &b->columns[GOLDEN_BYTES];
	struct tf_builder_column *lu = &b->columns[GOLDEN_LIST_U64];

	(void)state;
	tf_builder_bytes(b, GOLDEN_BYTES, "ab", 2);
	tf_builder_list(b, GOLDEN_LIST_U64, items, 3);
	assert_true(tf_builder_commit(b));
	/* A column that is not set is empty. */
	assert_true(tf_builder_commit(b));
	tf_builder_bytes(b, GOLDEN_BYTES, "c", 1);
	tf_builder_list(b, GOLDEN_LIST_U64, items, 1);
	assert_true(tf_builder_commit(b));
	assert_int_equal(raw->v[0], 2);
	assert_int_equal(raw->v[1], 0);
	assert_int_equal(raw->v[2], 1);
	assert_int_equal(raw->bytes.n, 3);
	assert_memory_equal(raw->bytes.p, "abc", 3);
	assert_int_equal(lu->v[0], 3);
	assert_int_equal(lu->v[1], 0);
	assert_int_equal(lu->n_items, 4);
	assert_int_equal(lu->items[3], 1);
	assert_int_equal(b->raw_bytes, 3 + 4 * 8);
	tf_builder_free(b);
}

static void a_row_without_memory_is_taken_back(void **state)
{
	static const uint64_t items[] = { 1, 2, 3 };
	struct tf_builder *b = new_builder(&golden_table, 4);

	(void)state;
	tf_builder_bytes(b, GOLDEN_BYTES, "ab", 2);
	assert_true(tf_builder_commit(b));
	tf_builder_bytes(b, GOLDEN_BYTES, "cd", 2);
	failalloc_at(1);
	tf_builder_list(b, GOLDEN_LIST_U64, items, 3);
	failalloc_off();
	assert_true(failalloc_hit());
	assert_true(b->failed);
	assert_false(tf_builder_commit(b));
	assert_int_equal(b->rows, 1);
	assert_int_equal(b->columns[GOLDEN_BYTES].bytes.n, 2);
	/* The next row is as if nothing had been. */
	tf_builder_bytes(b, GOLDEN_BYTES, "e", 1);
	tf_builder_list(b, GOLDEN_LIST_U64, items, 1);
	assert_true(tf_builder_commit(b));
	assert_int_equal(b->columns[GOLDEN_BYTES].v[1], 1);
	assert_memory_equal(b->columns[GOLDEN_BYTES].bytes.p, "abe", 3);
	assert_int_equal(b->columns[GOLDEN_LIST_U64].v[1], 1);
	tf_builder_free(b);
}

static void fixed_columns_do_not_allocate_after_the_start(void **state)
{
	struct tf_builder *b =
		new_builder(tf_catalog_table(TF_TABLE_SAMPLE), 1000);

	(void)state;
	failalloc_at(1);
	for (uint32_t i = 0; i < 1000; i++) {
		for (unsigned c = 0; c < b->table->n_columns; c++)
			tf_builder_set(b, c, i);
		assert_true(tf_builder_commit(b));
	}
	tf_builder_clear(b);
	failalloc_off();
	assert_false(failalloc_hit());
	tf_builder_free(b);
}

static void a_growing_one_keeps_its_rows_and_gives_memory_back(void **state)
{
	const struct tf_table *clock = tf_catalog_table(TF_TABLE_CLOCK);
	struct tf_builder *b = NULL;
	size_t small;

	(void)state;
	assert_int_equal(tf_builder_new_growing(&b, clock, 4, 1000, NULL), 0);
	small = tf_builder_memory(b);
	assert_int_equal(small, 3 * 4 * sizeof(uint64_t));
	for (uint64_t i = 0; i < 1000; i++) {
		assert_true(tf_builder_grow(b));
		for (unsigned c = 0; c < 3; c++)
			tf_builder_set(b, c, i * 3 + c);
		assert_true(tf_builder_commit(b));
	}
	assert_false(tf_builder_grow(b));
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(b->columns[2].v[i] == i * 3 + 2);
	assert_int_equal(tf_builder_memory(b), 3 * 1000 * sizeof(uint64_t));
	tf_builder_clear(b);
	tf_builder_shrink(b, 4);
	assert_int_equal(tf_builder_memory(b), small);
	/* Without memory it says no, and what is there stays. */
	for (uint64_t i = 0; i < 4; i++) {
		assert_true(tf_builder_grow(b));
		for (unsigned c = 0; c < 3; c++)
			tf_builder_set(b, c, i);
		assert_true(tf_builder_commit(b));
	}
	failalloc_at(1);
	assert_false(tf_builder_grow(b));
	failalloc_off();
	assert_int_equal(b->rows, 4);
	assert_true(b->columns[0].v[3] == 3 && b->columns[1].v[3] == 3);
	assert_true(tf_builder_grow(b));
	tf_builder_free(b);
}

static void sizes_over_a_limit_are_refused(void **state)
{
	static const struct tf_column bad[] = {
		{ .name = "x", .type = TF_BYTES, .list = true, .unit = "" },
	};
	const struct tf_table t = { .id = 300, .name = "t", .columns = bad,
				    .n_columns = 1 };
	const struct tf_table none = { .id = 301, .name = "n" };
	struct tf_builder *b = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tf_builder_new(&b, tf_catalog[0], 0, &err),
			 ERR_USAGE);
	assert_int_equal(tf_builder_new(&b, tf_catalog[0], TF_MAX_ROWS + 1,
					&err), ERR_USAGE);
	assert_int_equal(tf_builder_new(&b, &none, 1, &err), ERR_USAGE);
	assert_int_equal(tf_builder_new(&b, &t, 1, &err), ERR_UNSUPPORTED);
	assert_string_equal(err.text, "table 't': column 'x': lists of bytes "
			    "cannot be stored");
	assert_null(b);
	tf_builder_free(NULL);
}

static void every_failing_allocation_is_reported(void **state)
{
	struct tf_builder *b = NULL;
	int rc = ERR_NOMEM;

	(void)state;
	for (long n = 1; rc == ERR_NOMEM; n++) {
		failalloc_at(n);
		rc = tf_builder_new(&b, &golden_table, 5, NULL);
		failalloc_off();
		assert_int_equal(rc == ERR_NOMEM, failalloc_hit());
	}
	assert_int_equal(rc, 0);
	tf_builder_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_kept_until_cleared),
		cmocka_unit_test(the_times_of_its_rows_are_known),
		cmocka_unit_test(bytes_and_items_follow_each_other),
		cmocka_unit_test(a_row_without_memory_is_taken_back),
		cmocka_unit_test(fixed_columns_do_not_allocate_after_the_start),
		cmocka_unit_test(
			a_growing_one_keeps_its_rows_and_gives_memory_back),
		cmocka_unit_test(sizes_over_a_limit_are_refused),
		cmocka_unit_test(every_failing_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
