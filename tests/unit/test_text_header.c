#include "record/import/text/header.h"

#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define NONE UINT64_MAX

struct want {
	const char *line, *comm;
	int pid, tid;
	uint64_t cpu, time, period; /* NONE: not told */
	const char *event, *rest;
};

static void is(struct span s, const char *want)
{
	assert_int_equal(s.n, strlen(want));
	assert_memory_equal(s.p, want, s.n);
}

static void check(const struct want *w)
{
	struct rec_text_header h = { 0 };

	assert_true(rec_text_header(span_of(w->line, strlen(w->line)), true,
				    &h));
	is(h.comm, w->comm);
	assert_int_equal(h.has_pid, w->pid >= 0);
	assert_int_equal(h.pid, w->pid < 0 ? w->tid : w->pid);
	assert_int_equal(h.tid, w->tid);
	assert_int_equal(h.has_cpu, w->cpu != NONE);
	if (h.has_cpu)
		assert_int_equal(h.cpu, w->cpu);
	assert_int_equal(h.has_time, w->time != NONE);
	if (h.has_time)
		assert_true(h.time == w->time);
	assert_int_equal(h.has_period, w->period != NONE);
	assert_true(h.period == (w->period == NONE ? 1 : w->period));
	is(h.event, w->event);
	is(h.rest, w->rest);
}

static void check_all(const struct want *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check(&w[i]);
}

static void a_header_is_what_perf_script_prints(void **state)
{
	static const struct want want[] = {
		{ "perf  1234 [001] 856620.530720:    2654110 cycles:u: ",
		  "perf", -1, 1234, 1, 856620530720000, 2654110, "cycles:u",
		  " " },
		{ "           false 39654 19115.489713:          1 cycles:u:  "
		  "ffffffff9b201293 [unknown] ([unknown])", "false", -1, 39654,
		  NONE, 19115489713000, 1, "cycles:u",
		  "  ffffffff9b201293 [unknown] ([unknown])" },
		{ "firefox  7564/7563  2574592.839818:          1 cycles:uppp:",
		  "firefox", 7564, 7563, NONE, 2574592839818000, 1,
		  "cycles:uppp", "" },
		{ "a 1 [000] 1.000000001: sched:sched_switch: prev_comm=a: b ",
		  "a", -1, 1, 0, 1000000001, NONE, "sched:sched_switch",
		  " prev_comm=a: b " },
		{ "a 1 [000] 1.5:  1 cpu/event=0x3c,umask=0/u: ", "a", -1, 1,
		  0, 1500000000, 1, "cpu/event=0x3c,umask=0/u", " " },
		{ "a 1 [000] 1.5:     250000   my event:", "a", -1, 1, 0,
		  1500000000, 250000, "my event", "" },
		{ "a    -1 [000] 1.5:  1 cycles:", "a", -1, -1, 0, 1500000000,
		  1, "cycles", "" },
	};

	(void)state;
	check_all(want, ARRAY_LEN(want));
}

static void a_name_is_everything_before_the_ids(void **state)
{
	static const struct want want[] = {
		{ "Plex DLNA Serve 26638 [001] 856620.530720: 2654110 cycles:",
		  "Plex DLNA Serve", -1, 26638, 1, 856620530720000, 2654110,
		  "cycles", "" },
		{ "worker 12   345 [001] 12.5:          7 cycles:", "worker 12",
		  -1, 345, 1, 12500000000, 7, "cycles", "" },
		{ "worker 12 345 12.5: cycles:", "worker 12", -1, 345, NONE,
		  12500000000, NONE, "cycles", "" },
		{ ":22275 22275 12.5: 1 cycles:", ":22275", -1, 22275, NONE,
		  12500000000, 1, "cycles", "" },
		{ "x [001] y 5 [002] 1.5: 1 cycles:", "x [001] y", -1, 5, 2,
		  1500000000, 1, "cycles", "" },
		{ "kworker/u8:1-ev    71/71    1.5: 1 cycles:",
		  "kworker/u8:1-ev", 71, 71, NONE, 1500000000, 1, "cycles",
		  "" },
		{ "tick 1.5: 7 2.5: 1 cycles:", "tick 1.5:", -1, 7, NONE,
		  2500000000, 1, "cycles", "" },
		{ "1.5: 7 2.5: 1 cycles:", "1.5:", -1, 7, NONE, 2500000000, 1,
		  "cycles", "" },
	};

	(void)state;
	check_all(want, ARRAY_LEN(want));
}

