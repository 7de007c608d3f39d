#include "record/state/mm.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct rec_mapping at(uint64_t start, uint64_t end, uint64_t offset,
			     uint32_t image, uint64_t from)
{
	return (struct rec_mapping){ start, end, offset, from, image };
}

static void put(struct rec_mm *mm, uint64_t start, uint64_t end,
		uint64_t offset, uint32_t image, uint64_t from)
{
	struct rec_mapping m = at(start, end, offset, image, from);

	assert_true(rec_mm_map(mm, &m));
}

static uint32_t image_at(const struct rec_mm *mm, uint64_t ip, uint64_t time)
{
	const struct rec_mapping *m = rec_mm_find(mm, ip, time);

	return m ? m->image : 0;
}

static void a_mapping_covers_its_start_and_not_its_end(void **state)
{
	struct rec_mm *mm = rec_mm_new(1, 0, 0);

	(void)state;
	put(mm, 0x1000, 0x2000, 0, 5, 0);
	assert_int_equal(image_at(mm, 0xfff, 9), 0);
	assert_int_equal(image_at(mm, 0x1000, 9), 5);
	assert_int_equal(image_at(mm, 0x1fff, 9), 5);
	assert_int_equal(image_at(mm, 0x2000, 9), 0);
	rec_mm_put(mm);
}

static void a_mapping_in_the_middle_leaves_head_and_tail(void **state)
{
	struct rec_mm *mm = rec_mm_new(1, 0, 0);

	(void)state;
	put(mm, 0x1000, 0x5000, 0x100000, 5, 0);
	put(mm, 0x2000, 0x3000, 0x700000, 6, 10);
	assert_int_equal(mm->n, 3);
	assert_true(mm->maps[0].start == 0x1000 && mm->maps[0].end == 0x2000 &&
		    mm->maps[0].offset == 0x100000 && mm->maps[0].image == 5);
	assert_true(mm->maps[1].start == 0x2000 && mm->maps[1].end == 0x3000 &&
		    mm->maps[1].offset == 0x700000 && mm->maps[1].image == 6);
	assert_true(mm->maps[2].start == 0x3000 && mm->maps[2].end == 0x5000 &&
		    mm->maps[2].offset == 0x102000 && mm->maps[2].image == 5);
	rec_mm_put(mm);
}

static void a_mapping_over_several_replaces_them(void **state)
{
	struct rec_mm *mm = rec_mm_new(1, 0, 0);

	(void)state;
	put(mm, 0x1000, 0x2000, 0, 1, 0);
	put(mm, 0x3000, 0x4000, 0, 2, 0);
	put(mm, 0x5000, 0x6000, 0, 3, 0);
	put(mm, 0x1800, 0x5800, 0, 4, 10);
	assert_int_equal(image_at(mm, 0x17ff, 10), 1);
	assert_int_equal(image_at(mm, 0x3800, 10), 4);
	assert_int_equal(image_at(mm, 0x57ff, 10), 4);
	assert_int_equal(image_at(mm, 0x5800, 10), 3);
	assert_true(rec_mm_find(mm, 0x5800, 10)->offset == 0x800);
	rec_mm_put(mm);
}

static void an_older_sample_meets_what_was_mapped_then(void **state)
{
	struct rec_mm *mm = rec_mm_new(1, 0, 0);

	(void)state;
	put(mm, 0x1000, 0x3000, 0, 1, 0);
	put(mm, 0x1000, 0x2000, 0, 2, 100);
	put(mm, 0x1000, 0x2000, 0, 3, 200);
	assert_int_equal(image_at(mm, 0x1500, 99), 1);
	assert_int_equal(image_at(mm, 0x1500, 100), 2);
	assert_int_equal(image_at(mm, 0x1500, 199), 2);
	assert_int_equal(image_at(mm, 0x1500, 200), 3);
	/* What was not covered is as it was. */
	assert_int_equal(image_at(mm, 0x2500, 99), 1);
	assert_int_equal(image_at(mm, 0x2500, 300), 1);
	rec_mm_put(mm);
}

