#include "record/counter/counters.h"

#include "format/base/time.h"
#include "record/counter/pmu/pmu.h"
#include "tests/support/rowsback.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	struct buf file;
	struct tf_sink *memory;
	struct rec_sink *sink;
	struct rec_images images;
	struct rec_defs defs;
	struct rec_events events;
	struct rec_pmu_config pmu;
	struct log log;
	struct err err;
	struct rec_counters counters;
};

static const struct tf_file_info info = { .start_unix_ns = 1 };
static const pid_t nobody[] = { 0 };

static void begin(struct fixture *f, const char *events)
{
	*f = (struct fixture){ .log = { stderr, "test", LOG_QUIET } };
	buf_init(&f->file, 0);
	assert_int_equal(tf_sink_memory(&f->memory, &f->file, NULL), 0);
	assert_int_equal(rec_sink_new(&f->sink, f->memory, &info, NULL), 0);
	assert_int_equal(rec_images_init(&f->images, NULL), 0);
	assert_int_equal(rec_defs_init(&f->defs, f->sink, &f->images, "", 0,
				       time_now_ns(CLOCK_MONOTONIC), NULL), 0);
	if (*events)
		assert_int_equal(rec_events_add(&f->events, events, &f->err),
				 0);
	/* Thread 0 is the caller. */
	f->pmu = (struct rec_pmu_config){ .events = &f->events,
					  .tids = nobody, .n_tids = 1,
					  .inherit = true };
}

static int open_all(struct fixture *f, uint64_t interval_ns)
{
	return rec_counters_open(&f->counters, &(struct rec_counter_opening){
		.root = "", .interval_ns = interval_ns, .log = &f->log,
		.pmu = &f->pmu }, false, NULL, &f->err);
}

/* Closes the file: `to` then has its rows of that table. */
static void rows(struct fixture *f, uint32_t table, struct rowsback *to)
{
	if (f->sink) {
		assert_int_equal(rec_sink_close(f->sink, &f->err), 0);
		rec_sink_free(f->sink);
		f->sink = NULL;
	}
	rowsback_read(to, span_of(f->file.p, f->file.n), table);
}

static void end(struct fixture *f)
{
	rec_counters_fini(&f->counters);
	rec_sink_free(f->sink);
	rec_defs_fini(&f->defs);
	rec_images_fini(&f->images);
	rec_events_fini(&f->events);
	tf_sink_close(f->memory, NULL);
	buf_fini(&f->file);
}

static bool counts_here(void)
{
	struct fixture f;
	bool can;

	begin(&f, "page-faults:u");
	can = open_all(&f, 0) == 0;
	end(&f);
	return can;
}

static void touch(size_t pages)
{
	size_t size = pages * (size_t)sysconf(_SC_PAGESIZE);
	volatile char *p = test_malloc(size);

	for (size_t i = 0; i < size; i += 4096)
		p[i] = 1;
	test_free((void *)(uintptr_t)p);
}

static void without_an_event_there_is_nothing_to_read(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "");
	assert_int_equal(open_all(&f, 0), 0);
	assert_false(rec_counters_any(&f.counters));
	assert_int_equal(rec_counters_begin(&f.counters, &f.err), 0);
	assert_true(rec_counters_poll(&f.counters, &f.defs));
	rec_counters_end(&f.counters, &f.defs);
	end(&f);
}

/* Two readings, and what is between them is what happened. */
static void a_count_is_the_difference_of_two_readings(void **state)
{
	struct rowsback r = { 0 };
	struct fixture f;

	(void)state;
	if (!counts_here())
		skip();
	begin(&f, "page-faults:u");
	assert_int_equal(open_all(&f, 0), 0);
	assert_int_equal(rec_counters_begin(&f.counters, &f.err), 0);
	touch(3000);
	rec_counters_end(&f.counters, &f.defs);
	rows(&f, TF_TABLE_COUNTER, &r);
	assert_int_equal(r.n, 2);
	assert_true(r.items[1].v[TF_COUNTER_VALUE] -
		    r.items[0].v[TF_COUNTER_VALUE] >= 3000);
	assert_true(r.items[1].v[TF_COUNTER_VALUE] -
		    r.items[0].v[TF_COUNTER_VALUE] < 4000);
	assert_true(r.items[1].v[TF_COUNTER_RUNNING] > 0);
	assert_true(r.items[1].v[TF_COUNTER_TIME] >
		    r.items[0].v[TF_COUNTER_TIME]);
	rowsback_fini(&r);
	end(&f);
}

