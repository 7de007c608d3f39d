#include "format/base/json.h"
#include "format/base/utf8.h"

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
	struct json json;
};

static void begin(struct written *w)
{
	w->text = NULL;
	w->to = open_memstream(&w->text, &w->n);
	assert_non_null(w->to);
	json_init(&w->json, w->to);
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
	struct json *j = &w.json;

	(void)state;
	begin(&w);
	json_object(j, NULL);
	json_u64(j, "a", 1);
	json_array(j, "b");
	json_array(j, NULL);
	json_end_array(j);
	json_object(j, NULL);
	json_end_object(j);
	json_null(j, NULL);
	json_end_array(j);
	json_bool(j, "c", false);
	json_cstr(j, "d", "x");
	json_end_object(j);
	expect(&w, "{\"a\":1,\"b\":[[],{},null],\"c\":false,\"d\":\"x\"}");
}

static void nesting_has_no_limit(void **state)
{
	enum { DEPTH = 5000 };
	struct written w;

	(void)state;
	begin(&w);
	for (int i = 0; i < DEPTH; i++)
		json_array(&w.json, NULL);
	for (int i = 0; i < DEPTH; i++)
		json_end_array(&w.json);
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
	json_array(&w.json, NULL);
	for (uint64_t i = 1; i <= 2; i++) {
		json_break(&w.json);
		json_u64(&w.json, NULL, i);
	}
	json_end_array(&w.json);
	expect(&w, "[\n1,\n2]");
}

static void numbers_keep_their_value(void **state)
{
	static const double all[] = { 0, 0.1, 1.0 / 3, 1e300, -2.5, 1e-310 };
	struct written w;
	char *at;

	(void)state;
	begin(&w);
	json_array(&w.json, NULL);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		json_f64(&w.json, NULL, all[i]);
	json_end_array(&w.json);
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
	json_array(&w.json, NULL);
	json_f64(&w.json, NULL, 1e308 * 10);
	json_f64(&w.json, NULL, strtod("nan", NULL));
	json_i64(&w.json, NULL, INT64_MIN);
	json_u64(&w.json, NULL, UINT64_MAX);
	json_end_array(&w.json);
	expect(&w, "[null,null,-9223372036854775808,18446744073709551615]");
}

static void strings_are_escaped_as_rfc_8259_asks(void **state)
{
	struct written w;

	(void)state;
	begin(&w);
	json_text(&w.json, NULL, TEXT("\"\\/\b\n\x1f\0z"));
	expect(&w, "\"\\\"\\\\/\\u0008\\u000a\\u001f\\u0000z\"");
}

static void bytes_that_are_no_utf8_become_replacements(void **state)
{
	struct written w;

	(void)state;
	begin(&w);
	/* In order: stray continuation, overlong '/', surrogate D800, past
	 * U+10FFFF, cut short at the end. Each bad byte is one U+FFFD. */
	json_array(&w.json, NULL);
	json_text(&w.json, NULL, TEXT("a\x80z"));
	json_text(&w.json, NULL, TEXT("\xc0\xaf"));
	json_text(&w.json, NULL, TEXT("\xed\xa0\x80"));
	json_text(&w.json, NULL, TEXT("\xf4\x90\x80\x80"));
	json_text(&w.json, NULL, TEXT("\xe6\xbc"));
	json_text(&w.json, NULL, TEXT("\xc3\xbc\xe6\xbc\xa2\xf0\x9f\x98\x80"));
	json_end_array(&w.json);
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

/* Valid UTF-8 and its limits: RFC 3629, section 4. */
static void names_do_nothing_to_a_terminal_nor_to_json(void **state)
{
	static const struct {
		const char *text, *clean, *json;
	} rows[] = {
		{ "a\"b\\c", "a\"b\\c", "[\"a\\\"b\\\\c\"]" },
		{ "\x1b[2J\n", "\\x1b[2J\\n", "[\"\\u001b[2J\\u000a\"]" },
		{ "\xc2\xb5J", "\xc2\xb5J", "[\"\xc2\xb5J\"]" },
		{ "\xc2\x9b" "1m", "\\u009b1m", "[\"\\u009b1m\"]" },
		{ "\xff", "\\xff", "[\"" BAD "\"]" },
		{ "\xc0\xaf", "\\xc0\\xaf", "[\"" BAD BAD "\"]" },
		{ "\xe2\x82", "\\xe2\\x82", "[\"" BAD BAD "\"]" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80",
		  "[\"" BAD BAD BAD "\"]" },
		{ "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf",
		  "[\"\xf4\x8f\xbf\xbf\"]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char got[64] = "";
		FILE *f = fmemopen(got, sizeof(got), "w");
		struct json j;

		assert_non_null(f);
		utf8_print_cstr(f, rows[i].text);
		fclose(f);
		assert_string_equal(got, rows[i].clean);
		memset(got, 0, sizeof(got));
		f = fmemopen(got, sizeof(got), "w");
		assert_non_null(f);
		json_init(&j, f);
		json_array(&j, NULL);
		json_cstr(&j, NULL, rows[i].text);
		json_end_array(&j);
		fclose(f);
		assert_string_equal(got, rows[i].json);
	}
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
		cmocka_unit_test(names_do_nothing_to_a_terminal_nor_to_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
