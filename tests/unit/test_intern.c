#include "format/base/intern.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static void ids_are_dense_in_the_order_of_first_sight(void **state)
{
	struct intern in = { 0 };
	bool is_new;
	uint32_t id;

	(void)state;
	for (uint32_t i = 0; i < 2000; i++) {
		char text[16];
		int n = snprintf(text, sizeof(text), "name%u", i % 1000);

		assert_true(intern_put(&in, text, (size_t)n, &id, &is_new));
		assert_int_equal(id, i % 1000);
		assert_int_equal(is_new, i < 1000);
	}
	assert_int_equal(in.n, 1000);
	assert_true(intern_size(&in) > 0);
	intern_fini(&in);
}

static void length_is_part_of_the_key_and_zero_bytes_count(void **state)
{
	struct intern in = { 0 };
	uint32_t a, b, c, d;

	(void)state;
	assert_true(intern_put(&in, "", 0, &a, NULL));
	assert_true(intern_put(&in, "\0", 1, &b, NULL));
	assert_true(intern_put(&in, "x\0y", 3, &c, NULL));
	assert_true(intern_put(&in, "x\0z", 3, &d, NULL));
	assert_int_equal(a, 0);
	assert_int_equal(b, 1);
	assert_int_equal(c, 2);
	assert_int_equal(d, 3);
	assert_int_equal(intern_get(&in, c).n, 3);
	assert_memory_equal(intern_get(&in, c).p, "x\0y", 4);
	intern_fini(&in);
}

static void what_was_never_put_is_not_found(void **state)
{
	struct intern in = { 0 };
	uint32_t id = 9;

	(void)state;
	assert_false(intern_find(&in, "a", 1, &id));
	assert_int_equal(intern_get(&in, 0).n, 0);
	assert_true(intern_put(&in, "a", 1, &id, NULL));
	assert_true(intern_find(&in, "a", 1, &id));
	assert_int_equal(id, 0);
	assert_false(intern_find(&in, "b", 1, &id));
	assert_int_equal(intern_get(&in, 5).n, 0);
	intern_fini(&in);
}

static void every_failing_allocation_changes_nothing(void **state)
{
	struct intern in = { 0 };
	uint32_t id;
	bool put;

	(void)state;
	for (long n = 1;; n++) {
		failalloc_at(n);
		put = intern_put(&in, "abc", 3, &id, NULL);
		failalloc_off();
		if (put)
			break;
		assert_int_equal(in.n, 0);
		assert_false(intern_find(&in, "abc", 3, &id));
	}
	assert_int_equal(id, 0);
	intern_fini(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_dense_in_the_order_of_first_sight),
		cmocka_unit_test(length_is_part_of_the_key_and_zero_bytes_count),
		cmocka_unit_test(what_was_never_put_is_not_found),
		cmocka_unit_test(every_failing_allocation_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
