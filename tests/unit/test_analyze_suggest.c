#include "analyze/suggest.h"
#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void one_slip_is_a_distance_of_one(void **state)
{
	(void)state;
	assert_int_equal(an_distance("", ""), 0);
	assert_int_equal(an_distance("report", "report"), 0);
	assert_int_equal(an_distance("report", "reprt"), 1);
	assert_int_equal(an_distance("report", "rreport"), 1);
	assert_int_equal(an_distance("report", "rexort"), 1);
	assert_int_equal(an_distance("report", "reprot"), 1);
	assert_int_equal(an_distance("kitten", "sitting"), 3);
	assert_int_equal(an_distance("", "abc"), 3);
}

static void words_that_are_too_long_are_far(void **state)
{
	static const char longer[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

	(void)state;
	assert_int_equal(an_distance(longer, "a"), 99);
	assert_int_equal(an_distance("a", longer), 99);
}

static void the_nearest_word_is_suggested_only_when_it_is_near(void **state)
{
	static const char *const words[] = { "info", "report", "folded" };

	(void)state;
	assert_string_equal(an_nearest("fold", words, 3), "folded");
	assert_string_equal(an_nearest("inof", words, 3), "info");
	assert_null(an_nearest("xyzzy", words, 3));
	assert_null(an_nearest("report", words, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_slip_is_a_distance_of_one),
		cmocka_unit_test(words_that_are_too_long_are_far),
		cmocka_unit_test(
			the_nearest_word_is_suggested_only_when_it_is_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
