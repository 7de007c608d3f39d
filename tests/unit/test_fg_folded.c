/* Folded text: what is read, what is refused, what is written. */
#include "flamegraph/fg.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define READ(text, columns, stats) \
	read_bytes((text), sizeof(text) - 1, (columns), (stats))

static struct fg_tree *new_tree(void)
{
	struct fg_tree *t = NULL;

	assert_int_equal(fg_tree_new(&t), 0);
	return t;
}

static struct fg_tree *read_bytes(const char *s, size_t n,
				  enum fg_columns columns,
				  struct fg_read_stats *stats)
{
	struct fg_tree *t = new_tree();
	FILE *in = n ? fmemopen((void *)(uintptr_t)s, n, "r") :
		       fopen("/dev/null", "r");

	assert_non_null(in);
	assert_int_equal(fg_read_folded(t, in, columns, stats), 0);
	fclose(in);
	return t;
}

static char *text_of(struct fg_tree *t)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(fg_write_folded(t, out), 0);
	fclose(out);
	fg_tree_free(t);
	return text;
}

static void expect_text(struct fg_tree *t, const char *want)
{
	char *text = text_of(t);

	assert_string_equal(text, want);
	free(text);
}

static void the_count_is_what_follows_the_last_blank(void **state)
{
	(void)state;
	expect_text(READ("a;art::JValue art::Inv<art::M*> 6\n",
			 FG_COLUMNS_AUTO, NULL),
		    "a;art::JValue art::Inv<art::M*> 6\n");
	expect_text(READ("worker 12;run 3\nx\t4\n", FG_COLUMNS_AUTO, NULL),
		    "worker 12;run 3\nx 4\n");
}

static void line_ends_and_encodings_do_not_matter(void **state)
{
	const char *want = "a;b 5\na;b;c 1\n";

	(void)state;
	expect_text(READ("a;b;c 1\r\na;b 5", FG_COLUMNS_AUTO, NULL), want);
	expect_text(READ("\xef\xbb\xbf" "a;b;c 1\n\n\na;b 5\r\n",
			 FG_COLUMNS_AUTO, NULL), want);
	expect_text(READ("\xff\xfe" "a\0;\0b\0;\0c\0 \0" "1\0\r\0\n\0"
			 "a\0;\0b\0 \0" "5\0", FG_COLUMNS_AUTO, NULL), want);
	expect_text(READ("\xfe\xff" "\0a\0;\0b\0;\0c\0 \0" "1\0\n"
			 "\0a\0;\0b\0 \0" "5", FG_COLUMNS_AUTO, NULL), want);
}

static void utf16_pairs_become_characters_and_halves_are_replaced(
	void **state)
{
	(void)state;
	expect_text(READ("\xff\xfe" "\x3d\xd8\x25\xdd \0" "1\0",
			 FG_COLUMNS_AUTO, NULL), "\xf0\x9f\x94\xa5 1\n");
	expect_text(READ("\xff\xfe" "\x3d\xd8 \0" "1\0", FG_COLUMNS_AUTO, NULL),
		    "\xef\xbf\xbd 1\n");
}

static void a_line_without_a_count_is_told_and_left_out(void **state)
{
	struct fg_read_stats s;

	(void)state;
	expect_text(READ("a 1\nBAD LINE\n\nb 2\n12V.43\nc x1\nd -1\n7\n"
			 "e 1e3\nf 18446744073709551616\n",
			 FG_COLUMNS_AUTO, &s), "a 1\nb 2\n");
	assert_int_equal(s.n_lines, 10);
	assert_int_equal(s.n_stacks, 2);
	assert_int_equal(s.n_bad, 7);
	assert_int_equal(s.bad_line[0], 2);
	assert_int_equal(s.bad_line[1], 5);
	assert_int_equal(s.bad_line[6], 10);
}

static void decimals_are_cut_off_and_counted(void **state)
{
	struct fg_read_stats s;

	(void)state;
	expect_text(READ("a 31.23\nb 19.0\nc 2.\nd 0.9\ne 4\n",
			 FG_COLUMNS_AUTO, &s),
		    "a 31\nb 19\nc 2\ne 4\n");
	assert_int_equal(s.n_fractions, 4);
}

static void two_columns_are_seen_only_where_every_line_has_them(void **state)
{
	struct fg_read_stats s;

	(void)state;
	expect_text(READ("a;b 1 2\nnot this\nc 30 4\n", FG_COLUMNS_AUTO, &s),
		    "a;b 1 2\nc 30 4\n");
	assert_true(s.differential);
	assert_int_equal(s.n_bad, 1);
	expect_text(READ("a;b 1 2\nc 4\n", FG_COLUMNS_AUTO, &s),
		    "a;b 1 2\nc 4\n");
	assert_false(s.differential);
	expect_text(READ("a;b 1 2\n", FG_COLUMNS_ONE, &s), "a;b 1 2\n");
	assert_false(s.differential);
	expect_text(READ("a;b 1 2\nc 4\n", FG_COLUMNS_TWO, &s), "a;b 1 2\n");
	assert_int_equal(s.n_bad, 1);
}

