#include "format/base/mem.h"
#include "format/planes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define ROWS 37

static const uint8_t bytes[3][ROWS] = {
	{ 0x01, 0xff, 0x00, 0x80 }, { 0x02, 0xff, 0x01 }, { 0x03, 0xff },
};

static void a_value_is_its_bytes_lowest_first(void **state)
{
	const uint8_t *const planes[] = { bytes[0], bytes[1], bytes[2] };
	uint64_t v[4];

	(void)state;
	tf_planes_join(v, planes, 4, 1);
	assert_int_equal(v[0], 0x01);
	assert_int_equal(v[3], 0x80);
	tf_planes_join(v, planes, 4, 2);
	assert_int_equal(v[0], 0x0201);
	assert_int_equal(v[2], 0x0100);
	tf_planes_join(v, planes, 4, 3);
	assert_int_equal(v[0], 0x030201);
	assert_int_equal(v[1], 0xffffff);
}

static void values_of_each_width_come_back(void **state)
{
	uint64_t v[ROWS], got[ROWS];
	uint8_t to[8 * ROWS];
	const uint8_t *planes[8];

	(void)state;
	for (unsigned w = 0; w <= 8; w++) {
		for (size_t i = 0; i < ROWS; i++)
			v[i] = w ? (0x9e3779b97f4a7c15 * (i + 1)) >>
					   (64 - 8 * w) : 0;
		for (unsigned b = 0; b < 8; b++)
			planes[b] = to + b * ROWS;
		tf_planes_split(to, v, ROWS, w);
		memset(got, 0xaa, sizeof(got));
		tf_planes_join(got, planes, ROWS, w);
		assert_memory_equal(got, v, sizeof(v));
	}
}

static void a_place_past_the_limit_is_seen(void **state)
{
	const uint8_t *const planes[] = { bytes[0], bytes[1], bytes[2] };
	uint32_t v[ROWS];

	(void)state;
	assert_true(tf_planes_join_below(v, planes, ROWS, 1, 0x100));
	assert_false(tf_planes_join_below(v, planes, ROWS, 1, 0xff));
	assert_true(tf_planes_join_below(v, planes, ROWS, 3, 0x1000000));
	assert_int_equal(v[0], 0x030201);
	assert_int_equal(v[1], 0xffffff);
	assert_false(tf_planes_join_below(v, planes, ROWS, 3, 0xffffff));
	assert_true(tf_planes_join_below(v, planes, ROWS, 0, 1));
	assert_int_equal(v[1], 0);
	assert_false(tf_planes_join_below(v, planes, ROWS, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_is_its_bytes_lowest_first),
		cmocka_unit_test(values_of_each_width_come_back),
		cmocka_unit_test(a_place_past_the_limit_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
