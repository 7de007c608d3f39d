#include "analyze/out/file.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	char dir[64];
	char input[100], output[100];
};

static void put(const char *path, const char *text)
{
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	fputs(text, to);
	assert_int_equal(fclose(to), 0);
}

static bool holds(const char *path, const char *text)
{
	char got[100] = "";
	FILE *from = fopen(path, "r");

	if (!from)
		return false;
	(void)!fread(got, 1, sizeof(got) - 1, from);
	fclose(from);
	return strcmp(got, text) == 0;
}

static void set_up(struct place *p)
{
	strcpy(p->dir, "/tmp/test_out.XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->input, sizeof(p->input), "%s/in", p->dir);
	snprintf(p->output, sizeof(p->output), "%s/out", p->dir);
	put(p->input, "input");
}

/* Nothing else may be there. */
static void tear_down(struct place *p)
{
	unlink(p->input);
	unlink(p->output);
	assert_int_equal(rmdir(p->dir), 0);
}

static void what_is_kept_takes_the_place_of_what_was_there(void **state)
{
	struct an_out_file f;
	struct err err = { 0 };
	struct place p;

	(void)state;
	set_up(&p);
	put(p.output, "old");
	assert_int_equal(an_out_file_open(&f, p.output, p.input, &err), 0);
	fputs("new", f.to);
	assert_true(holds(p.output, "old"));
	assert_int_equal(an_out_file_keep(&f, &err), 0);
	an_out_file_fini(&f);
	assert_true(holds(p.output, "new"));
	tear_down(&p);
}

static void what_is_not_kept_leaves_nothing_behind(void **state)
{
	struct an_out_file f;
	struct err err = { 0 };
	struct place p;

	(void)state;
	set_up(&p);
	assert_int_equal(an_out_file_open(&f, p.output, p.input, &err), 0);
	fputs("half", f.to);
	an_out_file_fini(&f);
	assert_false(holds(p.output, "half"));
	tear_down(&p);
	an_out_file_fini(&f);
}

static void the_input_is_never_written_over(void **state)
{
	struct an_out_file f;
	struct err err = { 0 };
	struct place p;

	(void)state;
	set_up(&p);
	assert_int_equal(an_out_file_open(&f, p.input, p.input, &err),
			 ERR_USAGE);
	assert_int_equal(link(p.input, p.output), 0);
	assert_int_equal(an_out_file_open(&f, p.output, p.input, &err),
			 ERR_USAGE);
	assert_non_null(strstr(err.text, "/out': it is the trace itself"));
	assert_int_equal(unlink(p.output), 0);
	assert_int_equal(symlink("in", p.output), 0);
	assert_int_equal(an_out_file_open(&f, p.output, p.input, &err),
			 ERR_USAGE);
	assert_true(holds(p.input, "input"));
	tear_down(&p);
}

static void a_device_is_written_as_it_stands(void **state)
{
	struct an_out_file f;
	struct err err = { 0 };
	struct stat st;

	(void)state;
	assert_int_equal(an_out_file_open(&f, "/dev/null", "-", &err), 0);
	assert_null(f.temporary);
	assert_int_equal(an_out_file_keep(&f, &err), 0);
	an_out_file_fini(&f);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(an_out_file_open(&f, "/dev/full", "-", &err), 0);
	fputs("x", f.to);
	assert_int_equal(an_out_file_keep(&f, &err), ERR_FULL);
	an_out_file_fini(&f);
}

static void what_cannot_be_made_is_named(void **state)
{
	struct an_out_file f;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(an_out_file_open(&f, "/no/such/x", "-", &err), ERR_IO);
	assert_non_null(strstr(err.text, "cannot create '/no/such/x"));
	assert_int_equal(an_out_file_open(&f, "/tmp", "-", &err), ERR_IO);
	assert_string_equal(err.text, "cannot create '/tmp': Is a directory");
}

static void every_failed_allocation_is_reported(void **state)
{
	int rc = ERR_NOMEM;
	struct place p;

	(void)state;
	set_up(&p);
	put(p.output, "old");
	for (long n = 1; rc == ERR_NOMEM; n++) {
		struct an_out_file f;

		failalloc_at(n);
		rc = an_out_file_open(&f, p.output, p.input, NULL);
		failalloc_off();
		if (!rc)
			an_out_file_fini(&f);
		assert_true(holds(p.output, "old"));
	}
	assert_int_equal(rc, 0);
	tear_down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_kept_takes_the_place_of_what_was_there),
		cmocka_unit_test(what_is_not_kept_leaves_nothing_behind),
		cmocka_unit_test(the_input_is_never_written_over),
		cmocka_unit_test(a_device_is_written_as_it_stands),
		cmocka_unit_test(what_cannot_be_made_is_named),
		cmocka_unit_test(every_failed_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
