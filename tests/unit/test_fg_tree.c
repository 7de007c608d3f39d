/* Trees of stacks: interning, sums, and trees made from trees. */
#include "flamegraph/fg.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t frame_of(struct fg_tree *t, const char *name)
{
	uint32_t id;

	assert_int_equal(fg_frame(t, name, strlen(name), FG_USER, &id), 0);
	return id;
}

static uint32_t child_of(struct fg_tree *t, uint32_t parent, const char *name)
{
	uint32_t id;

	assert_int_equal(fg_child(t, parent, frame_of(t, name), &id), 0);
	return id;
}

static struct fg_tree *new_tree(void)
{
	struct fg_tree *t = NULL;

	assert_int_equal(fg_tree_new(&t), 0);
	return t;
}

static struct fg_tree *tree_of(const char *folded)
{
	struct fg_tree *t = new_tree();
	FILE *in = fmemopen((void *)(uintptr_t)folded, strlen(folded), "r");

	assert_non_null(in);
	assert_int_equal(fg_read_folded(t, in, FG_COLUMNS_ONE, NULL), 0);
	fclose(in);
	return t;
}

/* The stacks of a tree, which is released. */
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

static void a_frame_is_known_by_name_and_kind(void **state)
{
	struct fg_tree *t = new_tree();
	uint32_t user, kernel, again, prefix;

	(void)state;
	assert_int_equal(fg_frame(t, "read", 4, FG_USER, &user), 0);
	assert_int_equal(fg_frame(t, "read", 4, FG_KERNEL, &kernel), 0);
	assert_int_equal(fg_frame(t, "read", 3, FG_USER, &prefix), 0);
	assert_int_equal(fg_frame(t, "read", 4, FG_USER, &again), 0);
	assert_int_equal(user, again);
	assert_int_not_equal(user, kernel);
	assert_int_not_equal(user, prefix);
	fg_tree_free(t);
}

static void children_are_found_again_among_thousands(void **state)
{
	enum { N = 5000 };
	struct fg_tree *t = new_tree();
	static const uint32_t parents = 3;
	uint32_t parent[3], first[3][N];
	char name[16];

	(void)state;
	for (uint32_t p = 0; p < parents; p++) {
		snprintf(name, sizeof(name), "p%u", p);
		parent[p] = child_of(t, 0, name);
	}
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < parents * N; i++) {
			uint32_t p = i % parents, id;

			snprintf(name, sizeof(name), "c%u", i / parents);
			id = child_of(t, parent[p], name);
			if (pass)
				assert_int_equal(id, first[p][i / parents]);
			else
				first[p][i / parents] = id;
		}
	assert_int_equal(fg_tree_n_nodes(t), parents + parents * N);
	fg_tree_free(t);
}

static void a_child_has_a_greater_id_than_its_parent(void **state)
{
	struct fg_tree *t = new_tree();
	uint32_t a = child_of(t, 0, "a"), b = child_of(t, 0, "b");

	(void)state;
	assert_true(child_of(t, a, "b") > a);
	assert_true(child_of(t, b, "a") > b);
	assert_true(a > 0 && b > 0);
	fg_tree_free(t);
}

static void weights_add_up_to_the_total(void **state)
{
	struct fg_tree *t = new_tree();
	uint64_t sum = 0;
	uint32_t node = 0;

	(void)state;
	for (uint32_t i = 1; i < 2000; i++) {
		node = child_of(t, i % 7 ? node : 0, i % 3 ? "a" : "b");
		assert_int_equal(fg_add(t, node, i * 1000003u), 0);
		sum += i * 1000003u;
	}
	assert_int_equal(fg_tree_total(t), sum);
	fg_tree_free(t);
}

static void a_sum_past_64_bits_is_refused_and_changes_nothing(void **state)
{
	struct fg_tree *t = new_tree();
	uint32_t a = child_of(t, 0, "a"), b = child_of(t, 0, "b");

	(void)state;
	assert_int_equal(fg_add(t, a, UINT64_MAX - 5), 0);
	assert_int_equal(fg_add(t, b, 6), -EOVERFLOW);
	assert_int_equal(fg_add(t, b, 5), 0);
	assert_int_equal(fg_add_before(t, a, UINT64_MAX), 0);
	assert_int_equal(fg_add_before(t, b, 1), -EOVERFLOW);
	assert_int_equal(fg_tree_total(t), UINT64_MAX);
	fg_tree_free(t);
}

