#include "format/base/buf.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void everything_put_is_there_in_order(void **state)
{
	static const uint8_t want[] = { 1, 3, 2, 7, 6, 5, 4, 0xac, 2, 5, 0, 0,
					'x', '4' };
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	buf_u8(&b, 1);
	buf_u16(&b, 0x0203);
	buf_u32(&b, 0x04050607);
	buf_varint(&b, 300);
	buf_zz(&b, -3);
	buf_zero(&b, 2);
	buf_printf(&b, "x%d", 4);
	assert_false(buf_failed(&b));
	assert_int_equal(b.n, sizeof(want));
	assert_memory_equal(b.p, want, sizeof(want));
	buf_fini(&b);
}

static void a_u64_is_eight_bytes_lowest_first(void **state)
{
	static const uint8_t want[] = { 8, 7, 6, 5, 4, 3, 2, 1 };
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	buf_u64(&b, 0x0102030405060708u);
	assert_int_equal(b.n, 8);
	assert_memory_equal(b.p, want, 8);
	buf_fini(&b);
}

static void the_ceiling_holds_and_the_failure_sticks(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 4);
	buf_put(&b, "abcd", 4);
	assert_false(buf_failed(&b));
	buf_u8(&b, 1);
	assert_true(buf_failed(&b));
	assert_int_equal(b.n, 4);
	assert_null(buf_room(&b, 0));
	buf_clear(&b);
	assert_false(buf_failed(&b));
	buf_put(&b, "wxyz", 4);
	assert_memory_equal(b.p, "wxyz", 4);
	buf_fini(&b);
}

static void out_of_memory_keeps_what_was_there(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	buf_put(&b, "ab", 2);
	failalloc_at(1);
	assert_null(buf_room(&b, 100000));
	failalloc_off();
	assert_true(failalloc_hit());
	assert_true(buf_failed(&b));
	assert_int_equal(b.n, 2);
	assert_memory_equal(b.p, "ab", 2);
	buf_fini(&b);
}

static void room_that_overflows_is_refused(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	buf_u8(&b, 1);
	assert_null(buf_room(&b, SIZE_MAX));
	assert_true(buf_failed(&b));
	buf_fini(&b);
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_put_is_there_in_order),
		cmocka_unit_test(a_u64_is_eight_bytes_lowest_first),
		cmocka_unit_test(the_ceiling_holds_and_the_failure_sticks),
		cmocka_unit_test(out_of_memory_keeps_what_was_there),
		cmocka_unit_test(room_that_overflows_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
