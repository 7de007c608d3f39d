#include "format/base/mem.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static void an_array_grows_and_keeps_its_items(void **state)
{
	uint32_t *a = NULL;
	size_t cap = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		assert_true(mem_grow(&a, &cap, i + 1, sizeof(*a)));
		assert_true(cap > i);
		a[i] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(a[i], i);
	free(a);
}

static void a_failure_leaves_the_old_array(void **state)
{
	uint32_t *a = NULL, *before;
	size_t cap = 0;

	(void)state;
	assert_true(mem_grow(&a, &cap, 1, sizeof(*a)));
	a[0] = 5;
	before = a;
	failalloc_at(1);
	assert_false(mem_grow(&a, &cap, cap + 1, sizeof(*a)));
	failalloc_off();
	assert_ptr_equal(a, before);
	assert_int_equal(a[0], 5);
	free(a);
}

static void a_size_that_overflows_is_refused(void **state)
{
	uint64_t *a = NULL;
	size_t cap = 0;

	(void)state;
	assert_false(mem_grow(&a, &cap, SIZE_MAX / 4, sizeof(*a)));
	assert_null(a);
	assert_int_equal(cap, 0);
}

static void checked_arithmetic_says_when_it_does_not_fit(void **state)
{
	uint32_t r;

	(void)state;
	assert_false(ckd_add(&r, 4000000000u, 294967295u));
	assert_true(ckd_add(&r, 4000000000u, 294967296u));
	assert_false(ckd_mul(&r, 65536u, 65535u));
	assert_true(ckd_mul(&r, 65536u, 65536u));
	assert_true(ckd_sub(&r, 1u, 2u));
}

static void order_does_not_overflow(void **state)
{
	int64_t low = INT64_MIN, high = INT64_MAX;
	uint64_t none = 0, all = UINT64_MAX;

	(void)state;
	assert_int_equal(CMP(low, high), -1);
	assert_int_equal(CMP(all, none), 1);
	assert_int_equal(CMP(high, high), 0);
}

/* Whatever lies behind it: a heap, or huge pages. */
static void a_table_is_zero_to_its_end(void **state)
{
	static const size_t sizes[] = {
		64, (size_t)2 << 20, ((size_t)2 << 20) + 64,
		(size_t)6 << 20,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		for (int again = 0; again < 2; again++) {
			uint8_t *p = mem_table(sizes[i]);

			assert_non_null(p);
			for (size_t k = 0; k < sizes[i]; k += 8)
				assert_int_equal(p[k] | p[k + 7], 0);
			/* Memory that comes back is not. */
			memset(p, 0xff, sizes[i]);
			mem_table_free(p, sizes[i]);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_grows_and_keeps_its_items),
		cmocka_unit_test(a_failure_leaves_the_old_array),
		cmocka_unit_test(a_size_that_overflows_is_refused),
		cmocka_unit_test(a_table_is_zero_to_its_end),
		cmocka_unit_test(checked_arithmetic_says_when_it_does_not_fit),
		cmocka_unit_test(order_does_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
