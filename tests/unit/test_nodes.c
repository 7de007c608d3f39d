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

/* 300,000 steps down random paths, against a map of (parent, frame). */
static void a_path_has_one_node_whatever_its_neighbours(void **state)
{
	struct rec_nodes nodes = { 0 };
	struct map64 truth = { 0 };
	uint64_t seed = 7;
	uint32_t n = 1;

	(void)state;
	for (int i = 0; i < 30000; i++) {
		struct rec_path_hash path = { 0 };
		uint32_t parent = 0;

		for (int depth = 0; depth < 10; depth++) {
			uint32_t frame = next(&seed) % 6, got, *want;
			bool fresh, is_new;

			path = rec_path_step(path, frame);
			rec_nodes_prefetch(&nodes, path);
			want = map64_put(&truth, map64_pair(parent, frame), n,
					 &fresh);
			assert_int_equal(rec_nodes_get(&nodes, path),
					 fresh ? 0 : *want + 1);
			assert_true(rec_nodes_put(&nodes, path, n, &got,
						  &is_new));
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

static void every_bit_of_a_hash_tells_paths_apart(void **state)
{
	struct rec_nodes nodes = { 0 };
	uint32_t node;
	bool fresh;

	(void)state;
	for (uint32_t bit = 0; bit < 96; bit++) {
		struct rec_path_hash path = { 5, 7 };

		if (bit < 64)
			path.a ^= (uint64_t)1 << bit;
		else
			path.b ^= 1u << (bit - 64);
		assert_true(rec_nodes_put(&nodes, path, bit, &node, &fresh));
		assert_true(fresh);
		assert_int_equal(node, bit);
		assert_true(rec_nodes_put(&nodes, path, 99, &node, &fresh));
		assert_false(fresh);
		assert_int_equal(node, bit);
	}
	rec_nodes_fini(&nodes);
}

/* The same address in many images, many addresses in the same one, and both at
 * once with a difference that a sum would lose. */
static void both_halves_of_a_hash_tell_images_and_addresses_apart(void **state)
{
	struct map64 seen[2] = { { 0 }, { 0 } };
	bool fresh;

	(void)state;
	for (uint32_t where = 0; where < 64; where++)
		for (uint32_t k = 0; k < 64; k++) {
			struct rec_path_hash path = rec_path_enter(
				(struct rec_path_hash){ 5, 7 }, where,
				0x401000 + k - where);

			assert_non_null(map64_put(&seen[0], path.a, k, &fresh));
			assert_true(fresh);
			assert_non_null(map64_put(&seen[1], path.b, k, &fresh));
			assert_true(fresh);
		}
	map64_fini(&seen[0]);
	map64_fini(&seen[1]);
}

/* A step must not lose what went before, nor the order of the steps. */
static void both_halves_of_a_hash_depend_on_each_frame_and_their_order(void **s)
{
	struct map64 seen[2] = { { 0 }, { 0 } };
	bool fresh;

	(void)s;
	for (uint32_t i = 0; i < 4096; i++) {
		struct rec_path_hash path = { 0 };

		for (int k = 0; k < 6; k++)
			path = rec_path_step(path, i >> 2 * k & 3);
		assert_non_null(map64_put(&seen[0], path.a, i, &fresh));
		assert_true(fresh);
		assert_non_null(map64_put(&seen[1], path.b, i, &fresh));
		assert_true(fresh);
	}
	map64_fini(&seen[0]);
	map64_fini(&seen[1]);
}

static void out_of_memory_changes_nothing(void **state)
{
	const struct rec_path_hash path = { 5, 7 };
	struct rec_nodes nodes = { 0 };
	uint32_t node;
	bool fresh;

	(void)state;
	failalloc_at(1);
	assert_false(rec_nodes_put(&nodes, path, 10, &node, &fresh));
	failalloc_off();
	assert_int_equal(nodes.n, 0);
	assert_true(rec_nodes_put(&nodes, path, 10, &node, &fresh));
	rec_nodes_fini(&nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_has_one_node_whatever_its_neighbours),
		cmocka_unit_test(every_bit_of_a_hash_tells_paths_apart),
		cmocka_unit_test(
			both_halves_of_a_hash_tell_images_and_addresses_apart),
		cmocka_unit_test(
			both_halves_of_a_hash_depend_on_each_frame_and_their_order),
		cmocka_unit_test(out_of_memory_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
