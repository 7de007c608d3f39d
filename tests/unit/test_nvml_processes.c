/* Who uses a GPU, by a library that stands in for NVIDIA's. */
#include "tests/unit/test_nvml.h"

#include "format/base/time.h"

#define A "0000:03:00.0"

static void each_process_has_its_memory_and_its_name(void **state)
{
	struct machine *m = *state;
	const struct rec_series *s;

	filetree_text(&m->tree, "/proc/100/comm", "trainer\n");
	opens(m, "compute=100/1048576+200/4096;graphics=none");
	reads(m, 2);
	says(m, A, "memory-used", "", 100, "1048576 1048576");
	says(m, A, "memory-used", "", 200, "4096 4096");
	s = &m->r.series[series_of(m, A, "memory-used", "", 100)];
	assert_string_equal(s->label, "trainer");
	assert_string_equal(s->unit, "bytes");
	assert_int_equal(s->kind, TF_SERIES_LEVEL);
	s = &m->r.series[series_of(m, A, "memory-used", "", 200)];
	assert_string_equal(s->label, "");
}

/* The lists say the same of who is in both; parts of a shared GPU are parts. */
static void memory_is_told_once_for_each_process(void **state)
{
	struct machine *m = *state;

	opens(m, "compute=7/10/0/0+5/100+7/30/1/0;graphics=5/100+9/3+7/20");
	reads(m, 1);
	says(m, A, "memory-used", "", 5, "100");
	says(m, A, "memory-used", "", 7, "40");
	says(m, A, "memory-used", "", 9, "3");
	assert_int_equal(rows_of(m, series_of(m, A, "memory-used", "", 7)), 1);
}

/* They are in no other list, but for their server. */
static void clients_of_mps_are_told_of(void **state)
{
	struct machine *m = *state;

	for (int age = 2; age <= 4; age++) {
		library(age);
		opens(m, "compute=5/30;graphics=none;mps=7/1048576+5/30");
		reads(m, 1);
		says(m, A, "memory-used", "", 5, "30");
		says(m, A, "memory-used", "", 7, "1048576");
	}
	library(1);
	opens(m, "compute=5/30;graphics=none;mps=7/1");
	reads(m, 1);
	says(m, A, "memory-used", "", 5, "30");
	assert_string_equal(why(m, "nvml.processes/mps"),
			    "this library cannot");
}

static void a_process_that_goes_ends_and_one_that_comes_begins(void **state)
{
	struct machine *m = *state;

	opens(m, "compute=5/1+6/2,6/2,5/3+6/2;graphics=none");
	reads(m, 1);
	says(m, A, "memory-used", "", 5, "1");
	reads(m, 1);
	says(m, A, "memory-used", "", 5, "1 gone");
	reads(m, 1);
	/* A number that comes again is another series. */
	says(m, A, "memory-used", "", 5, "3");
	says(m, A, "memory-used", "", 6, "2 2 2");
}

static void nobody_ends_because_a_list_could_not_be_read(void **state)
{
	struct machine *m = *state;

	opens(m, "compute=5/1,5/2,5/3;graphics=6/9,!999,6/8");
	reads(m, 3);
	says(m, A, "memory-used", "", 5, "1 failed 3");
	says(m, A, "memory-used", "", 6, "9 failed 8");
}

static void a_list_that_is_not_supported_leaves_the_other(void **state)
{
	struct machine *m = *state;

	opens(m, "compute=5/1");
	reads(m, 2);
	says(m, A, "memory-used", "", 5, "1 1");
	assert_string_equal(why(m, "nvml.processes/graphics"),
			    "not supported by this GPU");
	assert_null(why(m, "nvml.processes/compute"));
}

static void what_a_process_holds_may_not_be_known(void **state)
{
	struct machine *m = *state;

	opens(m, "compute=5/0xffffffffffffffff;graphics=6/0xffffffffffffffff+"
		 "6/0x7fffffffffffffff+6/1");
	reads(m, 1);
	says(m, A, "memory-used", "", 5, "failed");
	says(m, A, "memory-used", "", 6, "9223372036854775807");
}

