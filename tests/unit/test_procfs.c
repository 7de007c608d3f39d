#include "record/proc/procfs.h"

#include "format/base/mem.h"
#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct span text(const char *s)
{
	return span_of(s, strlen(s));
}

static bool is(struct span s, const char *want)
{
	return s.n == strlen(want) && memcmp(s.p, want, s.n) == 0;
}

static void lines_end_at_newlines_and_at_the_end_of_the_text(void **state)
{
	struct span in = text("one\n\ntwo three\nfour"), line;

	(void)state;
	assert_true(rec_line(&in, &line) && is(line, "one"));
	assert_true(rec_line(&in, &line) && is(line, ""));
	assert_true(rec_line(&in, &line) && is(line, "two three"));
	assert_true(rec_line(&in, &line) && is(line, "four"));
	assert_false(rec_line(&in, &line));
}

static void a_newline_at_the_end_begins_no_further_line(void **state)
{
	struct span in = text("one\n"), line;

	(void)state;
	assert_true(rec_line(&in, &line) && is(line, "one"));
	assert_false(rec_line(&in, &line));
	in = text("");
	assert_false(rec_line(&in, &line));
}

static void words_are_what_lies_between_blanks(void **state)
{
	struct span in = text("  a\tbc \t d\xff "), word;

	(void)state;
	assert_true(rec_word(&in, &word) && is(word, "a"));
	assert_true(rec_word(&in, &word) && is(word, "bc"));
	assert_true(rec_word(&in, &word) && is(word, "d\xff"));
	assert_false(rec_word(&in, &word));
	assert_int_equal(in.n, 0);
}

struct number {
	const char *word;
	unsigned base;
	bool ok;
	uint64_t value;
};

