#include "record/counter/reading.h"

#include "tests/support/failalloc.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void begin(struct rec_readings *r)
{
	struct err err = { 0 };

	if (rec_readings_init(r, &err))
		fail_msg("%s", err.text);
}

static uint32_t add_series(struct rec_readings *r, const char *name)
{
	const struct rec_series s = { .name = name, .unit = "%",
				      .kind = TF_SERIES_MEAN };

	return rec_readings_series(r, &s);
}

/* Who adds may use one buffer for all of them. */
static void texts_are_kept_when_those_given_change(void **state)
{
	struct rec_readings r;
	char texts[5][16] = { "name", "unit", "0000:03:00.0", "part", "label" };
	struct rec_series s = { .name = texts[0], .unit = texts[1],
				.device = texts[2], .part = texts[3],
				.label = texts[4], .pid = 7, .client = 8,
				.event = 9, .cpu = 10, .run = 11,
				.capacity = 12, .scale = 0.5,
				.kind = TF_SERIES_COUNT,
				.source = TF_SERIES_FDINFO };
	char name[8] = "missing", why[8] = "because";

	(void)state;
	begin(&r);
	assert_int_equal(rec_readings_series(&r, &s), 0);
	rec_readings_miss(&r, name, why);
	memset(texts, 'x', sizeof(texts));
	memset(name, 'x', sizeof(name) - 1);
	memset(why, 'x', sizeof(why) - 1);
	assert_string_equal(r.series[0].name, "name");
	assert_string_equal(r.series[0].unit, "unit");
	assert_string_equal(r.series[0].device, "0000:03:00.0");
	assert_string_equal(r.series[0].part, "part");
	assert_string_equal(r.series[0].label, "label");
	assert_int_equal(r.series[0].pid, 7);
	assert_int_equal(r.series[0].client, 8);
	assert_int_equal(r.series[0].event, 9);
	assert_int_equal(r.series[0].cpu, 10);
	assert_int_equal(r.series[0].run, 11);
	assert_int_equal(r.series[0].capacity, 12);
	assert_true(r.series[0].scale == 0.5);
	assert_int_equal(r.series[0].kind, TF_SERIES_COUNT);
	assert_int_equal(r.series[0].source, TF_SERIES_FDINFO);
	assert_string_equal(r.missing[0].name, "missing");
	assert_string_equal(r.missing[0].why, "because");
	rec_readings_fini(&r);
}

static void what_is_not_given_is_empty_or_one(void **state)
{
	struct rec_readings r;
	const struct rec_series s = { .name = NULL };

	(void)state;
	begin(&r);
	assert_int_equal(rec_readings_series(&r, &s), 0);
	assert_string_equal(r.series[0].name, "");
	assert_string_equal(r.series[0].label, "");
	assert_true(r.series[0].scale == 1);
	assert_int_equal(r.series[0].capacity, 1);
	rec_readings_miss(&r, "x", NULL);
	assert_string_equal(r.missing[0].why, "");
	rec_readings_fini(&r);
}

static void rows_stay_in_their_order_with_all_that_they_say(void **state)
{
	struct rec_readings r;
	struct rec_reading x = { 1, 2, -3, 4, 5, TF_COUNTER_FAILED };

	(void)state;
	begin(&r);
	assert_int_equal(add_series(&r, "a"), 0);
	assert_int_equal(add_series(&r, "b"), 1);
	rec_readings_add(&r, 1, &x);
	x.time_ns = 6;
	rec_readings_add(&r, 0, &x);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.rows[0].series, 1);
	assert_int_equal(r.rows[1].series, 0);
	assert_int_equal(r.rows[0].r.time_ns, 1);
	assert_int_equal(r.rows[1].r.time_ns, 6);
	assert_int_equal(r.rows[0].r.took_ns, 2);
	assert_int_equal(r.rows[0].r.value, -3);
	assert_int_equal(r.rows[0].r.enabled_ns, 4);
	assert_int_equal(r.rows[0].r.running_ns, 5);
	assert_int_equal(r.rows[0].r.state, TF_COUNTER_FAILED);
	rec_readings_fini(&r);
}

static void what_is_missing_is_said_once(void **state)
{
	struct rec_readings r;

	(void)state;
	begin(&r);
	rec_readings_miss(&r, "nvml", "first");
	rec_readings_miss(&r, "nvml", "second");
	rec_readings_miss(&r, "other", "third");
	assert_int_equal(r.n_missing, 2);
	assert_string_equal(r.missing[0].why, "first");
	rec_readings_fini(&r);
}

