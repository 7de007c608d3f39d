#include "record/import/text/lines.h"

#include "format/base/mem.h"
#include "tests/support/text_intake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* All lines, each with a '|' behind it. */
static void check(const void *p, size_t n, const char *want)
{
	for (size_t step = 0; step < 7; step++) {
		struct rec_input in = { .text = span_of(p, n), .step = step };
		struct rec_text_lines l;
		struct span line;
		struct buf got = { 0 };
		uint64_t number = 0;

		rec_text_lines_init(&l, &in);
		while (rec_text_lines_next(&l, &line, NULL) == 0) {
			buf_put(&got, line.p, line.n);
			buf_u8(&got, '|');
			assert_int_equal(l.number, ++number);
		}
		assert_int_equal(got.n, strlen(want));
		assert_memory_equal(got.p, want, got.n);
		buf_fini(&got);
		rec_text_lines_fini(&l);
	}
}

#define CHECK(text, want) check(text, sizeof(text) - 1, want)

static void a_line_ends_with_lf_or_cr_lf_or_the_text(void **state)
{
	(void)state;
	CHECK("a\nb\r\n\nc", "a|b||c|");
	CHECK("a\n", "a|");
	CHECK("\n", "|");
	CHECK("a\r\r\nb\rc", "a\r|b\rc|");
}

static void an_empty_text_has_no_lines(void **state)
{
	(void)state;
	CHECK("", "");
	CHECK("\xef\xbb\xbf", "");
	CHECK("\xff\xfe", "");
}

static void a_mark_of_byte_order_is_no_part_of_the_text(void **state)
{
	(void)state;
	CHECK("\xef\xbb\xbf" "a\nb", "a|b|");
	CHECK("\xff\xfe" "a\0\n\0b\0", "a|b|");
	CHECK("\xfe\xff" "\0a\0\n\0b", "a|b|");
	CHECK("\xef\xbb", "\xef\xbb|");
}

/* RFC 2781: U+00E4, U+20AC, U+1F600, halves of pairs alone, an odd byte. */
static void utf_16_becomes_utf_8(void **state)
{
	(void)state;
	CHECK("\xff\xfe" "\xe4\0\xac\x20\x3d\xd8\0\xde",
	      "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80|");
	CHECK("\xfe\xff" "\0\xe4\x20\xac\xd8\x3d\xde\0",
	      "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80|");
	CHECK("\xff\xfe" "\x3d\xd8" "a\0\0\xde" "b\0",
	      "\xef\xbf\xbd" "a\xef\xbf\xbd" "b|");
	CHECK("\xff\xfe" "a\0b", "a|");
	CHECK("\xff\xfe" "a\0\x3d\xd8", "a|");
}

static void a_line_beyond_the_limit_is_cut_and_the_next_is_whole(void **state)
{
	size_t n = 3 * REC_TEXT_LINE_MAX;
	char *text = malloc(n + 2);
	struct rec_input in = { .text = span_of(text, n + 2) };
	struct rec_text_lines l;
	struct span line;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', n);
	text[n] = '\n';
	text[n + 1] = 'y';
	rec_text_lines_init(&l, &in);
	assert_int_equal(rec_text_lines_next(&l, &line, NULL), 0);
	assert_true(l.cut);
	assert_int_equal(line.n, REC_TEXT_LINE_MAX);
	assert_int_equal(rec_text_lines_next(&l, &line, NULL), 0);
	assert_false(l.cut);
	assert_int_equal(line.n, 1);
	assert_int_equal(l.number, 2);
	assert_int_equal(rec_text_lines_next(&l, &line, NULL), 1);
	/* In memory that does not grow with the text. */
	assert_true(l.cap <= 4 * REC_TEXT_LINE_MAX);
	rec_text_lines_fini(&l);
	free(text);
}

static void a_line_with_a_byte_of_zero_is_no_text(void **state)
{
	struct rec_input in = { .text = span_of("a\nb\0c\nd", 7) };
	struct rec_text_lines l;
	struct span line;

	(void)state;
	rec_text_lines_init(&l, &in);
	for (unsigned i = 1; i <= 3; i++) {
		assert_int_equal(rec_text_lines_next(&l, &line, NULL), 0);
		assert_int_equal(rec_text_lines_fault(&l) != NULL, i == 2);
	}
	rec_text_lines_fini(&l);
}

static void a_head_is_plain_whatever_the_text_is_in(void **state)
{
	uint8_t to[8];
	bool cut;
	struct span s = rec_text_head(span_of("abc", 3), to, sizeof(to), &cut);

	(void)state;
	assert_int_equal(s.n, 3);
	assert_false(cut);
	s = rec_text_head(span_of("\xff\xfe" "a\0b\0c\0", 8), to, sizeof(to),
			  &cut);
	assert_true(cut);
	assert_int_equal(s.n, 2);
	assert_memory_equal(s.p, "ab", 2);
	s = rec_text_head(span_of("0123456789", 10), to, sizeof(to), &cut);
	assert_true(cut);
	assert_int_equal(s.n, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_ends_with_lf_or_cr_lf_or_the_text),
		cmocka_unit_test(an_empty_text_has_no_lines),
		cmocka_unit_test(a_mark_of_byte_order_is_no_part_of_the_text),
		cmocka_unit_test(utf_16_becomes_utf_8),
		cmocka_unit_test(
			a_line_beyond_the_limit_is_cut_and_the_next_is_whole),
		cmocka_unit_test(a_line_with_a_byte_of_zero_is_no_text),
		cmocka_unit_test(a_head_is_plain_whatever_the_text_is_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
