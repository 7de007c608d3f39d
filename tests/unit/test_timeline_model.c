/* The lanes of a timeline: order, rows, blocks. */
#include "analyze/timeline/timeline.h"
#include "tests/support/failalloc.h"

#include "format/base/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct an_timeline tl;
	struct err err;
};

static uint32_t add_text(struct fixture *f, const char *text)
{
	uint32_t id;

	assert_int_equal(an_timeline_textf(&f->tl, &id, &f->err, "%s", text),
			 0);
	return id;
}

static uint32_t add_lane(struct fixture *f, enum an_lane_kind kind,
			 const char *group, const char *name, uint64_t rank)
{
	struct an_lane l = { .kind = kind, .group = add_text(f, group),
			     .name = add_text(f, name), .rank = rank };
	uint32_t id;

	assert_int_equal(an_timeline_lane(&f->tl, &l, &id, &f->err), 0);
	return id;
}

static void add(struct fixture *f, uint32_t lane, uint64_t from, uint64_t to,
		const char *name)
{
	struct an_span s = { .from = from, .to = to, .class = AN_CLASS_JOB,
			     .name = add_text(f, name) };

	assert_int_equal(an_timeline_span(&f->tl, lane, &s, &f->err), 0);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	return !f || an_timeline_init(&f->tl, &f->err);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	an_timeline_fini(&f->tl);
	free(f);
	return 0;
}

static const char *name_of(const struct fixture *f, size_t lane)
{
	return (const char *)intern_get(&f->tl.texts, f->tl.lanes[lane].name).p;
}

static void groups_come_as_they_were_begun_and_lanes_by_rank(void **state)
{
	struct fixture *f = *state;

	add(f, add_lane(f, AN_LANE_SPANS, "B", "late", 9), 1, 2, "x");
	add(f, add_lane(f, AN_LANE_SPANS, "A", "other", 0), 1, 2, "x");
	add(f, add_lane(f, AN_LANE_SPANS, "B", "early", 3), 1, 2, "x");
	add_lane(f, AN_LANE_SPANS, "B", "empty", 0);
	an_timeline_arrange(&f->tl);
	assert_int_equal(f->tl.n, 3);
	assert_string_equal(name_of(f, 0), "early");
	assert_string_equal(name_of(f, 1), "late");
	assert_string_equal(name_of(f, 2), "other");
}

static void spans_that_overlap_get_rows_of_their_own(void **state)
{
	struct fixture *f = *state;
	uint32_t lane = add_lane(f, AN_LANE_SPANS, "G", "L", 0);
	const struct an_lane *l;

	add(f, lane, 30, 40, "d");  /* beside c: the first row is free again */
	add(f, lane, 10, 30, "a");
	add(f, lane, 15, 35, "b");
	add(f, lane, 20, 25, "c");
	an_timeline_arrange(&f->tl);
	l = &f->tl.lanes[0];
	assert_int_equal(l->rows, 3);
	assert_int_equal(l->spans[0].row, 0);
	assert_int_equal(l->spans[1].row, 1);
	assert_int_equal(l->spans[2].row, 2);
	assert_int_equal(l->spans[3].row, 0);
	assert_int_equal(f->tl.t_min, 10);
	assert_int_equal(f->tl.t_max, 40);
	assert_int_equal(l->merged, 0);
}

/* 40 that all overlap: 31 rows of one, and a block of nine in the last. */
static void what_overlaps_too_deep_is_a_block_that_counts(void **state)
{
	struct fixture *f = *state;
	uint32_t lane = add_lane(f, AN_LANE_SPANS, "G", "L", 0);
	const struct an_lane *l;
	uint64_t spans = 0;

	for (uint64_t i = 0; i < 40; i++)
		add(f, lane, i, 1000, "x");
	an_timeline_arrange(&f->tl);
	l = &f->tl.lanes[0];
	assert_int_equal(l->rows, AN_MAX_ROWS);
	assert_int_equal(l->n_spans, AN_MAX_ROWS);
	assert_int_equal(l->merged, 40 - (AN_MAX_ROWS - 1));
	for (size_t i = 0; i < l->n_spans; i++)
		spans += l->spans[i].count;
	assert_int_equal(spans, 40);
}

