#include "tests/support/text_check.h"

static const char stacks[] = "a;b 1\nc;d;e 23\nf 4\n";
static const char stacks_log[] =
	"comm 1/1 a\nevent 0 folded\nsample 0 1/1 cpu0 @1 x1 <b|>\n"
	"comm 2/2 c\nsample 0 2/2 cpu0 @2 x23 <e|> <d|>\n"
	"comm 3/3 f\nsample 0 3/3 cpu0 @3 x4\n";

static void folded_lines_become_rows_that_weigh_their_count(void **state)
{
	static const char s[] = "a;b;read_[k] 3\r\na;art::JValue x<y *> 6\n"
				"no count\nc;[unknown] 1\nc 2";

	(void)state;
	assert_true(rec_import_folded.is(text(s)));
	check(&rec_import_folded, s, 1,
	      "comm 1/1 a\nevent 0 folded\n"
	      "sample 0 1/1 cpu0 @1 x3 <k read|[kernel.kallsyms]> <b|>\n"
	      "sample 0 1/1 cpu0 @2 x6 <art::JValue x<y *>|>\n"
	      "comm 2/2 c\n"
	      "sample 0 2/2 cpu0 @4 x1 <|>\n"
	      "sample 0 2/2 cpu0 @5 x2\n"
	      "lost 8 event-1 cpu-1 @0 x1\n");
}

static void decimals_scale_all_counts_and_are_told(void **state)
{
	static const char s[] = "a;b 1.25\na;c 3\n";
	struct rec_intake in;

	(void)state;
	assert_int_equal(text_intake_run(&in, &rec_import_folded, s,
					 sizeof(s) - 1, 0, NULL), 0);
	assert_int_equal(in.periods, 425);
	buf_u8(&in.facts, 0);
	assert_non_null(strstr((char *)in.facts.p, "periods are counts times "
			       "100\n"));
	text_intake_fini(&in);
}

static void decimals_without_room_are_cut_and_that_is_told(void **state)
{
	static const char s[] = "a;b 0.5\na;c 18446744073709551615\n";
	struct rec_intake in;

	(void)state;
	assert_int_equal(text_intake_run(&in, &rec_import_folded, s,
					 sizeof(s) - 1, 0, NULL), 0);
	assert_true(in.periods == UINT64_MAX);
	buf_u8(&in.facts, 0);
	assert_non_null(strstr((char *)in.facts.p, "note.import_cut="));
	text_intake_fini(&in);
}

static void two_columns_are_two_events(void **state)
{
	(void)state;
	check(&rec_import_folded, "a;b 1 2\na;c 0 5\n", 0,
	      "comm 1/1 a\nevent 0 before\nsample 0 1/1 cpu0 @1 x1 <b|>\n"
	      "event 1 after\nsample 1 1/1 cpu0 @1 x2 <b|>\n"
	      "sample 1 1/1 cpu0 @2 x5 <c|>\n");
	/* One line with a single count: then digits are part of names. */
	check(&rec_import_folded, "a;b 1 2\na;c 5\n", 0,
	      "comm 1/1 a\nevent 0 folded\nsample 0 1/1 cpu0 @1 x2 <b 1|>\n"
	      "sample 0 1/1 cpu0 @2 x5 <c|>\n");
}

static void a_stack_of_thousands_of_frames_is_kept(void **state)
{
	static char s[5000 * 3 + 16];
	struct rec_intake in;
	size_t n = 0, frames = 0;

	(void)state;
	n += (size_t)snprintf(s, sizeof(s), "root");
	for (int i = 0; i < 5000; i++) {
		memcpy(s + n, ";ff", 3);
		n += 3;
	}
	n += (size_t)snprintf(s + n, sizeof(s) - n, " 1\n");
	assert_int_equal(text_intake_run(&in, &rec_import_folded, s, n, 0,
					 NULL), 0);
	for (size_t i = 0; i < in.log.n; i++)
		frames += in.log.p[i] == '<';
	assert_int_equal(frames, 5000);
	text_intake_fini(&in);
}

static void other_texts_are_no_folded_stacks(void **state)
{
	static const char *const texts[] = {
		"", "\n", "a;b\n", "one 1\ntwo 2\n", "x = 5;\ny = 6;\nz;q 5\n",
		"{\"a\": 1}\n", "He came; he went in 47\n", "a; b 1\n", ";; 1\n",
		"a;b 1 \0",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts) - 1; i++)
		assert_false(rec_import_folded.is(text(texts[i])));
	assert_false(rec_import_folded.is(span_of("a;b 1\n\0", 7)));
	assert_true(rec_import_folded.is(span_of(
		"\xff\xfe" "a\0;\0b\0 \0" "1\0\n\0", 14)));
}

/* Longer than what is looked at to tell what a text is. */
static void a_first_line_may_be_of_any_length(void **state)
{
	static char s[40000];
	static const struct {
		const char *begin;
		bool is;
	} cases[] = { { "main;f", true }, { "main", true }, { "{", false },
		      { "[", false }, { "<svg", false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (size_t k = 0; k < sizeof(s); k++)
			s[k] = "frame;"[k % 6];
		memcpy(s, cases[i].begin, strlen(cases[i].begin));
		memcpy(s + sizeof(s) - 3, " 7\n", 3);
		assert_int_equal(rec_import_folded.is(span_of(s, sizeof(s))),
				 cases[i].is);
	}
	memset(s, 'x', sizeof(s));
	assert_false(rec_import_folded.is(span_of(s, sizeof(s))));
	for (size_t k = 0; k < sizeof(s); k++)
		s[k] = "prose; "[k % 7];
	assert_false(rec_import_folded.is(span_of(s, sizeof(s))));
}

static void a_line_with_a_byte_of_zero_is_left_out(void **state)
{
	static const char s[] = "a;b 1\na;\0c 2\na;d 3\n";
	struct rec_intake in;
	struct err err;

	(void)state;
	assert_int_equal(text_intake_run(&in, &rec_import_folded, s,
					 sizeof(s) - 1, 0, &err), 1);
	assert_int_equal(in.periods, 1 + 3);
	assert_non_null(strstr(err.text, "1 line left out; the first is line "
					 "2, 'a; c 2': it has a byte of zero"));
	text_intake_fini(&in);
}

static void a_text_without_a_row_is_refused(void **state)
{
	(void)state;
	check(&rec_import_folded, "a\n", ERR_FORMAT, "");
}

static void of_each_prefix_all_but_the_last_row_is_as_it_was(void **state)
{
	(void)state;
	check_prefixes(&rec_import_folded, stacks, stacks_log);
}

static void each_allocation_that_fails_is_reported(void **state)
{
	(void)state;
	check_allocations(&rec_import_folded, stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			folded_lines_become_rows_that_weigh_their_count),
		cmocka_unit_test(decimals_scale_all_counts_and_are_told),
		cmocka_unit_test(
			decimals_without_room_are_cut_and_that_is_told),
		cmocka_unit_test(two_columns_are_two_events),
		cmocka_unit_test(a_stack_of_thousands_of_frames_is_kept),
		cmocka_unit_test(other_texts_are_no_folded_stacks),
		cmocka_unit_test(a_first_line_may_be_of_any_length),
		cmocka_unit_test(a_line_with_a_byte_of_zero_is_left_out),
		cmocka_unit_test(a_text_without_a_row_is_refused),
		cmocka_unit_test(
			of_each_prefix_all_but_the_last_row_is_as_it_was),
		cmocka_unit_test(each_allocation_that_fails_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