static void numbers_are_whole_words_of_their_base(void **state)
{
	static const struct number cases[] = {
		{ "0", 10, true, 0 },
		{ "42", 10, true, 42 },
		{ "007", 10, true, 7 },
		{ "18446744073709551615", 10, true, UINT64_MAX },
		{ "18446744073709551616", 10, false, 0 },
		{ "99999999999999999999", 10, false, 0 },
		{ "", 10, false, 0 },
		{ "-1", 10, false, 0 },
		{ "+1", 10, false, 0 },
		{ "1 ", 10, false, 0 },
		{ "12a", 10, false, 0 },
		{ "0x10", 10, false, 0 },
		{ "10", 16, true, 16 },
		{ "0x10", 16, true, 16 },
		{ "fFfFfFfFfFfFfFfF", 16, true, UINT64_MAX },
		{ "10000000000000000", 16, false, 0 },
		{ "0x", 16, false, 0 },
		{ "g", 16, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t v = 77;

		assert_int_equal(rec_number(text(cases[i].word), cases[i].base,
					    &v), cases[i].ok);
		assert_true(v == (cases[i].ok ? cases[i].value : 77));
	}
}

static void a_file_is_read_whole_and_below_the_root(void **state)
{
	const struct filetree *t = *state;
	static char big[100000];
	struct buf b;

	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (char)('a' + i % 26);
	filetree_bytes(t, "/proc/7/maps", big, sizeof(big));
	buf_init(&b, 0);
	buf_put(&b, "was", 3);
	assert_int_equal(rec_procfs_read(&b, NULL, t->root, "/proc/%d/maps", 7),
			 0);
	assert_int_equal(b.n, 3 + sizeof(big));
	assert_memory_equal(b.p, "was", 3);
	assert_memory_equal(b.p + 3, big, sizeof(big));
	buf_fini(&b);
}

static void a_missing_file_is_named(void **state)
{
	const struct filetree *t = *state;
	struct err err = { 0 };
	struct buf b;

	buf_init(&b, 0);
	assert_int_equal(rec_procfs_read(&b, &err, t->root, "/proc/none"),
			 ERR_IO);
	assert_non_null(strstr(err.text, "/proc/none"));
	assert_non_null(strstr(err.text, "No such file"));
	buf_fini(&b);
}

static void a_file_over_the_ceiling_is_refused(void **state)
{
	const struct filetree *t = *state;
	static const char big[40000];
	struct err err = { 0 };
	struct buf b;

	filetree_bytes(t, "/big", big, sizeof(big));
	buf_init(&b, 20000);
	assert_int_equal(rec_procfs_read(&b, &err, t->root, "/big"), ERR_LIMIT);
	buf_fini(&b);
}

static void a_path_that_is_too_long_is_refused(void **state)
{
	char root[5000];
	uint64_t v;
	struct buf b;

	(void)state;
	memset(root, 'x', sizeof(root) - 1);
	root[sizeof(root) - 1] = '\0';
	buf_init(&b, 0);
	assert_int_equal(rec_procfs_read(&b, NULL, root, "/a"), ERR_LIMIT);
	assert_false(rec_procfs_number(&v, root, "/a"));
	assert_int_equal(rec_procfs_ids(root, "/a", NULL, NULL, NULL),
			 ERR_LIMIT);
	buf_fini(&b);
}

static void the_first_word_of_a_file_is_its_number(void **state)
{
	const struct filetree *t = *state;
	uint64_t v = 77;

	filetree_text(t, "/proc/sys/kernel/x", "127\n");
	assert_true(rec_procfs_number(&v, t->root, "/proc/sys/kernel/%s", "x"));
	assert_int_equal(v, 127);
	filetree_text(t, "/proc/sys/kernel/y", "-1\n");
	filetree_text(t, "/proc/sys/kernel/z", "");
	v = 77;
	assert_false(rec_procfs_number(&v, t->root, "/proc/sys/kernel/y"));
	assert_false(rec_procfs_number(&v, t->root, "/proc/sys/kernel/z"));
	assert_false(rec_procfs_number(&v, t->root, "/proc/sys/kernel/none"));
	assert_int_equal(v, 77);
}

struct ids {
	int sum, n, stop_at;
};

static int note_id(void *ctx, pid_t id)
{
	struct ids *ids = ctx;

	ids->sum += id;
	ids->n++;
	return ids->n == ids->stop_at ? ERR_NOMEM : 0;
}

static void only_numeric_names_are_ids(void **state)
{
	const struct filetree *t = *state;
	struct ids ids = { 0 };

	filetree_text(t, "/proc/12/comm", "a\n");
	filetree_text(t, "/proc/30/comm", "b\n");
	filetree_text(t, "/proc/self/comm", "c\n");
	filetree_text(t, "/proc/4x/comm", "d\n");
	filetree_text(t, "/proc/4294967296/comm", "e\n");
	assert_int_equal(rec_procfs_ids(t->root, "/proc", note_id, &ids, NULL),
			 0);
	assert_int_equal(ids.n, 2);
	assert_int_equal(ids.sum, 42);
}

static void a_listing_stops_where_it_is_told_to(void **state)
{
	const struct filetree *t = *state;
	struct ids ids = { .stop_at = 1 };

	filetree_text(t, "/proc/12/comm", "a\n");
	filetree_text(t, "/proc/30/comm", "b\n");
	assert_int_equal(rec_procfs_ids(t->root, "/proc", note_id, &ids, NULL),
			 ERR_NOMEM);
	assert_int_equal(ids.n, 1);
	assert_int_equal(rec_procfs_ids(t->root, "/none", note_id, &ids, NULL),
			 ERR_IO);
}

static int setup(void **state)
{
	struct filetree *t = malloc(sizeof(*t));

	assert_non_null(t);
	filetree_init(t);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	filetree_fini(*state);
	free(*state);
	return 0;
}

#define WITH_TREE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			lines_end_at_newlines_and_at_the_end_of_the_text),
		cmocka_unit_test(a_newline_at_the_end_begins_no_further_line),
		cmocka_unit_test(words_are_what_lies_between_blanks),
		cmocka_unit_test(numbers_are_whole_words_of_their_base),
		WITH_TREE(a_file_is_read_whole_and_below_the_root),
		WITH_TREE(a_missing_file_is_named),
		WITH_TREE(a_file_over_the_ceiling_is_refused),
		cmocka_unit_test(a_path_that_is_too_long_is_refused),
		WITH_TREE(the_first_word_of_a_file_is_its_number),
		WITH_TREE(only_numeric_names_are_ids),
		WITH_TREE(a_listing_stops_where_it_is_told_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
