#include "analyze/out/json.h"
#include "analyze/out/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT(s) span_of(s, sizeof(s) - 1)

struct written {
	FILE *to;
	char *text;
	size_t n;
	struct an_json json;
};

static void begin(struct written *w)
{
	w->text = NULL;
	w->to = open_memstream(&w->text, &w->n);
	assert_non_null(w->to);
	an_json_init(&w->json, w->to);
}

static void expect(struct written *w, const char *want)
{
	fclose(w->to);
	assert_string_equal(w->text, want);
	free(w->text);
}

static void commas_stand_between_values_only(void **state)
{
	struct written w;
	struct an_json *j = &w.json;

	(void)state;
	begin(&w);
	an_json_object(j, NULL);
	an_json_u64(j, "a", 1);
	an_json_array(j, "b");
	an_json_array(j, NULL);
	an_json_end_array(j);
	an_json_object(j, NULL);
	an_json_end_object(j);
	an_json_null(j, NULL);
	an_json_end_array(j);
	an_json_bool(j, "c", false);
	an_json_cstr(j, "d", "x");
	an_json_end_object(j);
	expect(&w, "{\"a\":1,\"b\":[[],{},null],\"c\":false,\"d\":\"x\"}");
}

static void nesting_has_no_limit(void **state)
{
	enum { DEPTH = 5000 };
	struct written w;

	(void)state;
	begin(&w);
	for (int i = 0; i < DEPTH; i++)
		an_json_array(&w.json, NULL);
	for (int i = 0; i < DEPTH; i++)
		an_json_end_array(&w.json);
	fclose(w.to);
	assert_int_equal(w.n, 2 * DEPTH);
	assert_int_equal(strspn(w.text, "["), DEPTH);
	assert_int_equal(strspn(w.text + DEPTH, "]"), DEPTH);
	free(w.text);
}

static void a_break_comes_behind_the_comma(void **state)
{
	struct written w;

	(void)state;
	begin(&w);
	an_json_array(&w.json, NULL);
	for (uint64_t i = 1; i <= 2; i++) {
		an_json_break(&w.json);
		an_json_u64(&w.json, NULL, i);
	}
	an_json_end_array(&w.json);
	expect(&w, "[\n1,\n2]");
}

static void numbers_keep_their_value(void **state)
{
	static const double all[] = { 0, 0.1, 1.0 / 3, 1e300, -2.5, 1e-310 };
	struct written w;
	char *at;

	(void)state;
	begin(&w);
	an_json_array(&w.json, NULL);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		an_json_f64(&w.json, NULL, all[i]);
	an_json_end_array(&w.json);
	fclose(w.to);
	at = w.text;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		double got = strtod(at + 1, &at);

		assert_memory_equal(&got, &all[i], sizeof(got));
	}
	free(w.text);
}

static void what_is_not_finite_is_null(void **state)
{
	struct written w;

	(void)state;
	begin(&w);
	an_json_array(&w.json, NULL);
	an_json_f64(&w.json, NULL, 1e308 * 10);
	an_json_f64(&w.json, NULL, strtod("nan", NULL));
	an_json_i64(&w.json, NULL, INT64_MIN);
	an_json_u64(&w.json, NULL, UINT64_MAX);
	an_json_end_array(&w.json);
	expect(&w, "[null,null,-9223372036854775808,18446744073709551615]");
}

static void strings_are_escaped_as_rfc_8259_asks(void **state)
{
	struct written w;

	(void)state;
	begin(&w);
	an_json_text(&w.json, NULL, TEXT("\"\\/\b\n\x1f\0z"));
	expect(&w, "\"\\\"\\\\/\\u0008\\u000a\\u001f\\u0000z\"");
}

static void bytes_that_are_no_utf8_become_replacements(void **state)
{
	struct written w;

	(void)state;
	begin(&w);
	/* In order: stray continuation, overlong '/', surrogate D800, past
	 * U+10FFFF, cut short at the end. Each bad byte is one U+FFFD. */
	an_json_array(&w.json, NULL);
	an_json_text(&w.json, NULL, TEXT("a\x80z"));
	an_json_text(&w.json, NULL, TEXT("\xc0\xaf"));
	an_json_text(&w.json, NULL, TEXT("\xed\xa0\x80"));
	an_json_text(&w.json, NULL, TEXT("\xf4\x90\x80\x80"));
	an_json_text(&w.json, NULL, TEXT("\xe6\xbc"));
	an_json_text(&w.json, NULL, TEXT("\xc3\xbc\xe6\xbc\xa2\xf0\x9f\x98\x80"));
	an_json_end_array(&w.json);
#define BAD "\xef\xbf\xbd"
	expect(&w, "[\"a" BAD "z\",\"" BAD BAD "\",\"" BAD BAD BAD "\",\""
	       BAD BAD BAD BAD "\",\"" BAD BAD "\","
	       "\"\xc3\xbc\xe6\xbc\xa2\xf0\x9f\x98\x80\"]");
}

static void no_control_reaches_a_terminal(void **state)
{
	(void)state;
	for (uint32_t code = 0; code < 256; code++) {
		uint8_t byte = (uint8_t)code;
		struct buf b = { 0 };

		utf8_clean(&b, span_of(&byte, 1));
		assert_true(b.n > 0);
		for (size_t i = 0; i < b.n; i++)
			assert_true(b.p[i] >= 0x20 && b.p[i] < 0x7f);
		buf_fini(&b);
	}
}

static void cleaning_names_what_was_there(void **state)
{
	struct buf b = { 0 };

	(void)state;
	utf8_clean(&b, TEXT("a\n\t\x1b[31m\xff\xc2\x9b\xe2\x80\xae\xc3\xbc"));
	buf_u8(&b, 0);
	assert_string_equal((char *)b.p,
			    "a\\n\\t\\x1b[31m\\xff\\u009b\\u202e\xc3\xbc");
	buf_fini(&b);
	assert_int_equal(utf8_width(TEXT("f\xc3\xbcr \xe6\xbc\xa2")), 5);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_stand_between_values_only),
		cmocka_unit_test(nesting_has_no_limit),
		cmocka_unit_test(a_break_comes_behind_the_comma),
		cmocka_unit_test(numbers_keep_their_value),
		cmocka_unit_test(what_is_not_finite_is_null),
		cmocka_unit_test(strings_are_escaped_as_rfc_8259_asks),
		cmocka_unit_test(bytes_that_are_no_utf8_become_replacements),
		cmocka_unit_test(no_control_reaches_a_terminal),
		cmocka_unit_test(cleaning_names_what_was_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