static void rows_that_nobody_takes_are_counted(void **state)
{
	struct rec_readings r;
	const struct rec_reading x = { .value = 1 };
	uint32_t id;

	(void)state;
	begin(&r);
	id = add_series(&r, "a");
	for (int i = 0; i < 100010; i++)
		rec_readings_add(&r, id, &x);
	assert_int_equal(r.n, 100000);
	assert_int_equal(r.dropped, 10);
	/* Once they were taken, there is room. */
	r.n = 0;
	rec_readings_add(&r, id, &x);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.dropped, 10);
	rec_readings_fini(&r);
}

static void rows_of_a_series_without_memory_are_counted(void **state)
{
	struct rec_readings r;
	const struct rec_reading x = { .value = 1 };
	uint32_t id;

	(void)state;
	begin(&r);
	failalloc_at(1);
	id = add_series(&r, "a");
	failalloc_off();
	assert_int_equal(id, UINT32_MAX);
	assert_int_equal(r.n_series, 0);
	rec_readings_add(&r, id, &x);
	assert_int_equal(r.dropped, 1);
	/* The next one is the first. */
	assert_int_equal(add_series(&r, "b"), 0);
	assert_string_equal(r.series[0].name, "b");
	rec_readings_fini(&r);
}

/* Nothing half made is left, and what was dropped is counted. */
static void each_allocation_may_fail(void **state)
{
	const struct rec_reading x = { .value = 1 };
	bool failed = true;

	(void)state;
	for (long n = 1; failed; n++) {
		struct rec_readings r;
		uint64_t rows = 0, missing = 0;

		begin(&r);
		failalloc_at(n);
		for (int i = 0; i < 100; i++) {
			char name[16];
			uint32_t id;

			snprintf(name, sizeof(name), "s%d", i);
			id = add_series(&r, name);
			rec_readings_add(&r, id, &x);
			rec_readings_miss(&r, name, "why");
			rows++, missing++;
		}
		failed = failalloc_hit();
		failalloc_off();
		assert_int_equal(r.n + r.n_missing + r.dropped, rows + missing);
		for (size_t i = 0; i < r.n_series; i++)
			assert_int_equal(r.series[i].name[0], 's');
		for (size_t i = 0; i < r.n; i++)
			assert_true(r.rows[i].series < r.n_series);
		for (size_t i = 0; i < r.n_missing; i++)
			assert_string_equal(r.missing[i].why, "why");
		rec_readings_fini(&r);
		assert_true(n < 1000);
	}
}

static void *adds(void *ctx)
{
	struct rec_readings *r = ctx;
	const struct rec_reading x = { .value = 1 };
	uint32_t id = add_series(r, "a");

	for (int i = 0; i < 10000; i++)
		rec_readings_add(r, id, &x);
	return NULL;
}

static void several_threads_may_add(void **state)
{
	struct rec_readings r;
	pthread_t threads[3];

	(void)state;
	begin(&r);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, adds, &r),
				 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(r.n_series, 3);
	assert_int_equal(r.n, 30000);
	rec_readings_fini(&r);
}

static void the_middle_of_a_reading_is_its_time(void **state)
{
	struct rec_reading r = rec_reading_between(1000, 1501, -7);

	(void)state;
	assert_int_equal(r.time_ns, 1250);
	assert_int_equal(r.took_ns, 501);
	assert_int_equal(r.value, -7);
	assert_int_equal(r.state, TF_COUNTER_READ);
	/* The middle of two large ones does not run over. */
	r = rec_reading_between(UINT64_MAX - 3, UINT64_MAX - 1, 0);
	assert_true(r.time_ns == UINT64_MAX - 2);
}

static void a_zeroed_one_can_be_released(void **state)
{
	struct rec_readings r = { .n = 0 };

	(void)state;
	rec_readings_fini(&r);
	begin(&r);
	rec_readings_fini(&r);
	rec_readings_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_kept_when_those_given_change),
		cmocka_unit_test(what_is_not_given_is_empty_or_one),
		cmocka_unit_test(rows_stay_in_their_order_with_all_that_they_say),
		cmocka_unit_test(what_is_missing_is_said_once),
		cmocka_unit_test(rows_that_nobody_takes_are_counted),
		cmocka_unit_test(rows_of_a_series_without_memory_are_counted),
		cmocka_unit_test(each_allocation_may_fail),
		cmocka_unit_test(several_threads_may_add),
		cmocka_unit_test(the_middle_of_a_reading_is_its_time),
		cmocka_unit_test(a_zeroed_one_can_be_released),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
