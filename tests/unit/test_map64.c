#include "format/base/map64.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void each_key_keeps_its_value(void **state)
{
	struct map64 m = { 0 };
	uint32_t v;
	bool is_new;

	(void)state;
	for (uint32_t i = 0; i < 5000; i++) {
		uint32_t *at = map64_put(&m, (uint64_t)i << 40 | i, i, &is_new);

		assert_non_null(at);
		assert_true(is_new);
	}
	for (uint32_t i = 0; i < 5000; i++) {
		assert_true(map64_get(&m, (uint64_t)i << 40 | i, &v));
		assert_int_equal(v, i);
	}
	assert_int_equal(m.n, 5000);
	assert_true(map64_size(&m) >= 5000 * 12);
	map64_fini(&m);
}

static void the_first_value_of_a_key_stays(void **state)
{
	struct map64 m = { 0 };
	bool is_new;

	(void)state;
	assert_int_equal(*map64_put(&m, 0, 7, &is_new), 7);
	assert_true(is_new);
	assert_int_equal(*map64_put(&m, 0, 8, &is_new), 7);
	assert_false(is_new);
	*map64_put(&m, 0, 8, &is_new) = 9;
	assert_int_equal(*map64_put(&m, 0, 8, &is_new), 9);
	map64_fini(&m);
}

static void a_cleared_map_is_empty(void **state)
{
	struct map64 m = { 0 };
	uint32_t v = 3;
	bool is_new;

	(void)state;
	assert_false(map64_get(&m, 1, &v));
	map64_clear(&m);
	map64_put(&m, 1, 2, &is_new);
	map64_clear(&m);
	assert_int_equal(m.n, 0);
	assert_false(map64_get(&m, 1, &v));
	assert_int_equal(v, 3);
	map64_fini(&m);
}

static void a_pair_of_ids_is_one_key(void **state)
{
	(void)state;
	assert_true(map64_pair(1, 2) == 0x100000002u);
	assert_true(map64_pair(UINT32_MAX, UINT32_MAX) == UINT64_MAX);
}

static void growth_that_fails_loses_nothing(void **state)
{
	struct map64 m = { 0 };
	uint32_t v, n = 0;
	bool is_new, failed = false;

	(void)state;
	failalloc_at(2);
	for (; !failed; n++)
		failed = !map64_put(&m, n, n, &is_new);
	failalloc_off();
	for (uint32_t i = 0; i + 1 < n; i++) {
		assert_true(map64_get(&m, i, &v));
		assert_int_equal(v, i);
	}
	assert_non_null(map64_put(&m, n, n, &is_new));
	map64_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_keeps_its_value),
		cmocka_unit_test(the_first_value_of_a_key_stays),
		cmocka_unit_test(a_cleared_map_is_empty),
		cmocka_unit_test(a_pair_of_ids_is_one_key),
		cmocka_unit_test(growth_that_fails_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