static void fields_may_be_missing(void **state)
{
	static const struct want want[] = {
		{ "t 99076 10314749.002559:", "t", -1, 99076, NONE,
		  10314749002559000, NONE, "", "" },
		{ "t 99076 10314749.002559:    1234", "t", -1, 99076, NONE,
		  10314749002559000, 1234, "", "" },
		{ "java 19983 cycles:", "java", -1, 19983, NONE, NONE, NONE,
		  "cycles", "" },
		{ "node-v011 31912 cpu-clock: ", "node-v011", -1, 31912, NONE,
		  NONE, NONE, "cpu-clock", " " },
		{ "java 19983 [003] cycles:", "java", -1, 19983, 3, NONE, NONE,
		  "cycles", "" },
		{ "java 19983/19984 [003]     250000 cycles:", "java", 19983,
		  19984, 3, NONE, 250000, "cycles", "" },
		{ "java 19983     250000 cycles:", "java", -1, 19983, NONE,
		  NONE, 250000, "cycles", "" },
		{ "worker 12   345 cycles:", "worker 12", -1, 345, NONE, NONE,
		  NONE, "cycles", "" },
		{ "   123 [000]  1.5:  1 cycles:", "", -1, 123, 0, 1500000000,
		  1, "cycles", "" },
		{ "a 5 1.5:   7fa68b1f2d84 f (x)", "a", -1, 5, NONE,
		  1500000000, NONE, "", "   7fa68b1f2d84 f (x)" },
		{ "a 5 1.5:   401136 f (x)", "a", -1, 5, NONE, 1500000000,
		  NONE, "", "   401136 f (x)" },
	};

	(void)state;
	check_all(want, ARRAY_LEN(want));
}

static void a_name_may_stand_without_ids_where_an_event_follows(void **state)
{
	static const char line[] = "a b [001] 1.5: 7 cycles:";
	struct rec_text_header h;

	(void)state;
	assert_true(rec_text_header(span_of(line, sizeof(line) - 1), true, &h));
	assert_false(h.has_tid || h.has_pid);
	is(h.comm, "a b");
	is(h.event, "cycles");
	assert_int_equal(h.cpu, 1);
	assert_int_equal(h.period, 7);
	assert_false(rec_text_header(span_of("a b 1.5:", 8), true, &h));
}

static void what_misc_says_is_passed_over(void **state)
{
	static const struct want want[] = {
		{ "a 5 [002] U    1.5: 1 cycles:", "a", -1, 5, 2, 1500000000,
		  1, "cycles", "" },
		{ "a 5 KU    1.5: 1 cycles:", "a", -1, 5, NONE, 1500000000, 1,
		  "cycles", "" },
	};

	(void)state;
	check_all(want, ARRAY_LEN(want));
}

static void other_lines_are_no_headers(void **state)
{
	static const char *const lines[] = {
		"", "this", "is an unknown", "a;b;c 1",
		"\t 401b97 main+0x1f (./inline-counter)",
		"bash-12 [000] .... 1.5: sched_switch: a=1",
		"chrome-2465  [000]    71.653157: drm_vblank_event: crtc=0",
		"a 5 99999999999999999999.5: cycles:",
		"a 99999999999 1.5: cycles:",
		"    c6d7895aac9 LazyCompile:~b e.<anonymous>:1 (/tmp/perf.map)",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct rec_text_header h;

		assert_false(rec_text_header(
			span_of(lines[i], strlen(lines[i])), true, &h));
	}
}

static void a_header_without_time_is_believed_only_where_asked(void **state)
{
	static const char line[] = "java 19983 cycles:";
	struct rec_text_header h;

	(void)state;
	assert_true(rec_text_header(span_of(line, sizeof(line) - 1), true, &h));
	assert_false(rec_text_header(span_of(line, sizeof(line) - 1), false,
				     &h));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_is_what_perf_script_prints),
		cmocka_unit_test(a_name_is_everything_before_the_ids),
		cmocka_unit_test(fields_may_be_missing),
		cmocka_unit_test(
			a_name_may_stand_without_ids_where_an_event_follows),
		cmocka_unit_test(what_misc_says_is_passed_over),
		cmocka_unit_test(other_lines_are_no_headers),
		cmocka_unit_test(
			a_header_without_time_is_believed_only_where_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
