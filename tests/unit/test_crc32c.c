#include "format/base/crc32c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* RFC 3720, B.4, and the check value of the CRC catalogue. */
static void vectors_of_the_iscsi_standard_hold(void **state)
{
	uint8_t p[32];

	(void)state;
	assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283u);
	memset(p, 0, sizeof(p));
	assert_int_equal(crc32c(0, p, 32), 0x8a9136aau);
	memset(p, 0xff, sizeof(p));
	assert_int_equal(crc32c(0, p, 32), 0x62a8ab43u);
	for (uint8_t i = 0; i < 32; i++)
		p[i] = i;
	assert_int_equal(crc32c(0, p, 32), 0x46dd794eu);
	for (uint8_t i = 0; i < 32; i++)
		p[i] = (uint8_t)(31 - i);
	assert_int_equal(crc32c(0, p, 32), 0x113fdb5cu);
}

static void both_ways_agree_at_every_length_and_alignment(void **state)
{
	uint8_t p[80];

	(void)state;
	for (size_t i = 0; i < sizeof(p); i++)
		p[i] = (uint8_t)(i * 37 + 11);
	for (size_t from = 0; from < 8; from++)
		for (size_t n = 0; from + n <= sizeof(p); n++)
			assert_int_equal(crc32c(0, p + from, n),
					 crc32c_portable(0, p + from, n));
}

static void pieces_continue_each_other(void **state)
{
	static const char digits[] = "123456789";

	(void)state;
	for (size_t n = 0; n <= 9; n++)
		assert_int_equal(crc32c(crc32c(0, digits, n), digits + n,
					9 - n), 0xe3069283u);
}

static void nothing_has_the_checksum_zero(void **state)
{
	(void)state;
	assert_int_equal(crc32c(0, NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_of_the_iscsi_standard_hold),
		cmocka_unit_test(both_ways_agree_at_every_length_and_alignment),
		cmocka_unit_test(pieces_continue_each_other),
		cmocka_unit_test(nothing_has_the_checksum_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
