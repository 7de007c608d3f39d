#include "analyze/out/table.h"
#include "format/base/json.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT(s) span_of(s, sizeof(s) - 1)

static const struct an_cell_column columns[] = {
	{ "share_percent", "Share", AN_CELL_PERCENT, true, 8 },
	{ "time_ns", "Time", AN_CELL_TIME, true, 0 },
	{ "name", "Name", AN_CELL_TEXT, false, 0 },
	{ "at", "At", AN_CELL_HEX, true, 0 },
	{ "last", "Last", AN_CELL_TEXT, false, 0 },
};

static struct an_table *make(void)
{
	struct an_table *t;

	assert_int_equal(an_table_new(&t, columns, 5, NULL), 0);
	an_table_f64(t, 99.996);
	an_table_u64(t, 1234000);
	an_table_text(t, TEXT("f\xc3\xbcr"));
	an_table_u64(t, 255);
	an_table_text(t, TEXT("a, \"b\""));
	an_table_f64(t, 0.125);
	an_table_u64(t, 7);
	an_table_text(t, TEXT("longer"));
	an_table_u64(t, 0);
	an_table_text(t, TEXT("\x1b[1m\n"));
	return t;
}

static char *print(struct an_table *t, enum an_format format)
{
	char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	assert_non_null(to);
	assert_int_equal(an_table_print(t, format, to, NULL), 0);
	fclose(to);
	return text;
}

static void expect(enum an_format format, const char *want)
{
	struct an_table *t = make();
	char *got = print(t, format);

	assert_int_equal(an_table_rows(t), 2);
	assert_string_equal(got, want);
	free(got);
	an_table_free(t);
}

static void text_is_aligned_and_does_nothing_to_a_terminal(void **state)
{
	(void)state;
	expect(AN_FORMAT_TEXT,
	       "#    Share      Time  Name      At  Last\n"
	       "# ........  ........  ......  ....  .........\n"
	       "#\n"
	       "   100.00%  1.234 ms  f\xc3\xbcr     0xff  a, \"b\"\n"
	       "     0.12%      7 ns  longer   0x0  \\x1b[1m\\n\n");
}

static void csv_quotes_what_would_split_a_row(void **state)
{
	(void)state;
	expect(AN_FORMAT_CSV, "share_percent,time_ns,name,at,last\n"
	       "99.9960,1234000,f\xc3\xbcr,0xff,\"a, \"\"b\"\"\"\n"
	       "0.1250,7,longer,0x0,\\x1b[1m\\n\n");
}

static void json_keeps_names_and_numbers_whole(void **state)
{
	(void)state;
	expect(AN_FORMAT_JSON, "[\n"
	       "{\"share_percent\":99.996,\"time_ns\":1234000,"
	       "\"name\":\"f\xc3\xbcr\",\"at\":\"0xff\","
	       "\"last\":\"a, \\\"b\\\"\"},\n"
	       "{\"share_percent\":0.125,\"time_ns\":7,\"name\":\"longer\","
	       "\"at\":\"0x0\",\"last\":\"\\u001b[1m\\u000a\"}]\n");
}

static void a_table_without_rows_has_its_titles(void **state)
{
	struct an_table *t;
	char *got;

	(void)state;
	assert_int_equal(an_table_new(&t, columns, 1, NULL), 0);
	got = print(t, AN_FORMAT_TEXT);
	assert_string_equal(got, "#    Share\n# ........\n#\n");
	free(got);
	got = print(t, AN_FORMAT_JSON);
	assert_string_equal(got, "[]\n");
	free(got);
	an_table_free(t);
}

static int put_dash(void *ctx, size_t row, FILE *to, struct err *err)
{
	(void)err;
	fprintf(to, "%s%zu\n", (const char *)ctx, row);
	return 0;
}

static int stop(void *ctx, size_t row, FILE *to, struct err *err)
{
	(void)ctx;
	(void)row;
	(void)to;
	return err_set(err, ERR_LIMIT, "stop");
}

static void extras_follow_their_rows_and_can_stop_it(void **state)
{
	struct an_row_extra extra = { put_dash, NULL, (char[]){ "-" } };
	struct an_table *t;
	char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	(void)state;
	assert_int_equal(an_table_new(&t, columns, 1, NULL), 0);
	an_table_f64(t, 50);
	an_table_f64(t, 25);
	assert_int_equal(an_table_print_text(t, to, &extra, NULL), 0);
	extra.text = stop;
	assert_int_equal(an_table_print_text(t, to, &extra, NULL), ERR_LIMIT);
	fclose(to);
	assert_string_equal(text, "#    Share\n# ........\n#\n"
			    "    50.00%\n-0\n    25.00%\n-1\n"
			    "#    Share\n# ........\n#\n    50.00%\n");
	free(text);
	an_table_free(t);
}

static int fill_and_print(enum an_format format, FILE *to, struct err *err)
{
	struct an_table *t = NULL;
	int rc = an_table_new(&t, columns, 5, err);

	if (!rc) {
		an_table_f64(t, 1);
		an_table_u64(t, 2);
		an_table_text(t, TEXT("three"));
		an_table_u64(t, 4);
		an_table_text(t, TEXT("five"));
		rc = an_table_print(t, format, to, err);
	}
	an_table_free(t);
	return rc;
}

static void every_failed_allocation_is_reported(void **state)
{
	FILE *to = fopen("/dev/null", "w");

	(void)state;
	setvbuf(to, NULL, _IONBF, 0);
	for (int f = AN_FORMAT_TEXT; f <= AN_FORMAT_JSON; f++)
		for (long n = 1;; n++) {
			struct err err = { 0 };
			int rc;

			failalloc_at(n);
			rc = fill_and_print((enum an_format)f, to, &err);
			failalloc_off();
			if (!failalloc_hit())
				break;
			assert_int_equal(rc, ERR_NOMEM);
		}
	fclose(to);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_aligned_and_does_nothing_to_a_terminal),
		cmocka_unit_test(csv_quotes_what_would_split_a_row),
		cmocka_unit_test(json_keeps_names_and_numbers_whole),
		cmocka_unit_test(a_table_without_rows_has_its_titles),
		cmocka_unit_test(extras_follow_their_rows_and_can_stop_it),
		cmocka_unit_test(every_failed_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