static void before_the_first_mapping_the_next_one_is_the_guess(void **state)
{
	struct rec_mm *mm = rec_mm_new(1, 0, 0);

	(void)state;
	put(mm, 0x1000, 0x2000, 0, 1, 100);
	assert_int_equal(image_at(mm, 0x1500, 50), 1);
	rec_mm_put(mm);
}

static void pruning_forgets_what_ended_before(void **state)
{
	struct rec_mm *mm = rec_mm_new(1, 0, 0);

	(void)state;
	put(mm, 0x1000, 0x2000, 0, 1, 0);
	put(mm, 0x1000, 0x2000, 0, 2, 100);
	put(mm, 0x1000, 0x2000, 0, 3, 200);
	rec_mm_prune(mm, 150);
	assert_int_equal(mm->n_past, 1);
	assert_int_equal(image_at(mm, 0x1500, 150), 2);
	rec_mm_prune(mm, 201);
	assert_int_equal(mm->n_past, 0);
	assert_int_equal(image_at(mm, 0x1500, 300), 3);
	rec_mm_put(mm);
}

static void being_told_twice_changes_nothing(void **state)
{
	struct rec_mm *mm = rec_mm_new(1, 0, 0);
	uint32_t version;

	(void)state;
	put(mm, 0x1000, 0x2000, 0x400, 1, 10);
	version = mm->version;
	put(mm, 0x1000, 0x2000, 0x400, 1, 500);
	assert_int_equal(mm->version, version);
	assert_int_equal(mm->n, 1);
	assert_int_equal(mm->n_past, 0);
	assert_int_equal(mm->changed, 10);
	rec_mm_put(mm);
}

static void a_mapping_of_no_size_is_ignored(void **state)
{
	struct rec_mm *mm = rec_mm_new(1, 0, 0);

	(void)state;
	put(mm, 0x1000, 0x1000, 0, 1, 0);
	put(mm, 0x2000, 0x1000, 0, 1, 0);
	assert_int_equal(mm->n, 0);
	rec_mm_put(mm);
}

static void a_fork_has_a_copy_of_its_own(void **state)
{
	struct rec_mm *mm = rec_mm_new(1, 0, 0), *child;

	(void)state;
	put(mm, 0x1000, 0x2000, 0x10, 1, 5);
	child = rec_mm_fork(mm, 2, 50);
	put(mm, 0x1000, 0x2000, 0, 2, 60);
	put(child, 0x5000, 0x6000, 0, 3, 60);
	assert_int_equal(child->pid, 2);
	assert_int_equal(child->parent, 1);
	assert_int_equal(child->from, 50);
	assert_int_equal(image_at(child, 0x1000, 100), 1);
	assert_int_equal(image_at(mm, 0x1000, 100), 2);
	assert_int_equal(image_at(mm, 0x5000, 100), 0);
	rec_mm_put(mm);
	assert_int_equal(image_at(child, 0x1000, 100), 1);
	rec_mm_put(child);
}

static void the_last_reference_frees(void **state)
{
	struct rec_mm *mm = rec_mm_new(1, 0, 0);

	(void)state;
	assert_ptr_equal(rec_mm_get(mm), mm);
	rec_mm_put(mm);
	put(mm, 0x1000, 0x2000, 0, 1, 0);
	rec_mm_put(mm);
	rec_mm_put(NULL);
}

/* -- Against a map of single cells ------------------------------------------*/

#define CELLS 64u
#define TIMES 40u

struct cell {
	uint32_t image;
	uint64_t offset; /* of this cell in the image */
};

static uint32_t next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void check_sorted(const struct rec_mm *mm)
{
	for (size_t i = 0; i < mm->n; i++) {
		assert_true(mm->maps[i].start < mm->maps[i].end);
		if (i)
			assert_true(mm->maps[i - 1].end <= mm->maps[i].start);
	}
}

