#include "format/base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *said(void (*say)(const struct log *l, const char *fmt, ...),
		  int level, const char *name)
{
	char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);
	struct log log = { to, "prog", level };

	assert_non_null(to);
	say(&log, "about '%s'", name);
	fclose(to);
	return text;
}

static void no_name_can_command_a_terminal(void **state)
{
	char *text = said(log_warn, LOG_NORMAL, "a\x1b[31mb\nc\x7f");

	(void)state;
	assert_string_equal(text,
			    "prog: warning: about 'a\\x1b[31mb\\nc\\x7f'\n");
	free(text);
}

static void quiet_silences_talk_but_not_warnings(void **state)
{
	char *talk = said(log_info, LOG_QUIET, "x");
	char *warning = said(log_warn, LOG_QUIET, "x");

	(void)state;
	assert_string_equal(talk, "");
	assert_string_equal(warning, "prog: warning: about 'x'\n");
	free(talk);
	free(warning);
}

static void verbose_talk_needs_verbose(void **state)
{
	char *without = said(log_verbose, LOG_NORMAL, "x");
	char *with = said(log_verbose, LOG_VERBOSE, "x");

	(void)state;
	assert_string_equal(without, "");
	assert_string_equal(with, "prog: about 'x'\n");
	free(without);
	free(with);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_name_can_command_a_terminal),
		cmocka_unit_test(quiet_silences_talk_but_not_warnings),
		cmocka_unit_test(verbose_talk_needs_verbose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
