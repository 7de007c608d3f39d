#include "format/base/mem.h"
#include "format/base/time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void parsed(const char *text, uint64_t unit, uint64_t want)
{
	uint64_t ns;

	if (!time_parse(text, unit, &ns))
		fail_msg("'%s' was refused", text);
	if (ns != want)
		fail_msg("'%s' gave %llu", text, (unsigned long long)ns);
}

static void each_unit_counts_as_it_should(void **state)
{
	(void)state;
	parsed("7ns", 1, 7);
	parsed("10us", 1, 10000);
	parsed("200ms", 1, 200000000);
	parsed("3s", 1, 3000000000);
	parsed("2m", 1, 120000000000);
	parsed("1h", 1, 3600000000000);
	parsed("12", 1000000, 12000000);
	parsed("0", 1000000, 0);
}

static void a_fraction_is_rounded_to_a_nanosecond(void **state)
{
	(void)state;
	parsed("1.5s", 1, 1500000000);
	parsed("0.0001ms", 1, 100);
	parsed("1.2345", 1000000, 1234500);
	parsed("2.s", 1, 2000000000);
}

static void anything_else_is_refused(void **state)
{
	static const char *const bad[] = { "", "s", "1x", "1 s", " 1s", "-1s",
					   "1s ", "1.5.5s", "0x10", ".5s",
					   "18446744073709551616ns",
					   "99999999999999h" };
	uint64_t ns = 5;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (time_parse(bad[i], 1, &ns))
			fail_msg("'%s' was taken", bad[i]);
}

static void the_largest_time_is_taken(void **state)
{
	(void)state;
	parsed("18446744073709551615ns", 1, UINT64_MAX);
}

static void printed(uint64_t ns, const char *want)
{
	char to[TIME_TEXT];

	time_format(to, ns);
	assert_string_equal(to, want);
}

static void times_are_printed_in_the_unit_that_fits(void **state)
{
	(void)state;
	printed(0, "0 ns");
	printed(999, "999 ns");
	printed(1500, "1.500 us");
	printed(2500000, "2.500 ms");
	printed(1234000000, "1.234 s");
}

static void the_clock_moves_forward(void **state)
{
	uint64_t a = time_now_ns(CLOCK_MONOTONIC);

	(void)state;
	assert_true(a > 0);
	assert_true(time_now_ns(CLOCK_MONOTONIC) >= a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_unit_counts_as_it_should),
		cmocka_unit_test(a_fraction_is_rounded_to_a_nanosecond),
		cmocka_unit_test(anything_else_is_refused),
		cmocka_unit_test(the_largest_time_is_taken),
		cmocka_unit_test(times_are_printed_in_the_unit_that_fits),
		cmocka_unit_test(the_clock_moves_forward),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
