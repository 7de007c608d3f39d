#include "record/import/perfdata/order.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RECORD 1024u /* bytes of each: some thousands fill the memory below */

/* What came out. */
struct out {
	uint64_t *times, *ats;
	size_t n, cap_times, cap_ats;
};

static int take(void *ctx, uint64_t time, uint64_t at, struct span record,
		struct err *err)
{
	struct out *o = ctx;

	(void)err;
	assert_true(mem_grow(&o->times, &o->cap_times, o->n + 1, 8));
	assert_true(mem_grow(&o->ats, &o->cap_ats, o->n + 1, 8));
	assert_int_equal(record.p[8], (uint8_t)at);
	assert_int_equal(record.p[record.n - 1], (uint8_t)(at >> 8));
	o->times[o->n] = time;
	o->ats[o->n++] = at;
	return 0;
}

static void fini(struct out *o)
{
	free(o->times);
	free(o->ats);
}

static int push(struct rec_pd_order *o, uint64_t time, uint64_t at, size_t size)
{
	uint8_t record[UINT16_MAX] = { 9 };
	struct err err;

	record[6] = (uint8_t)size;
	record[7] = (uint8_t)(size >> 8);
	record[8] = (uint8_t)at;
	record[size - 1] = (uint8_t)(at >> 8);
	return rec_pd_order_push(o, time, at, span_of(record, size), &err);
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Ascending, and of equal times in the order in which they came. */
static void assert_sorted(const struct out *o)
{
	for (size_t i = 1; i < o->n; i++) {
		assert_true(o->times[i - 1] <= o->times[i]);
		if (o->times[i - 1] == o->times[i])
			assert_true(o->ats[i - 1] < o->ats[i]);
	}
}

static void any_order_is_put_right(const struct rec_pd_order_config *cfg,
				   size_t n, bool spills)
{
	struct rec_pd_order o;
	struct out out = { 0 };
	struct err err;
	uint32_t seed = 1;

	assert_int_equal(rec_pd_order_init(&o, cfg, &err), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(push(&o, next(&seed) % 1000, i, RECORD), 0);
	assert_int_equal(rec_pd_order_flush(&o, UINT64_MAX, take, &out, &err),
			 0);
	assert_int_equal(out.n, n);
	assert_sorted(&out);
	assert_int_equal(o.spilled > 0, spills);
	rec_pd_order_fini(&o);
	fini(&out);
}

static void records_in_memory_come_out_by_time(void **state)
{
	(void)state;
	any_order_is_put_right(&(struct rec_pd_order_config){ 0 }, 5000, false);
}

/* 2 MiB of memory for 20 MiB of records. */
static void records_that_do_not_fit_come_out_by_time(void **state)
{
	(void)state;
	any_order_is_put_right(&(struct rec_pd_order_config){ .blocks = 2 },
			       20000, true);
}

/* More runs than are merged at a time. */
static void many_runs_are_merged_in_steps(void **state)
{
	(void)state;
	any_order_is_put_right(
		&(struct rec_pd_order_config){ .blocks = 1, .entries = 20 },
		3000, true);
}

/* Two processors, each in order, and rounds as perf ends them. */
static void a_flush_gives_what_is_settled_and_keeps_the_rest(void **state)
{
	struct rec_pd_order o;
	struct out out = { 0 };
	struct err err;
	uint64_t at = 0;

	(void)state;
	assert_int_equal(rec_pd_order_init(
				 &o, &(struct rec_pd_order_config){ 0 }, &err),
			 0);
	for (uint64_t round = 0; round < 50; round++) {
		for (uint64_t i = 0; i < 10; i++)
			assert_int_equal(push(&o, round * 100 + i * 7, at++,
					      64), 0);
		for (uint64_t i = 0; i < 10; i++)
			assert_int_equal(push(&o, round * 100 + i * 5, at++,
					      64), 0);
		assert_int_equal(rec_pd_order_flush(&o, round * 100, take, &out,
						    &err), 0);
		assert_int_equal(out.n, round * 20 + 2);
	}
	assert_int_equal(rec_pd_order_flush(&o, UINT64_MAX, take, &out, &err),
			 0);
	assert_int_equal(out.n, 1000);
	assert_sorted(&out);
	assert_int_equal(o.spilled, 0);
	rec_pd_order_fini(&o);
	fini(&out);
}

/* Rounds larger than the memory: part of a round is in the file. */
static void what_is_settled_is_merged_from_file_and_memory(void **state)
{
	struct rec_pd_order_config cfg = { .blocks = 1, .entries = 100 };
	struct rec_pd_order o;
	struct out out = { 0 };
	struct err err;
	uint32_t seed = 5;

	(void)state;
	assert_int_equal(rec_pd_order_init(&o, &cfg, &err), 0);
	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t time = 1000 + i - next(&seed) % 300;

		assert_int_equal(push(&o, time, i, 64 + next(&seed) % 64 * 8),
				 0);
		if (i % 500 == 499)
			assert_int_equal(rec_pd_order_flush(&o, 1000 + i - 300,
							    take, &out, &err),
					 0);
	}
	assert_int_equal(rec_pd_order_flush(&o, UINT64_MAX, take, &out, &err),
			 0);
	assert_int_equal(out.n, 5000);
	assert_sorted(&out);
	rec_pd_order_fini(&o);
	fini(&out);
}

static void the_largest_record_fits(void **state)
{
	struct rec_pd_order_config cfg = { .blocks = 1, .entries = 4 };
	struct rec_pd_order o;
	struct out out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(rec_pd_order_init(&o, &cfg, &err), 0);
	for (uint64_t i = 0; i < 40; i++)
		assert_int_equal(push(&o, 40 - i, i, 65528), 0);
	assert_int_equal(rec_pd_order_flush(&o, UINT64_MAX, take, &out, &err),
			 0);
	assert_int_equal(out.n, 40);
	assert_sorted(&out);
	rec_pd_order_fini(&o);
	fini(&out);
}

static int refuse(void *ctx, uint64_t time, uint64_t at, struct span record,
		  struct err *err)
{
	(void)ctx, (void)time, (void)at, (void)record;
	return err_set(err, ERR_FULL, "no room");
}

static void a_refusal_of_the_taker_ends_the_flush(void **state)
{
	struct rec_pd_order o;
	struct err err;

	(void)state;
	assert_int_equal(rec_pd_order_init(
				 &o, &(struct rec_pd_order_config){ 0 }, &err),
			 0);
	assert_int_equal(push(&o, 1, 1, 64), 0);
	assert_int_equal(rec_pd_order_flush(&o, 5, refuse, NULL, &err),
			 ERR_FULL);
	assert_string_equal(err.text, "no room");
	rec_pd_order_fini(&o);
}

static void each_allocation_may_fail(void **state)
{
	struct rec_pd_order_config cfg = { .blocks = 1, .entries = 20 };
	bool hit = true;

	(void)state;
	for (long n = 1; hit; n++) {
		struct rec_pd_order o;
		struct err err;
		int rc;

		failalloc_at(n);
		rc = rec_pd_order_init(&o, &cfg, &err);
		for (uint64_t i = 0; !rc && i < 900; i++)
			rc = push(&o, i % 7, i, 64);
		hit = failalloc_hit();
		failalloc_off();
		assert_int_equal(rc, hit ? ERR_NOMEM : 0);
		rec_pd_order_fini(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_in_memory_come_out_by_time),
		cmocka_unit_test(records_that_do_not_fit_come_out_by_time),
		cmocka_unit_test(many_runs_are_merged_in_steps),
		cmocka_unit_test(
			a_flush_gives_what_is_settled_and_keeps_the_rest),
		cmocka_unit_test(what_is_settled_is_merged_from_file_and_memory),
		cmocka_unit_test(the_largest_record_fits),
		cmocka_unit_test(a_refusal_of_the_taker_ends_the_flush),
		cmocka_unit_test(each_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