/* 10 of 3 ns, 7 ns apart, then one of 50 ns that no width below joins. */
static void add_ten_and_one(struct fixture *f)
{
	uint32_t lane = add_lane(f, AN_LANE_SPANS, "G", "L", 0);

	for (uint64_t i = 0; i < 10; i++)
		add(f, lane, 10 * i, 10 * i + 3, i == 4 ? "four" : "x");
	add(f, lane, 100, 150, "long");
	an_timeline_arrange(&f->tl);
}

static void neighbours_narrower_than_the_width_become_blocks(void **state)
{
	struct fixture *f = *state;
	const struct an_lane *l;

	add_ten_and_one(f);
	an_timeline_merge(&f->tl, 8);
	l = &f->tl.lanes[0];
	/* At most 4 widths long: 0..23 are 3 spans, so 3, 3, 3 and 1. */
	assert_int_equal(l->n_spans, 5);
	assert_int_equal(l->spans[0].count, 3);
	assert_int_equal(l->spans[0].from, 0);
	assert_int_equal(l->spans[0].to, 23);
	assert_int_equal(l->spans[0].busy, 9);
	assert_int_equal(l->spans[3].count, 1);
	assert_int_equal(l->spans[4].to - l->spans[4].from, 50);
	assert_int_equal(l->spans[4].count, 1);
	assert_int_equal(l->merged, 9);
}

static void what_is_apart_by_the_width_is_not_merged(void **state)
{
	struct fixture *f = *state;

	add_ten_and_one(f);
	an_timeline_merge(&f->tl, 7);
	assert_int_equal(f->tl.lanes[0].n_spans, 11);
	assert_int_equal(an_timeline_merged(&f->tl), 0);
}

static void a_block_is_named_by_the_longest_in_it(void **state)
{
	struct fixture *f = *state;
	uint32_t lane = add_lane(f, AN_LANE_SPANS, "G", "L", 0);

	add(f, lane, 0, 1, "short");
	add(f, lane, 2, 5, "longest");
	add(f, lane, 6, 8, "middle");
	an_timeline_arrange(&f->tl);
	an_timeline_merge(&f->tl, 100);
	assert_int_equal(f->tl.lanes[0].n_spans, 1);
	assert_string_equal(intern_get(&f->tl.texts,
				       f->tl.lanes[0].spans[0].name).p,
			    "longest");
	assert_int_equal(f->tl.lanes[0].spans[0].busy, 1 + 3 + 2);
}

static uint64_t count_all(const struct fixture *f)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->tl.n; i++)
		for (size_t k = 0; k < f->tl.lanes[i].n_spans; k++)
			n += f->tl.lanes[i].spans[k].count;
	return n;
}

static void fitting_keeps_to_the_limit_and_to_the_count(void **state)
{
	static const size_t limits[] = { 100000, 5000, 300, 7, 2 };
	struct fixture *f = *state;

	for (uint32_t l = 0; l < 2; l++) {
		uint32_t lane = add_lane(f, AN_LANE_SPANS, "G", l ? "a" : "b",
					 0);

		for (uint64_t i = 0; i < 3000; i++)
			add(f, lane, i * 1000 + i % 7, i * 1000 + 500 + i % 400,
			    "x");
	}
	an_timeline_arrange(&f->tl);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		an_timeline_fit(&f->tl, limits[i]);
		assert_true(an_timeline_spans(&f->tl) <= limits[i]);
		assert_int_equal(count_all(f), 6000);
	}
	assert_int_equal(an_timeline_spans(&f->tl), 2);
}

static void a_counter_keeps_its_extremes(void **state)
{
	struct fixture *f = *state;
	uint32_t lane = add_lane(f, AN_LANE_COUNTER, "G", "L", 0);
	const struct an_lane *l;
	double least = 1e9, most = -1e9;

	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(an_timeline_step(&f->tl, lane, i * 10,
						  i == 333 ? -5 :
						  i == 777 ? 99 : (double)(i % 3),
						  &f->err), 0);
	an_timeline_arrange(&f->tl);
	an_timeline_merge(&f->tl, 1000);
	l = &f->tl.lanes[0];
	/* 10 stretches of 1000 ns, two steps in each. */
	assert_int_equal(l->n_steps, 20);
	assert_int_equal(l->merged, 980);
	for (size_t i = 0; i < l->n_steps; i++) {
		if (l->steps[i].value < least)
			least = l->steps[i].value;
		if (l->steps[i].value > most)
			most = l->steps[i].value;
		if (i)
			assert_true(l->steps[i].time > l->steps[i - 1].time);
	}
	assert_true(least == -5 && most == 99);
}

