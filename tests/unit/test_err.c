#include "format/base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

static void the_code_is_returned_and_kept(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_set(&e, ERR_LIMIT, "%d rows", 3), ERR_LIMIT);
	assert_int_equal(e.code, ERR_LIMIT);
	assert_string_equal(e.text, "3 rows");
	assert_int_equal(err_nomem(&e), ERR_NOMEM);
	assert_string_equal(e.text, "out of memory");
}

static void each_caller_prefixes_where_it_was(void **state)
{
	struct err e = { 0 };

	(void)state;
	err_set(&e, ERR_FORMAT, "checksum differs");
	err_in(&e, e.code, "stream %d", 2);
	assert_int_equal(err_in(&e, e.code, "chunk 7"), ERR_FORMAT);
	assert_string_equal(e.text, "chunk 7: stream 2: checksum differs");
}

static void system_errors_become_codes_and_words(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_sys(&e, ENOENT, "cannot open '%s'", "x"), ERR_IO);
	assert_string_equal(e.text,
			    "cannot open 'x': No such file or directory");
	assert_int_equal(err_sys(&e, EACCES, "x"), ERR_DENIED);
	assert_int_equal(err_sys(&e, EPERM, "x"), ERR_DENIED);
	assert_int_equal(err_sys(&e, ENOSPC, "x"), ERR_FULL);
	assert_int_equal(err_sys(&e, EDQUOT, "x"), ERR_FULL);
	assert_int_equal(err_sys(&e, EFBIG, "x"), ERR_FULL);
	assert_int_equal(err_sys(&e, EPIPE, "x"), ERR_CLOSED);
	assert_int_equal(err_sys(&e, ENOMEM, "x"), ERR_NOMEM);
}

static void nobody_needs_a_text(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, ERR_IO, "x"), ERR_IO);
	assert_int_equal(err_sys(NULL, EPIPE, "x"), ERR_CLOSED);
	assert_int_equal(err_in(NULL, ERR_LIMIT, "x"), ERR_LIMIT);
	assert_int_equal(err_nomem(NULL), ERR_NOMEM);
}

static void a_long_text_is_cut_and_ends(void **state)
{
	struct err e = { 0 };
	char text[3000];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	err_set(&e, ERR_IO, "%s", text);
	err_in(&e, ERR_IO, "%s", text);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	err_sys(&e, ENOENT, "%s", text);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_code_is_returned_and_kept),
		cmocka_unit_test(each_caller_prefixes_where_it_was),
		cmocka_unit_test(system_errors_become_codes_and_words),
		cmocka_unit_test(nobody_needs_a_text),
		cmocka_unit_test(a_long_text_is_cut_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
