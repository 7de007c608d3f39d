#include "record/config.h"

#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MIB (1ull << 20)

struct line {
	struct rec_args args;
	struct rec_config config;
	struct err err;
};

/* rec OPTION OPTION -e cpu-clock -- true */
static int parse(struct line *l, const char *a, const char *b)
{
	char one[64], two[64], clock[] = "-ecpu-clock", end[] = "--",
	     command[] = "true", rec[] = "rec";
	char *words[] = { rec, one, two, clock, end, command, NULL };
	int n = 0, rc;

	*l = (struct line){ 0 };
	snprintf(one, sizeof(one), "%s", a);
	snprintf(two, sizeof(two), "%s", b ? b : "-q");
	rc = opt_parse(rec_options, OPT_FIRST, &l->args, 6, words, &n, &l->err);
	if (rc == 0)
		rc = rec_config_make(&l->config, &l->args, words, words + 1,
				     &l->err);
	rec_args_fini(&l->args);
	if (rc == 0) {
		l->config.command = NULL;
		l->config.argv = NULL;
	}
	return rc;
}

static void a_recording_is_split_as_it_is_asked(void **state)
{
	static const struct {
		const char *option;
		uint64_t ns, size;
	} cases[] = {
		{ "--switch-output", 0, 0 },
		{ "--switch-output=signal", 0, 0 },
		{ "--switch-output=100M", 0, 100 * MIB },
		{ "--switch-output=3G", 0, 3072 * MIB },
		{ "--switch-output=64K", 0, 65536 },
		{ "--switch-output=4096B", 0, 4096 },
		{ "--switch-output=30s", 30000000000, 0 },
		{ "--switch-output=2m", 120000000000, 0 },
		{ "--switch-output=100ms", 100000000, 0 },
	};
	struct line l;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(parse(&l, cases[i].option, NULL), 0);
		assert_true(l.config.split);
		assert_int_equal(l.config.split_ns, cases[i].ns);
		assert_int_equal(l.config.split_size, cases[i].size);
		assert_int_equal(l.config.max_files, 0);
		rec_config_fini(&l.config);
	}
}

static void what_makes_no_sense_is_refused(void **state)
{
	static const struct {
		const char *a, *b, *says;
	} cases[] = {
		{ "--switch-output=", NULL, "neither" },
		{ "--switch-output=100", NULL, "neither" },
		{ "--switch-output=0M", NULL, "neither" },
		{ "--switch-output=M", NULL, "neither" },
		{ "--switch-output=-1M", NULL, "neither" },
		{ "--switch-output=99999999999G", NULL, "neither" },
		{ "--switch-output=0s", NULL, "neither" },
		{ "--switch-output=99ms", NULL, "of 100ms at least" },
		{ "--switch-output=soon", NULL, "neither" },
		{ "--switch-output", "-o-", "standard output" },
		{ "--max-files=3", NULL, "needs --switch-output" },
		{ "--switch-output", "--max-files=0", "no file" },
		{ "--max-size=0", NULL, "no size" },
	};
	struct line l;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(parse(&l, cases[i].a, cases[i].b), ERR_USAGE);
		if (!strstr(l.err.text, cases[i].says))
			fail_msg("%s: %s", cases[i].a, l.err.text);
	}
}

static void files_and_sizes_are_limited_by_either_name(void **state)
{
	struct line l;

	(void)state;
	assert_int_equal(parse(&l, "--switch-output", "--max-files=24"), 0);
	assert_int_equal(l.config.max_files, 24);
	rec_config_fini(&l.config);
	assert_int_equal(parse(&l, "--switch-output", "--switch-max-files=7"),
			 0);
	assert_int_equal(l.config.max_files, 7);
	rec_config_fini(&l.config);
	assert_int_equal(parse(&l, "--max-size=2G", NULL), 0);
	assert_int_equal(l.config.max_size, 2048 * MIB);
	assert_false(l.config.split);
	rec_config_fini(&l.config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_is_split_as_it_is_asked),
		cmocka_unit_test(what_makes_no_sense_is_refused),
		cmocka_unit_test(files_and_sizes_are_limited_by_either_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