static void only_processes_that_were_asked_for_are_told_of(void **state)
{
	static const pid_t pids[] = { 6, 8 };
	struct machine *m = *state;

	m->how.pids = pids;
	m->how.n_pids = 2;
	opens(m, "compute=5/1+6/2;graphics=none;uses=5/100/9+6/100/8;power=4");
	usleep(1000);
	reads(m, 1);
	says(m, A, "memory-used", "", 6, "2");
	assert_int_equal(series_of(m, A, "memory-used", "", 5), -1);
	says(m, A, "utilization", "sm", 6, "8");
	assert_int_equal(series_of(m, A, "utilization", "sm", 5), -1);
	says(m, A, "power", "", 0, "4");
}

/* N processes with 4096 bytes each, from 1000 on. */
static void many(char *to, size_t size, unsigned n)
{
	size_t at = strlen(to);

	for (unsigned i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(to + at, size - at, "%s%u/4096",
				       i ? "+" : "", 1000 + i);
}

static void a_list_that_grows_while_it_is_asked_for_is_whole(void **state)
{
	struct machine *m = *state;
	static char script[200000] = "graphics=none;compute=";

	/* More than there is room for at first, and more the next time. */
	many(script, sizeof(script), 65);
	strcat(script, ",");
	many(script, sizeof(script), 200);
	strcat(script, ",");
	many(script, sizeof(script), 3000);
	opens(m, script);
	reads(m, 1);
	says(m, A, "memory-used", "", 1000, "4096");
	says(m, A, "memory-used", "", 3999, "4096");
	assert_int_equal(m->r.n, 3000);
}

static void absurd_counts_are_failures(void **state)
{
	struct machine *m = *state;

	/* Well, with more than there was room for; too small, five times. */
	opens(m, "compute=5/1,?4000000000,?65,!7,!7,!7,!7,!7,5/2;"
		 "graphics=none;uses=?4000000000");
	reads(m, 3);
	says(m, A, "memory-used", "", 5, "1 failed failed");
	reads(m, 2);
	says(m, A, "memory-used", "", 5, "1 failed failed failed 2");
	/* As many as there was room for, which nobody filled: no process is
	 * number 0. */
	opens(m, "compute=?64;graphics=none");
	reads(m, 1);
	assert_int_equal(m->r.n, 0);
	assert_non_null(why(m, "nvml.processes"));
}

/* -- Load -------------------------------------------------------------------- */

static void load_comes_at_the_time_that_the_driver_took_it(void **state)
{
	struct machine *m = *state;
	uint64_t before, after, time;
	char script[256];
	long long us;
	int id;

	/* Opened before any of the times, however long that takes. */
	opens(m, "power=1");
	before = time_now_ns(CLOCK_MONOTONIC);
	us = (long long)(time_now_ns(CLOCK_REALTIME) / 1000);
	after = time_now_ns(CLOCK_MONOTONIC);
	snprintf(script, sizeof(script),
		 "uses=55/%lld/45/12/3/4+55/%lld/50/0/0/0;compute=55/1;"
		 "graphics=none", us + 3000, us + 8000);
	setenv("COLTRACE_NVML_SCRIPT", script, 1);
	usleep(20000);
	reads(m, 1);
	says(m, A, "utilization", "sm", 55, "45 50");
	says(m, A, "utilization", "memory", 55, "12 0");
	says(m, A, "utilization", "encoder", 55, "3 0");
	says(m, A, "utilization", "decoder", 55, "4 0");
	id = series_of(m, A, "utilization", "sm", 55);
	assert_int_equal(m->r.series[id].kind, TF_SERIES_MEAN);
	/* The stamp is 3 ms after the moment between the two readings, to a
	 * microsecond and what the clocks drifted. */
	time = row(m, id, 0)->time_ns;
	assert_in_range(time, before + 3 * MS - 500000,
			after + 3 * MS + 500000);
	assert_in_range(row(m, id, 1)->time_ns, before + 8 * MS - 500000,
			after + 8 * MS + 500000);
}

/* The driver gives samples again, and what is no sample. */
static void what_was_taken_is_not_taken_again(void **state)
{
	struct machine *m = *state;
	char script[512];
	long long us;

	opens(m, "power=1");
	us = (long long)(time_now_ns(CLOCK_REALTIME) / 1000);
	snprintf(script, sizeof(script),
		 "compute=55/1;graphics=none;uses=55/%lld/7,"
		 "55/%lld/45/101/4294967295+55/%lld/46,"
		 "55/%lld/45+55/%lld/46+55/%lld/47,!6,none",
		 us - 5000000, us + 1000, us + 2000, us + 1000, us + 2000,
		 us + 3000);
	setenv("COLTRACE_NVML_SCRIPT", script, 1);
	usleep(10000);
	reads(m, 5);
	says(m, A, "utilization", "sm", 55, "45 46 47");
	/* Of 101 and more nobody knows what they mean. */
	says(m, A, "utilization", "memory", 55, "0 0");
	says(m, A, "utilization", "encoder", 55, "0 0");
}

/* One that lies ahead counts as now, and does not hide those that follow. */
static void a_time_ahead_is_taken_for_now(void **state)
{
	struct machine *m = *state;
	uint64_t after;
	int id;

	opens(m, "compute=55/1;graphics=none;uses=55/10000000/45,55/-100/46");
	usleep(1000);
	reads(m, 1);
	after = time_now_ns(CLOCK_MONOTONIC);
	usleep(2000);
	reads(m, 1);
	says(m, A, "utilization", "sm", 55, "45 46");
	id = series_of(m, A, "utilization", "sm", 55);
	assert_true(row(m, id, 0)->time_ns <= after);
}

static void without_lists_a_process_lives_as_long_as_it_runs(void **state)
{
	struct machine *m = *state;

	filetree_text(&m->tree, "/proc/55/comm", "x\n");
	opens(m, "uses=55/100/45,!6");
	usleep(1000);
	reads(m, 3);
	says(m, A, "utilization", "sm", 55, "45");
	filetree_remove(&m->tree, "/proc/55/comm");
	reads(m, 1);
	says(m, A, "utilization", "sm", 55, "45 gone");
}

static void load_that_cannot_be_had_is_said(void **state)
{
	struct machine *m = *state;

	opens(m, "compute=5/1;graphics=none;uses=!3");
	reads(m, 1);
	assert_string_equal(why(m, "nvml.processes/utilization"),
			    "not supported by this GPU");
	opens(m, "compute=5/1;graphics=none;uses=!999");
	reads(m, 1);
	assert_string_equal(why(m, "nvml.processes/utilization"),
			    "some samples could not be read");
	opens(m, "compute=5/1;graphics=none;uses=!15");
	reads(m, 1);
	assert_non_null(why(m, "nvml.gpu"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(each_process_has_its_memory_and_its_name),
		TEST(memory_is_told_once_for_each_process),
		TEST(clients_of_mps_are_told_of),
		TEST(a_process_that_goes_ends_and_one_that_comes_begins),
		TEST(nobody_ends_because_a_list_could_not_be_read),
		TEST(a_list_that_is_not_supported_leaves_the_other),
		TEST(what_a_process_holds_may_not_be_known),
		TEST(only_processes_that_were_asked_for_are_told_of),
		TEST(a_list_that_grows_while_it_is_asked_for_is_whole),
		TEST(absurd_counts_are_failures),
		TEST(load_comes_at_the_time_that_the_driver_took_it),
		TEST(what_was_taken_is_not_taken_again),
		TEST(a_time_ahead_is_taken_for_now),
		TEST(without_lists_a_process_lives_as_long_as_it_runs),
		TEST(load_that_cannot_be_had_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