/* In stretches of 100 ns: a gap within one is too narrow to be seen, the one that
 * the second begins and ends without a value stays. */
static void a_counter_keeps_its_gaps(void **state)
{
	static const struct { uint64_t time; double value; } in[] = {
		{ 0, 1 }, { 10, NAN }, { 20, 2 }, { 30, 1.5 },
		{ 100, 3 }, { 110, NAN }, { 120, 4 }, { 130, NAN },
		{ 500, NAN }, { 520, NAN },
		{ 900, 5 },
	}, out[] = {
		{ 0, 1 }, { 20, 2 }, { 100, 3 }, { 120, 4 }, { 130, NAN },
		{ 500, NAN }, { 900, 5 },
	};
	struct fixture *f = *state;
	uint32_t lane = add_lane(f, AN_LANE_COUNTER, "G", "L", 0);
	const struct an_lane *l;

	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		assert_int_equal(an_timeline_step(&f->tl, lane, in[i].time,
						  in[i].value, &f->err), 0);
	an_timeline_arrange(&f->tl);
	an_timeline_merge(&f->tl, 100);
	l = &f->tl.lanes[0];
	assert_int_equal(l->n_steps, ARRAY_LEN(out));
	for (size_t i = 0; i < l->n_steps; i++) {
		assert_int_equal(l->steps[i].time, out[i].time);
		assert_true(isnan(out[i].value) ?
				    isnan(l->steps[i].value) :
				    l->steps[i].value == out[i].value);
	}
}

static void memory_is_bounded_and_every_span_still_counted(void **state)
{
	struct fixture *f = *state;
	uint32_t lane = add_lane(f, AN_LANE_SPANS, "G", "L", 0);

	f->tl.held = 1000;
	for (uint64_t i = 0; i < 100000; i++) {
		add(f, lane, i * 1000, i * 1000 + 300, "x");
		assert_true(an_timeline_spans(&f->tl) <= 1000);
	}
	an_timeline_arrange(&f->tl);
	assert_int_equal(count_all(f), 100000);
	assert_int_equal(f->tl.t_max, 99999 * 1000 + 300);
}

static void a_name_has_the_same_colour_wherever_it_is(void **state)
{
	size_t seen[AN_NAMED_COLOURS] = { 0 };

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		char name[16];
		size_t n = (size_t)snprintf(name, sizeof(name), "thread%u", i);

		assert_int_equal(an_named_colour(name, n),
				 an_named_colour(name, n));
		seen[an_named_colour(name, n)]++;
	}
	/* 125 each, if names fell evenly. */
	for (size_t i = 0; i < AN_NAMED_COLOURS; i++)
		assert_in_range(seen[i], 60, 250);
}

static void times_beyond_all_sense_do_no_harm(void **state)
{
	struct fixture *f = *state;
	uint32_t lane = add_lane(f, AN_LANE_SPANS, "G", "L", 0);

	add(f, lane, 0, UINT64_MAX, "all");
	add(f, lane, UINT64_MAX, 5, "turned");
	add(f, lane, UINT64_MAX - 1, UINT64_MAX, "end");
	an_timeline_arrange(&f->tl);
	an_timeline_fit(&f->tl, 1);
	assert_int_equal(count_all(f), 3);
	assert_int_equal(f->tl.t_min, 0);
	assert_int_equal(f->tl.t_max, UINT64_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(groups_come_as_they_were_begun_and_lanes_by_rank),
		TEST(spans_that_overlap_get_rows_of_their_own),
		TEST(what_overlaps_too_deep_is_a_block_that_counts),
		TEST(neighbours_narrower_than_the_width_become_blocks),
		TEST(what_is_apart_by_the_width_is_not_merged),
		TEST(a_block_is_named_by_the_longest_in_it),
		TEST(fitting_keeps_to_the_limit_and_to_the_count),
		TEST(a_counter_keeps_its_extremes),
		TEST(a_counter_keeps_its_gaps),
		TEST(memory_is_bounded_and_every_span_still_counted),
		TEST(a_name_has_the_same_colour_wherever_it_is),
		TEST(times_beyond_all_sense_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