static void a_stack_that_is_gone_keeps_what_it_was(void **state)
{
	(void)state;
	expect_text(READ("a 5 0\nb;c 0 7\n", FG_COLUMNS_AUTO, NULL),
		    "a 5 0\nb;c 0 7\n");
}

static void equal_stacks_are_added_in_any_order(void **state)
{
	const char *want = "a 3\na;b 5\na;b;c 2\nb;a 1\n";

	(void)state;
	expect_text(READ("a;b;c 2\na 1\nb;a 1\na;b 5\na 2\n", FG_COLUMNS_AUTO,
			 NULL), want);
	expect_text(READ("b;a 1\na 2\na;b 2\na;b;c 2\na;b 3\na 1\n",
			 FG_COLUMNS_AUTO, NULL), want);
}

static void frames_that_share_a_start_are_different_frames(void **state)
{
	(void)state;
	expect_text(READ("ab;cd 1\nab;c 2\nab;cde 3\na;cd 4\nab 5\n",
			 FG_COLUMNS_AUTO, NULL),
		    "a;cd 4\nab 5\nab;c 2\nab;cd 1\nab;cde 3\n");
}

static void suffixes_are_kinds_and_come_back(void **state)
{
	struct fg_tree *t = READ("a;b_[k] 1\na;b_[j] 2\na;b_[i] 4\na;b 8\n",
				 FG_COLUMNS_AUTO, NULL);
	uint32_t before = fg_tree_n_nodes(t), a, b, node;

	(void)state;
	assert_int_equal(fg_frame(t, "a", 1, FG_USER, &a), 0);
	assert_int_equal(fg_frame(t, "b", 1, FG_KERNEL, &b), 0);
	assert_int_equal(fg_child(t, 0, a, &node), 0);
	assert_int_equal(fg_child(t, node, b, &node), 0);
	assert_int_equal(fg_tree_n_nodes(t), before);
	expect_text(t, "a;b 8\na;b_[k] 1\na;b_[j] 2\na;b_[i] 4\n");
}

static void empty_frames_and_empty_stacks_have_a_place(void **state)
{
	(void)state;
	expect_text(READ(" 5\na;;b 1\n;c 2\n", FG_COLUMNS_AUTO, NULL),
		    " 5\n[empty];c 2\na;[empty];b 1\n");
}

/* Bytes of all kinds, among them those that mean something to a reader. */
static size_t any_name(uint32_t *seed, char *to, size_t max)
{
	static const char marks[] = "; \t\r\n\0_[k]\xef\xbb\xbf\xff\xfe&<>\"'";
	size_t n = 0;

	*seed = *seed * 1664525 + 1013904223;
	for (size_t want = *seed >> 16 & 7; n < want && n < max; n++) {
		*seed = *seed * 1664525 + 1013904223;
		to[n] = *seed >> 30 ? marks[(*seed >> 8) % (sizeof(marks) - 1)] :
				      (char)(*seed >> 16);
	}
	return n;
}

static void any_names_give_text_that_reads_back_the_same(void **state)
{
	char name[8], *first, *second;

	(void)state;
	for (uint32_t seed = 1, round = 0; round < 2000; round++) {
		struct fg_tree *t = new_tree();
		uint32_t node = 0, frame;

		for (int i = 0; i < 6; i++) {
			size_t n = any_name(&seed, name, sizeof(name));

			assert_int_equal(fg_frame(t, name, n,
						  (enum fg_kind)(seed % 6),
						  &frame), 0);
			assert_int_equal(fg_child(t, i % 2 ? node : 0, frame,
						  &node), 0);
			assert_int_equal(fg_add(t, node, seed % 5 + 1), 0);
		}
		first = text_of(t);
		t = read_bytes(first, strlen(first), FG_COLUMNS_ONE, NULL);
		second = text_of(t);
		assert_string_equal(first, second);
		free(first);
		free(second);
	}
}

static void every_prefix_of_a_text_is_read_without_harm(void **state)
{
	static const char good[] = "a;b_[k] 31.5\r\n[x];;c 7\nbad\n \t\nd 1 2\n";
	struct fg_read_stats s;

	(void)state;
	for (size_t n = 0; n < sizeof(good); n++) {
		char *exact = malloc(n + 1);

		memcpy(exact, good, n);
		fg_tree_free(read_bytes(exact, n, FG_COLUMNS_AUTO, &s));
		assert_true(s.n_stacks + s.n_bad <= s.n_lines);
		free(exact);
	}
}