static void ids_that_are_not_there_are_refused(void **state)
{
	struct fg_tree *t = new_tree();
	uint32_t a = frame_of(t, "a"), out = 77;

	(void)state;
	assert_int_equal(fg_child(t, 1, a, &out), -EINVAL);
	assert_int_equal(fg_child(t, 0, a + 1, &out), -EINVAL);
	assert_int_equal(fg_child(t, UINT32_MAX, UINT32_MAX, &out), -EINVAL);
	assert_int_equal(fg_add(t, 1, 1), -EINVAL);
	assert_int_equal(fg_add_before(t, 1, 1), -EINVAL);
	assert_int_equal(fg_frame(t, "a", 1, FG_N_KINDS, &out), -EINVAL);
	assert_int_equal(out, 77);
	fg_tree_free(t);
}

static void reversing_puts_the_last_callee_first(void **state)
{
	struct fg_tree *t = tree_of("a;b;c 3\nb;c 4\na 1\n"), *r;

	(void)state;
	assert_int_equal(fg_reverse(t, &r), 0);
	fg_tree_free(t);
	expect_text(r, "a 1\nc;b 4\nc;b;a 3\n");
}

static void reversing_twice_gives_the_stacks_back(void **state)
{
	const char *text = " 2\na 1\na;a;b_[k] 5\na;b;a 6\nb;[x];c_[j] 7\n";
	struct fg_tree *t = tree_of(text), *r, *back;

	(void)state;
	assert_int_equal(fg_reverse(t, &r), 0);
	assert_int_equal(fg_reverse(r, &back), 0);
	fg_tree_free(t);
	fg_tree_free(r);
	expect_text(back, text);
}

static void collapsing_merges_direct_recursion_only(void **state)
{
	struct fg_tree *t = tree_of("a;a;a;b 1\na;b;a;b 2\na;a 4\n"), *c;

	(void)state;
	assert_int_equal(fg_collapse(t, &c), 0);
	assert_int_equal(fg_tree_total(c), 7);
	fg_tree_free(t);
	expect_text(c, "a 4\na;b 1\na;b;a;b 2\n");
}

static void a_stack_of_a_hundred_thousand_frames_is_nothing_special(
	void **state)
{
	struct fg_tree *t = new_tree(), *r;
	FILE *null = fopen("/dev/null", "w");
	uint32_t node = 0;

	(void)state;
	for (int i = 0; i < 100000; i++)
		node = child_of(t, node, i % 2 ? "odd" : "even");
	assert_int_equal(fg_add(t, node, 1), 0);
	assert_int_equal(fg_reverse(t, &r), 0);
	assert_int_equal(fg_write_folded(r, null), 0);
	assert_int_equal(fg_write_svg(r, NULL, null), 0);
	fclose(null);
	fg_tree_free(t);
	fg_tree_free(r);
}

static void a_name_with_a_separator_is_not_two_frames(void **state)
{
	struct fg_tree *t = new_tree();

	(void)state;
	assert_int_equal(fg_add(t, child_of(t, 0, "a;b"), 1), 0);
	assert_int_equal(fg_add(t, child_of(t, child_of(t, 0, "a"), "b"), 2),
			 0);
	expect_text(t, "a;b 2\na:b 1\n");
}

static void freeing_nothing_is_fine(void **state)
{
	(void)state;
	fg_tree_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_known_by_name_and_kind),
		cmocka_unit_test(children_are_found_again_among_thousands),
		cmocka_unit_test(a_child_has_a_greater_id_than_its_parent),
		cmocka_unit_test(weights_add_up_to_the_total),
		cmocka_unit_test(
			a_sum_past_64_bits_is_refused_and_changes_nothing),
		cmocka_unit_test(ids_that_are_not_there_are_refused),
		cmocka_unit_test(reversing_puts_the_last_callee_first),
		cmocka_unit_test(reversing_twice_gives_the_stacks_back),
		cmocka_unit_test(collapsing_merges_direct_recursion_only),
		cmocka_unit_test(
			a_stack_of_a_hundred_thousand_frames_is_nothing_special),
		cmocka_unit_test(a_name_with_a_separator_is_not_two_frames),
		cmocka_unit_test(freeing_nothing_is_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