static void check_cells(const struct rec_mm *mm, struct cell then[][CELLS],
			uint64_t oldest, uint64_t now)
{
	for (uint64_t time = oldest; time <= now; time++)
		for (uint64_t c = 0; c < CELLS; c++) {
			const struct rec_mapping *m = rec_mm_find(mm, c, time);
			const struct cell *want = &then[time][c];

			/* Nothing was there then: any later guess will do. */
			if (!want->image)
				continue;
			assert_non_null(m);
			assert_int_equal(m->image, want->image);
			assert_true(c - m->start + m->offset == want->offset);
		}
}

static void any_maps_give_what_a_table_of_cells_gives(void **state)
{
	static struct cell then[TIMES + 1][CELLS];
	uint32_t seed = 2463534242u;

	(void)state;
	for (int run = 0; run < 60; run++) {
		struct rec_mm *mm = rec_mm_new(1, 0, 0);
		uint64_t oldest = 0;

		memset(then, 0, sizeof(then));
		for (uint64_t t = 1; t <= TIMES; t++) {
			uint64_t start = next(&seed) % CELLS;
			uint64_t n = 1 + next(&seed) % 20;
			uint32_t image = 1 + next(&seed) % 5;
			uint64_t offset = next(&seed) % 8;
			uint64_t end = start + n < CELLS ? start + n : CELLS;

			memcpy(then[t], then[t - 1], sizeof(then[t]));
			for (uint64_t c = start; c < end; c++)
				then[t][c] = (struct cell){ image,
							    offset + c - start };
			put(mm, start, end, offset, image, t);
			check_sorted(mm);
			if (next(&seed) % 8 == 0) {
				oldest += next(&seed) % (uint32_t)(t - oldest + 1);
				rec_mm_prune(mm, oldest);
			}
			check_cells(mm, then, oldest, t);
		}
		rec_mm_put(mm);
	}
}

static void without_memory_nothing_changes(void **state)
{
	struct rec_mapping over = at(0x1800, 0x3800, 0, 9, 50);
	struct rec_mm *mm, *child;
	long n = 1;
	bool done;

	(void)state;
	do {
		mm = rec_mm_new(1, 0, 0);
		for (uint64_t i = 0; i < 15; i++)
			put(mm, 0x1000 * (i + 1), 0x1000 * (i + 2), 0,
			    (uint32_t)i + 1, 0);
		failalloc_at(n++);
		done = rec_mm_map(mm, &over);
		failalloc_off();
		assert_int_equal(image_at(mm, 0x2000, 60), done ? 9 : 2);
		assert_int_equal(image_at(mm, 0x2000, 10), 2);
		rec_mm_put(mm);
	} while (!done);
	assert_true(n > 2);
	mm = rec_mm_new(1, 0, 0);
	put(mm, 0x1000, 0x2000, 0, 1, 0);
	for (n = 1; n <= 2; n++) {
		failalloc_at(n);
		child = rec_mm_fork(mm, 2, 0);
		failalloc_off();
		assert_null(child);
	}
	failalloc_at(1);
	child = rec_mm_new(1, 0, 0);
	failalloc_off();
	assert_null(child);
	rec_mm_put(mm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapping_covers_its_start_and_not_its_end),
		cmocka_unit_test(a_mapping_in_the_middle_leaves_head_and_tail),
		cmocka_unit_test(a_mapping_over_several_replaces_them),
		cmocka_unit_test(an_older_sample_meets_what_was_mapped_then),
		cmocka_unit_test(
			before_the_first_mapping_the_next_one_is_the_guess),
		cmocka_unit_test(pruning_forgets_what_ended_before),
		cmocka_unit_test(being_told_twice_changes_nothing),
		cmocka_unit_test(a_mapping_of_no_size_is_ignored),
		cmocka_unit_test(a_fork_has_a_copy_of_its_own),
		cmocka_unit_test(the_last_reference_frees),
		cmocka_unit_test(any_maps_give_what_a_table_of_cells_gives),
		cmocka_unit_test(without_memory_nothing_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
