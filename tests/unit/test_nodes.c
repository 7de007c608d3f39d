#include "record/state/nodes.h"

#include "format/base/map64.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint32_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* 300,000 steps down random paths, against a map of the pairs themselves. */
static void a_pair_has_one_node_whatever_its_neighbours(void **state)
{
	struct rec_nodes nodes = { 0 };
	struct map64 truth = { 0 };
	uint64_t seed = 7;
	uint32_t n = 1;

	(void)state;
	for (int i = 0; i < 30000; i++) {
		uint32_t parent = 0, hash = 0;

		for (int depth = 0; depth < 10; depth++) {
			uint32_t frame = next(&seed) % 6, got, *want;
			bool fresh, is_new;

			hash = rec_node_hash(hash, frame);
			rec_nodes_prefetch(&nodes, hash);
			want = map64_put(&truth, map64_pair(parent, frame), n,
					 &fresh);
			assert_true(rec_nodes_put(&nodes, hash, parent, frame,
						  n, &got, &is_new));
			assert_int_equal(got, *want);
			assert_int_equal(is_new, fresh);
			n += fresh;
			parent = got;
		}
	}
	assert_int_equal(nodes.n, n - 1);
	assert_true(rec_nodes_size(&nodes) > 2u << 20);
	map64_fini(&truth);
	rec_nodes_fini(&nodes);
}

/* Pairs of equal hashes: the pair decides. */
static void equal_hashes_are_told_apart(void **state)
{
	struct rec_nodes nodes = { 0 };
	uint32_t a, b, again;
	bool fresh;

	(void)state;
	assert_true(rec_nodes_put(&nodes, 5, 1, 2, 10, &a, &fresh));
	assert_true(rec_nodes_put(&nodes, 5, 2, 1, 11, &b, &fresh));
	assert_true(rec_nodes_put(&nodes, 5, 1, 2, 12, &again, &fresh));
	assert_int_equal(a, 10);
	assert_int_equal(b, 11);
	assert_int_equal(again, 10);
	assert_false(fresh);
	rec_nodes_fini(&nodes);
}

static void out_of_memory_changes_nothing(void **state)
{
	struct rec_nodes nodes = { 0 };
	uint32_t node;
	bool fresh;

	(void)state;
	failalloc_at(1);
	assert_false(rec_nodes_put(&nodes, 5, 1, 2, 10, &node, &fresh));
	failalloc_off();
	assert_int_equal(nodes.n, 0);
	assert_true(rec_nodes_put(&nodes, 5, 1, 2, 10, &node, &fresh));
	rec_nodes_fini(&nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pair_has_one_node_whatever_its_neighbours),
		cmocka_unit_test(equal_hashes_are_told_apart),
		cmocka_unit_test(out_of_memory_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