static void what_cannot_be_counted_says_so_and_the_rest_is(void **state)
{
	struct rowsback r = { 0 };
	struct fixture f;

	(void)state;
	if (!counts_here())
		skip();
	begin(&f, "page-faults:u,task-clock:u");
	/* No such event of software. */
	f.events.items[0].attr.config = 9999;
	assert_int_equal(open_all(&f, 0), 0);
	assert_int_equal(rec_counters_begin(&f.counters, &f.err), 0);
	rec_counters_end(&f.counters, &f.defs);
	rows(&f, TF_TABLE_COUNTER, &r);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.items[0].v[TF_COUNTER_STATE], TF_COUNTER_NONE);
	assert_int_equal(r.items[1].v[TF_COUNTER_STATE], TF_COUNTER_READ);
	assert_int_equal(r.items[2].v[TF_COUNTER_STATE], TF_COUNTER_READ);
	assert_int_equal(f.counters.readings.n_missing, 1);
	rowsback_fini(&r);
	rows(&f, TF_TABLE_SERIES, &r);
	assert_int_equal(r.n, 2); /* in the order of the events */
	assert_int_equal(r.items[0].v[TF_SERIES_KIND], TF_SERIES_COUNT);
	rowsback_fini(&r);
	end(&f);
}

/* What one group counts is told by one reading: of the same length. */
static void a_group_is_read_at_once(void **state)
{
	struct rowsback r = { 0 };
	struct fixture f;

	(void)state;
	if (!counts_here())
		skip();
	begin(&f, "{task-clock:u,page-faults:u}");
	f.pmu.inherit = false;
	assert_int_equal(open_all(&f, 0), 0);
	assert_int_equal(rec_counters_begin(&f.counters, &f.err), 0);
	rec_counters_end(&f.counters, &f.defs);
	rows(&f, TF_TABLE_COUNTER, &r);
	assert_int_equal(r.n, 4);
	for (size_t i = 0; i < 4; i += 2) {
		assert_int_equal(r.items[i].v[TF_COUNTER_TIME],
				 r.items[i + 1].v[TF_COUNTER_TIME]);
		assert_int_equal(r.items[i].v[TF_COUNTER_ENABLED],
				 r.items[i + 1].v[TF_COUNTER_ENABLED]);
	}
	rowsback_fini(&r);
	end(&f);
}

/* A first reading, one at the end of each interval, and none after the last. */
static void after_so_many_intervals_nothing_is_read(void **state)
{
	const struct timespec a_while = { 0, 10000000 };
	struct rowsback r = { 0 };
	struct fixture f;
	int waits = 500;

	(void)state;
	if (!counts_here())
		skip();
	begin(&f, "task-clock:u");
	assert_int_equal(rec_counters_open(
		&f.counters, &(struct rec_counter_opening){
			.root = "", .interval_ns = NSEC_PER_SEC / 100,
			.intervals = 3, .log = &f.log, .pmu = &f.pmu },
		false, NULL, &f.err), 0);
	assert_int_equal(rec_counters_begin(&f.counters, &f.err), 0);
	while (!rec_counters_done(&f.counters) && waits-- > 0)
		nanosleep(&a_while, NULL);
	assert_true(waits > 0);
	rec_counters_end(&f.counters, &f.defs);
	rows(&f, TF_TABLE_COUNTER, &r);
	assert_int_equal(r.n, 4);
	rowsback_fini(&r);
	end(&f);
}

static void a_thread_reads_by_the_clock(void **state)
{
	const uint64_t step = NSEC_PER_SEC / 50;
	const struct timespec a_while = { 0, 200000000 };
	struct rowsback r = { 0 };
	struct fixture f;

	(void)state;
	if (!counts_here())
		skip();
	begin(&f, "task-clock:u");
	assert_int_equal(open_all(&f, step), 0);
	assert_int_equal(rec_counters_begin(&f.counters, &f.err), 0);
	nanosleep(&a_while, NULL);
	rec_counters_end(&f.counters, &f.defs);
	rows(&f, TF_TABLE_COUNTER, &r);
	/* Some may be late on a busy machine; none comes too early. */
	assert_true(r.n >= 3);
	for (size_t i = 1; i + 1 < r.n; i++)
		assert_true(r.items[i].v[TF_COUNTER_TIME] -
			    f.counters.threads[0].begin_ns >= i * step);
	rowsback_fini(&r);
	end(&f);
}

/* A new epoch has none of the old one's ids. */
static void a_series_is_defined_in_each_epoch(void **state)
{
	struct rowsback r = { 0 };
	struct fixture f;

	(void)state;
	if (!counts_here())
		skip();
	begin(&f, "task-clock:u");
	assert_int_equal(open_all(&f, 0), 0);
	assert_int_equal(rec_counters_begin(&f.counters, &f.err), 0);
	assert_true(rec_counters_poll(&f.counters, &f.defs));
	assert_true(rec_defs_new_epoch(&f.defs, 1));
	rec_counters_end(&f.counters, &f.defs);
	rows(&f, TF_TABLE_SERIES, &r);
	assert_int_equal(r.n, 2);
	assert_int_not_equal(r.items[0].epoch, r.items[1].epoch);
	rowsback_fini(&r);
	rowsback_check_references(span_of(f.file.p, f.file.n));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_an_event_there_is_nothing_to_read),
		cmocka_unit_test(a_count_is_the_difference_of_two_readings),
		cmocka_unit_test(what_cannot_be_counted_says_so_and_the_rest_is),
		cmocka_unit_test(a_group_is_read_at_once),
		cmocka_unit_test(after_so_many_intervals_nothing_is_read),
		cmocka_unit_test(a_thread_reads_by_the_clock),
		cmocka_unit_test(a_series_is_defined_in_each_epoch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
