#include "format/base/arena.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdalign.h>
#include <string.h>

static void objects_are_zeroed_aligned_and_apart(void **state)
{
	struct arena a = { 0 };
	uint8_t *last = NULL;

	(void)state;
	for (size_t i = 1; i < 3000; i++) {
		size_t n = i % 97 + 1;
		uint8_t *p = arena_alloc(&a, n);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(p[k], 0);
		memset(p, 0xff, n);
		assert_true(p != last);
		last = p;
	}
	arena_fini(&a);
	assert_int_equal(a.used, 0);
}

static void an_object_may_be_larger_than_a_block(void **state)
{
	struct arena a = { 0 };
	uint8_t *p = arena_alloc(&a, 1 << 20);

	(void)state;
	assert_non_null(p);
	p[(1 << 20) - 1] = 1;
	arena_fini(&a);
}

static void a_copy_ends_in_a_zero_byte(void **state)
{
	struct arena a = { 0 };
	const char *s = arena_dup(&a, "a\0b", 3);

	(void)state;
	assert_memory_equal(s, "a\0b\0", 4);
	assert_string_equal(arena_dup(&a, NULL, 0), "");
	arena_fini(&a);
}

static void out_of_memory_is_null_and_harmless(void **state)
{
	struct arena a = { 0 };

	(void)state;
	failalloc_at(1);
	assert_null(arena_alloc(&a, 10));
	failalloc_off();
	assert_non_null(arena_alloc(&a, 10));
	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_null(arena_dup(&a, "x", SIZE_MAX));
	arena_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_zeroed_aligned_and_apart),
		cmocka_unit_test(an_object_may_be_larger_than_a_block),
		cmocka_unit_test(a_copy_ends_in_a_zero_byte),
		cmocka_unit_test(out_of_memory_is_null_and_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