static void a_total_past_64_bits_is_refused(void **state)
{
	static char text[] = "a 18446744073709551615\nb 1\n";
	struct fg_tree *t = new_tree();
	FILE *in = fmemopen(text, sizeof(text) - 1, "r");

	(void)state;
	assert_int_equal(fg_read_folded(t, in, FG_COLUMNS_AUTO, NULL),
			 -EOVERFLOW);
	assert_int_equal(fg_tree_total(t), UINT64_MAX);
	fclose(in);
	fg_tree_free(t);
}

static void a_device_that_is_full_is_told(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct fg_tree *t = READ("a 1\n", FG_COLUMNS_AUTO, NULL);

	(void)state;
	if (!full)
		skip();
	assert_int_equal(fg_write_folded(t, full), -ENOSPC);
	fclose(full);
	fg_tree_free(t);
}

static void a_folder_cannot_be_read(void **state)
{
	FILE *in = fopen("/", "r");
	struct fg_tree *t = new_tree();

	(void)state;
	assert_non_null(in);
	assert_int_equal(fg_read_folded(t, in, FG_COLUMNS_AUTO, NULL), -EISDIR);
	fclose(in);
	fg_tree_free(t);
}

/* -- Files of other projects, where they are at hand ----------------------- */

static struct fg_tree *read_public(const char *name, struct fg_read_stats *s)
{
	const char *shared = getenv("SHARED");
	struct fg_tree *t;
	char path[4096];
	FILE *in;

	snprintf(path, sizeof(path), "%s/data/public/folded/%s",
		 shared ? shared : "../shared", name);
	in = fopen(path, "r");
	if (!in) {
		print_message("'%s' is not here (set SHARED)\n", path);
		skip();
	}
	t = new_tree();
	assert_int_equal(fg_read_folded(t, in, FG_COLUMNS_AUTO, s), 0);
	fclose(in);
	return t;
}

static void three_encodings_of_a_public_file_are_one_profile(void **state)
{
	const char *want = "a;b 5\na;b;c 5\na;b;d 4\n";

	(void)state;
	expect_text(read_public("speedscope/simple.txt", NULL), want);
	expect_text(read_public("speedscope/simple-crlf.txt", NULL), want);
	expect_text(read_public("speedscope/simple-utf16-le.txt", NULL), want);
}

static void totals_of_public_files_are_the_published_ones(void **state)
{
	static const struct {
		const char *name;
		uint64_t total, n_bad, n_fractions;
	} files[] = {
		{ "inferno-flamegraph/bad-lines.txt", 607, 2, 0 },
		{ "inferno-flamegraph/narrow-blocks.txt", 386001, 0, 0 },
		{ "inferno-flamegraph/no-fractionals.txt", 333, 0, 0 },
		{ "inferno-flamegraph/fractional.txt", 333, 0, 6 },
		{ "inferno-flamegraph/with-space.txt", 333, 0, 6 },
		{ "inferno-flamegraph/"
		  "perf-cycles-instructions-01-collapsed-all-diff.txt",
		  513, 0, 0 },
		{ "inferno-flamegraph/empty.txt", 0, 0, 0 },
		{ "speedscope/recursion.txt", 10, 0, 0 },
		{ "speedscope/tall.txt", 1, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct fg_read_stats s;
		struct fg_tree *t = read_public(files[i].name, &s);

		assert_int_equal(fg_tree_total(t), files[i].total);
		assert_int_equal(s.n_bad, files[i].n_bad);
		assert_int_equal(s.n_fractions, files[i].n_fractions);
		fg_tree_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_count_is_what_follows_the_last_blank),
		cmocka_unit_test(line_ends_and_encodings_do_not_matter),
		cmocka_unit_test(
			utf16_pairs_become_characters_and_halves_are_replaced),
		cmocka_unit_test(a_line_without_a_count_is_told_and_left_out),
		cmocka_unit_test(decimals_are_cut_off_and_counted),
		cmocka_unit_test(
			two_columns_are_seen_only_where_every_line_has_them),
		cmocka_unit_test(a_stack_that_is_gone_keeps_what_it_was),
		cmocka_unit_test(equal_stacks_are_added_in_any_order),
		cmocka_unit_test(
			frames_that_share_a_start_are_different_frames),
		cmocka_unit_test(suffixes_are_kinds_and_come_back),
		cmocka_unit_test(empty_frames_and_empty_stacks_have_a_place),
		cmocka_unit_test(any_names_give_text_that_reads_back_the_same),
		cmocka_unit_test(every_prefix_of_a_text_is_read_without_harm),
		cmocka_unit_test(a_total_past_64_bits_is_refused),
		cmocka_unit_test(a_device_that_is_full_is_told),
		cmocka_unit_test(a_folder_cannot_be_read),
		cmocka_unit_test(
			three_encodings_of_a_public_file_are_one_profile),
		cmocka_unit_test(totals_of_public_files_are_the_published_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
