#include "record/import/text/folded_line.h"

#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct span text(const char *s)
{
	return span_of(s, strlen(s));
}

static void is(struct span s, const char *want)
{
	assert_int_equal(s.n, strlen(want));
	assert_memory_equal(s.p, want, s.n);
}

static void a_count_stands_behind_the_last_blank(void **state)
{
	struct rec_text_folded f;

	(void)state;
	assert_true(rec_text_folded(text("a;art::JValue art::Inv<art::M*> 6"),
				    1, &f));
	is(f.stack, "a;art::JValue art::Inv<art::M*>");
	assert_int_equal(f.counts[0].digits, 6);
	assert_int_equal(f.counts[0].decimals, 0);
	assert_true(rec_text_folded(text("a;f 12 3"), 1, &f));
	is(f.stack, "a;f 12");
	assert_int_equal(f.counts[0].digits, 3);
}

static void two_counts_are_taken_where_asked(void **state)
{
	struct rec_text_folded f;

	(void)state;
	assert_true(rec_text_folded(text("a;f 12 3"), 2, &f));
	is(f.stack, "a;f");
	assert_int_equal(f.counts[0].digits, 12);
	assert_int_equal(f.counts[1].digits, 3);
	assert_false(rec_text_folded(text("a;f 12"), 2, &f));
}

static void counts_may_have_decimals(void **state)
{
	static const struct {
		const char *text;
		uint64_t digits;
		unsigned decimals;
	} want[] = {
		{ "a 31.23", 3123, 2 }, { "a 19.0", 19, 0 }, { "a .5", 5, 1 },
		{ "a 5.", 5, 0 }, { "a 0.000", 0, 0 }, { "a 100", 100, 0 },
		{ "a 2.500", 25, 1 },
		{ "a 18446744073709551615", UINT64_MAX, 0 },
		{ "a 1.23456789012345678901234", 1234567890123456789, 18 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		struct rec_text_folded f;

		assert_true(rec_text_folded(text(want[i].text), 1, &f));
		assert_true(f.counts[0].digits == want[i].digits);
		assert_int_equal(f.counts[0].decimals, want[i].decimals);
	}
}

static void a_line_without_a_count_is_none(void **state)
{
	static const char *const lines[] = {
		"", " ", "a;b", "12", " 12", "THIS IS A BAD LINE",
		"A BAD FRACTIONAL LINE 12V.43", "a 1.2.3", "a .", "a -5",
		"a 1e3", "a 18446744073709551616",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct rec_text_folded f;

		assert_false(rec_text_folded(text(lines[i]), 1, &f));
	}
}

static void a_count_is_scaled_exactly_or_not_at_all(void **state)
{
	struct rec_text_count c = { 3123, 2 };
	uint64_t v;

	(void)state;
	assert_true(rec_text_count_scale(&c, 3, &v));
	assert_int_equal(v, 31230);
	c = (struct rec_text_count){ UINT64_MAX / 10, 0 };
	assert_true(rec_text_count_scale(&c, 1, &v));
	c = (struct rec_text_count){ UINT64_MAX / 10 + 1, 0 };
	assert_false(rec_text_count_scale(&c, 1, &v));
}

static void frames_come_from_the_innermost_on_with_their_kind(void **state)
{
	struct span stack = text("main;[unknown];f(int, x);read_[k];j_[j];i_[i]");
	static const char *const want[][2] = {
		{ "i", "[inlined]" }, { "j", "[jit]" },
		{ "read", "[kernel.kallsyms]" }, { "f(int, x)", "" },
		{ "", "" }, { "main", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		struct rec_text_frame f;

		assert_true(stack.n > 0);
		rec_text_folded_frame(&stack, &f);
		is(f.symbol, want[i][0]);
		is(f.image, want[i][1]);
		assert_false(f.has_address);
	}
	assert_int_equal(stack.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_count_stands_behind_the_last_blank),
		cmocka_unit_test(two_counts_are_taken_where_asked),
		cmocka_unit_test(counts_may_have_decimals),
		cmocka_unit_test(a_line_without_a_count_is_none),
		cmocka_unit_test(a_count_is_scaled_exactly_or_not_at_all),
		cmocka_unit_test(
			frames_come_from_the_innermost_on_with_their_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
