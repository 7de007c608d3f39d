#include "record/segment/name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* 2023-11-14 22:13:20 UTC, as date -u -d @1700000000 says. */
#define THEN (1700000000ull * 1000000000)

static void assert_named(const char *path, uint64_t at, const char *want)
{
	char name[PATH_MAX];

	assert_true(rec_segment_name(name, path, at));
	assert_string_equal(name, want);
}

static void the_time_stands_before_the_extension(void **state)
{
	(void)state;
	assert_named("trace.ctr", THEN, "trace.20231114-221320.00.ctr");
	assert_named("/a.b/trace.ctr", THEN + 420000000,
		     "/a.b/trace.20231114-221320.42.ctr");
	assert_named("a.b.c", THEN + 999999999, "a.b.20231114-221320.99.c");
}

static void a_name_without_extension_ends_with_the_time(void **state)
{
	(void)state;
	assert_named("/a.b/trace", THEN, "/a.b/trace.20231114-221320.00");
	assert_named("d/.hidden", THEN, "d/.hidden.20231114-221320.00");
}

static void it_is_the_time_of_this_place(void **state)
{
	(void)state;
	setenv("TZ", "XYZ-2", 1); /* two hours ahead */
	tzset();
	assert_named("t.ctr", THEN, "t.20231115-001320.00.ctr");
	setenv("TZ", "UTC", 1);
	tzset();
}

static void names_sort_as_the_times_do(void **state)
{
	char before[PATH_MAX], after[PATH_MAX];

	(void)state;
	assert_true(rec_segment_name(before, "t.ctr", THEN));
	for (uint64_t i = 1; i < 300; i++) {
		assert_true(rec_segment_name(after, "t.ctr",
					     THEN + i * REC_SEGMENT_STEP_NS));
		assert_true(strcmp(before, after) < 0);
		memcpy(before, after, sizeof(before));
	}
}

static void a_name_that_is_too_long_is_refused(void **state)
{
	static const char stamp[] = ".20231114-221320.00";
	static char path[PATH_MAX], name[PATH_MAX];
	size_t fits = PATH_MAX - sizeof(stamp);

	(void)state;
	memset(path, 'x', fits);
	assert_true(rec_segment_name(name, path, THEN));
	assert_int_equal(strlen(name), PATH_MAX - 1);
	path[fits] = 'x';
	assert_false(rec_segment_name(name, path, THEN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_time_stands_before_the_extension),
		cmocka_unit_test(a_name_without_extension_ends_with_the_time),
		cmocka_unit_test(it_is_the_time_of_this_place),
		cmocka_unit_test(names_sort_as_the_times_do),
		cmocka_unit_test(a_name_that_is_too_long_is_refused),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
