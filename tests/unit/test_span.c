#include "format/base/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static void integers_are_little_endian(void **state)
{
	struct span s = span_of(bytes, sizeof(bytes));
	uint8_t a;
	uint16_t b;
	uint32_t c;

	(void)state;
	assert_true(span_u8(&s, &a));
	assert_true(span_u16(&s, &b));
	assert_true(span_u32(&s, &c));
	assert_int_equal(a, 1);
	assert_int_equal(b, 0x0302);
	assert_int_equal(c, 0x07060504);
	assert_int_equal(s.n, 2);
}

static void eight_bytes_make_a_u64(void **state)
{
	struct span s = span_of(bytes, 8);
	uint64_t v;

	(void)state;
	assert_true(span_u64(&s, &v));
	assert_true(v == 0x0807060504030201u);
	assert_int_equal(s.n, 0);
}

static void a_getter_that_fails_takes_and_changes_nothing(void **state)
{
	struct span s = span_of(bytes, 3), sub = { NULL, 77 };
	uint32_t c = 5;
	uint64_t d = 6;

	(void)state;
	assert_false(span_u32(&s, &c));
	assert_false(span_u64(&s, &d));
	assert_false(span_take(&s, 4, &sub));
	assert_false(span_skip(&s, SIZE_MAX));
	assert_int_equal(c, 5);
	assert_int_equal(d, 6);
	assert_int_equal(sub.n, 77);
	assert_int_equal(s.n, 3);
	assert_ptr_equal(s.p, bytes);
}

static void taking_all_and_taking_nothing_are_fine(void **state)
{
	struct span s = span_of(NULL, 0), sub;

	(void)state;
	assert_true(span_take(&s, 0, &sub));
	assert_int_equal(sub.n, 0);
	s = span_of(bytes, 2);
	assert_true(span_take(&s, 2, &sub));
	assert_int_equal(sub.n, 2);
	assert_int_equal(s.n, 0);
}

static void a_string_ends_at_its_zero_byte(void **state)
{
	struct span s = span_of("ab\0c", 4), text;

	(void)state;
	assert_true(span_cstr(&s, &text));
	assert_int_equal(text.n, 2);
	assert_memory_equal(text.p, "ab", 2);
	assert_int_equal(s.n, 1);
	assert_false(span_cstr(&s, &text));
	assert_int_equal(s.n, 1);
	assert_int_equal(text.n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_little_endian),
		cmocka_unit_test(eight_bytes_make_a_u64),
		cmocka_unit_test(a_getter_that_fails_takes_and_changes_nothing),
		cmocka_unit_test(taking_all_and_taking_nothing_are_fine),
		cmocka_unit_test(a_string_ends_at_its_zero_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
