/* Counters of single CPUs, put together by where these lie, and the fields of
 * perf stat -x. Expected texts are worked out by hand from the tables here. */
#include "analyze/counter/groups.h"

#include "tests/support/countertrace.h"
#include "tests/support/failalloc.h"
#include "tests/support/traceopen.h"

#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS COUNTER_MS
#define AT(ms) (COUNTER_START + (ms) * MS)

/* Two sockets; CPU 0 and 2 are of one core. */
static const struct tb_fact facts[] = {
	{ "cpu_places", "0=0/0/0/0 1=0/0/1/0 2=0/0/0/0 3=1/-/0/1" },
};

#define ON(n) { .name = "cpu-clock", .unit = "ns", .kind = TF_SERIES_COUNT,    \
		.source = TF_SERIES_PMU, .cpu = (n) + 1 }
#define SWITCHES(n) { .name = "context-switches", .kind = TF_SERIES_COUNT,     \
		      .source = TF_SERIES_PMU, .cpu = (n) + 1 }

static const struct tb_series series[] = {
	ON(0), ON(1), ON(2), ON(3),
	{ .name = "cycles", .kind = TF_SERIES_COUNT, .source = TF_SERIES_PMU },
	SWITCHES(0), SWITCHES(1), SWITCHES(2), SWITCHES(3),
};

#define BEGIN(s) { .time = AT(0), .series = s }
#define READ(ms, s, v) { .time = AT(ms), .series = s, .value = v,              \
			 .enabled = (ms) * MS, .running = (ms) * MS }
#define CLOCKS(ms) READ(ms, 0, (ms) * MS), READ(ms, 1, (ms) * MS),             \
		   READ(ms, 2, (ms) * MS), READ(ms, 3, (ms) * MS)

/* CPU 2 counted switches for half of the first second, then all the time. */
static const struct tb_reading readings[] = {
	BEGIN(0), BEGIN(1), BEGIN(2), BEGIN(3),
	{ .time = AT(0), .series = 4, .state = TF_COUNTER_NONE },
	BEGIN(5), BEGIN(6), BEGIN(7), BEGIN(8),
	CLOCKS(1000), READ(1000, 5, 10), READ(1000, 6, 20),
	{ .time = AT(1000), .series = 7, .value = 30, .enabled = 1000 * MS,
	  .running = 500 * MS },
	READ(1000, 8, 40),
	CLOCKS(2000), READ(2000, 5, 11), READ(2000, 6, 22),
	{ .time = AT(2000), .series = 7, .value = 33, .enabled = 2000 * MS,
	  .running = 1500 * MS },
	READ(2000, 8, 1040),
};
#define FIRST_SECOND 17 /* readings until then */

static const struct tb_trace one_second = {
	.series = series, .n_series = ARRAY_LEN(series),
	.readings = readings, .n_readings = FIRST_SECOND,
	.facts = facts, .n_facts = ARRAY_LEN(facts),
};
static const struct tb_trace two_seconds = {
	.series = series, .n_series = ARRAY_LEN(series),
	.readings = readings, .n_readings = ARRAY_LEN(readings),
	.facts = facts, .n_facts = ARRAY_LEN(facts),
};

struct shown {
	enum an_cpu_level level;
	bool intervals, unscaled;
	const char *separator; /* NULL: text */
};

static int show(struct an_trace *t, const struct shown *how, FILE *to,
		struct err *err)
{
	struct an_by_place g = { 0 };
	struct an_counters c = { 0 };
	struct an_stat s = { 0 };
	int rc = an_counters_load(&c, t, 0, UINT64_MAX, NULL, err);

	if (!rc)
		rc = an_stat_make(&s, t, &c, err);
	s.to = to;
	s.separator = how->separator;
	s.groups = &g;
	if (!rc && how->unscaled)
		rc = an_stat_unscale(&s, err);
	if (!rc)
		rc = an_by_place_make(&g, &s, how->level, err);
	if (!rc)
		rc = how->intervals ? an_stat_intervals(&s, err) :
				      an_stat_summary(&s, err);
	an_by_place_fini(&g);
	an_stat_fini(&s);
	an_counters_fini(&c);
	return rc;
}

static void is_shown(const struct tb_trace *t, const struct shown *how,
		     const char *want)
{
	struct trace_in_memory m = { 0 };
	struct err err = { 0 };
	char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	assert_non_null(to);
	trace_must(&m, t);
	assert_int_equal(show(m.trace, how, to, &err), 0);
	fclose(to);
	assert_string_equal(text, want);
	free(text);
	trace_fini(&m);
}

/* 10, and 30 in half of the time: 70 of 2 s. */
static void threads_of_a_core_are_added_up(void **state)
{
	const struct shown how = { .level = AN_CPU_LEVEL_CORE,
				   .separator = "," };

	(void)state;
	is_shown(&one_second, &how,
		 "S0-D0-C0,2,2000.00,msec,cpu-clock,2000000000,100.00,2.000,"
		 "CPUs utilized\n"
		 "S0-D0-C0,2,<not supported>,,cycles,0,100.00,,\n"
		 "S0-D0-C0,2,70,,context-switches,1500000000,75.00,35.000,"
		 "/sec\n"
		 "S0-D0-C1,1,1000.00,msec,cpu-clock,1000000000,100.00,1.000,"
		 "CPUs utilized\n"
		 "S0-D0-C1,1,<not supported>,,cycles,0,100.00,,\n"
		 "S0-D0-C1,1,20,,context-switches,1000000000,100.00,20.000,"
		 "/sec\n"
		 "S1-D0-C0,1,1000.00,msec,cpu-clock,1000000000,100.00,1.000,"
		 "CPUs utilized\n"
		 "S1-D0-C0,1,<not supported>,,cycles,0,100.00,,\n"
		 "S1-D0-C0,1,40,,context-switches,1000000000,100.00,40.000,"
		 "/sec\n");
}

static void without_scale_nothing_is_made_up_for(void **state)
{
	const struct shown how = { .level = AN_CPU_LEVEL_SOCKET,
				   .separator = ";", .unscaled = true };

	(void)state;
	is_shown(&one_second, &how,
		 "S0;3;3000.00;msec;cpu-clock;3000000000;100.00;3.000;"
		 "CPUs utilized\n"
		 "S0;3;<not supported>;;cycles;0;100.00;;\n"
		 "S0;3;60;;context-switches;2500000000;83.33;20.000;/sec\n"
		 "S1;1;1000.00;msec;cpu-clock;1000000000;100.00;1.000;"
		 "CPUs utilized\n"
		 "S1;1;<not supported>;;cycles;0;100.00;;\n"
		 "S1;1;40;;context-switches;1000000000;100.00;40.000;/sec\n");
}

/* By event, then by CPU. */
static void single_cpus_stand_below_their_event(void **state)
{
	const struct shown how = { .level = AN_CPU_LEVEL_ONE,
				   .separator = "|" };

	(void)state;
	is_shown(&one_second, &how,
		 "CPU0|1000.00|msec|cpu-clock|1000000000|100.00|1.000|CPUs "
		 "utilized\n"
		 "CPU1|1000.00|msec|cpu-clock|1000000000|100.00|1.000|CPUs "
		 "utilized\n"
		 "CPU2|1000.00|msec|cpu-clock|1000000000|100.00|1.000|CPUs "
		 "utilized\n"
		 "CPU3|1000.00|msec|cpu-clock|1000000000|100.00|1.000|CPUs "
		 "utilized\n"
		 "CPU0|<not supported>||cycles|0|100.00||\n"
		 "CPU1|<not supported>||cycles|0|100.00||\n"
		 "CPU2|<not supported>||cycles|0|100.00||\n"
		 "CPU3|<not supported>||cycles|0|100.00||\n"
		 "CPU0|10||context-switches|1000000000|100.00|10.000|/sec\n"
		 "CPU1|20||context-switches|1000000000|100.00|20.000|/sec\n"
		 "CPU2|60||context-switches|500000000|50.00|60.000|/sec\n"
		 "CPU3|40||context-switches|1000000000|100.00|40.000|/sec\n");
}

/* The second time 1 + 2 + 3 on node 0, and 1000 on node 1. */
static void each_interval_has_each_place(void **state)
{
	const struct shown how = { .level = AN_CPU_LEVEL_NODE,
				   .separator = ",", .intervals = true };

	(void)state;
	is_shown(&two_seconds, &how,
		 "     1.000000000,N0,3,3000.00,msec,cpu-clock,3000000000,"
		 "100.00,3.000,CPUs utilized\n"
		 "     1.000000000,N0,3,<not supported>,,cycles,0,100.00,,\n"
		 "     1.000000000,N0,3,90,,context-switches,2500000000,83.33,"
		 "30.000,/sec\n"
		 "     1.000000000,N1,1,1000.00,msec,cpu-clock,1000000000,"
		 "100.00,1.000,CPUs utilized\n"
		 "     1.000000000,N1,1,<not supported>,,cycles,0,100.00,,\n"
		 "     1.000000000,N1,1,40,,context-switches,1000000000,100.00,"
		 "40.000,/sec\n"
		 "     2.000000000,N0,3,3000.00,msec,cpu-clock,3000000000,"
		 "100.00,3.000,CPUs utilized\n"
		 "     2.000000000,N0,3,<not supported>,,cycles,0,100.00,,\n"
		 "     2.000000000,N0,3,6,,context-switches,3000000000,100.00,"
		 "2.000,/sec\n"
		 "     2.000000000,N1,1,1000.00,msec,cpu-clock,1000000000,"
		 "100.00,1.000,CPUs utilized\n"
		 "     2.000000000,N1,1,<not supported>,,cycles,0,100.00,,\n"
		 "     2.000000000,N1,1,1000,,context-switches,1000000000,"
		 "100.00,1.000,K/sec\n");
}

/* 10, 11 and 12 ms, deviation 0.577 of the mean; 74 in 11 ms. */
static void runs_have_their_mean_and_its_variance(void **state)
{
	const struct shown how = { .separator = "," };

	(void)state;
	is_shown(&countertrace_runs, &how,
		 "11.00,msec,task-clock,5.25%,11000000,100.00,0.500,CPUs "
		 "utilized\n"
		 "74,,page-faults,0.00%,11000000,100.00,6.727,K/sec\n");
}

/* By the time that passed perf has no rate. */
static void a_rate_wants_a_clock(void **state)
{
	static const struct tb_series alone[] = { SWITCHES(0) };
	static const struct tb_reading twice[] = { BEGIN(0),
						   READ(1000, 0, 5) };
	static const struct tb_trace t = { .series = alone, .n_series = 1,
					   .readings = twice,
					   .n_readings = 2 };
	const struct shown how = { .level = AN_CPU_LEVEL_ONE,
				   .separator = "," };

	(void)state;
	is_shown(&t, &how, "CPU0,5,,context-switches,1000000000,100.00,,\n");
}

static void a_cgroup_is_a_field_of_all(void **state)
{
	static const struct tb_series two[] = {
		{ .name = "context-switches", .kind = TF_SERIES_COUNT,
		  .source = TF_SERIES_PMU, .label = "web" },
		{ .name = "page-faults", .kind = TF_SERIES_COUNT,
		  .source = TF_SERIES_PMU },
	};
	static const struct tb_reading twice[] = {
		BEGIN(0), BEGIN(1), READ(1000, 0, 5), READ(1000, 1, 7),
	};
	static const struct tb_trace t = { .series = two, .n_series = 2,
					   .readings = twice,
					   .n_readings = 4 };
	const struct shown how = { .separator = "," };

	(void)state;
	is_shown(&t, &how,
		 "5,,context-switches,web,1000000000,100.00,,\n"
		 "7,,page-faults,,1000000000,100.00,,\n");
}

/* Misses have a share and a rate by instructions: 10,000 of 400,000 branches,
 * and of 3,000,000,000 instructions. */
static void a_further_metric_has_a_row_of_its_own(void **state)
{
	const struct shown how = { .separator = ",", .intervals = true };
	struct trace_in_memory m = { 0 };
	struct err err = { 0 };
	char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	(void)state;
	assert_non_null(to);
	trace_must(&m, &countertrace_pmu);
	assert_int_equal(show(m.trace, &how, to, &err), 0);
	fclose(to);
	assert_non_null(strstr(text, "10000,,branch-misses,1000000000,100.00,"
			       "2.50,of all branches\n"
			       "     1.000000000,,,,,,0.00,MPKI\n"));
	free(text);
	trace_fini(&m);
}

static void where_a_cpu_lies_must_be_told(void **state)
{
	static const char *const texts[] = {
		"", "0=0/0/0/0", "0=0/0/0/0 1", "0=0/0/0/0 1=0/0/0",
		"0=0/0/0/0 1=0/0/1/x 2=0/0/0/0 3=0/0/0/0",
		"0=0/0/0/0  1=0/0/1/0 2=0/0/0/0 3=1/0/0/1",
		"0=0/0/0/0 1=0/0/99999999999/0", "=///",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const struct tb_fact fact = { "cpu_places", texts[i] };
		const struct shown how = { .level = AN_CPU_LEVEL_CORE };
		struct tb_trace t = one_second;
		struct trace_in_memory m = { 0 };
		struct err err = { 0 };

		t.facts = &fact;
		t.n_facts = 1;
		trace_must(&m, &t);
		assert_int_equal(show(m.trace, &how, stdout, &err),
				 ERR_UNSUPPORTED);
		assert_non_null(strstr(err.text, "does not tell where"));
		trace_fini(&m);
	}
}

static void something_must_be_counted_by_cpu(void **state)
{
	const struct shown how = { .level = AN_CPU_LEVEL_CORE };
	struct trace_in_memory m = { 0 };
	struct err err = { 0 };

	(void)state;
	trace_must(&m, &countertrace_runs);
	assert_int_equal(show(m.trace, &how, stdout, &err), ERR_UNSUPPORTED);
	assert_non_null(strstr(err.text, "by CPU"));
	trace_fini(&m);
}

static void what_cannot_be_had_needs_no_place(void **state)
{
	static const struct tb_reading none[] = {
		{ .time = AT(0), .series = 4, .state = TF_COUNTER_NONE },
	};
	static const struct tb_trace t = { .series = series,
					   .n_series = ARRAY_LEN(series),
					   .readings = none, .n_readings = 1 };
	const struct shown how = { .level = AN_CPU_LEVEL_CORE,
				   .separator = "," };

	(void)state;
	is_shown(&t, &how, ",,<not supported>,,cycles,0,100.00,,\n");
}

/* -- All of it, over whatever is there -------------------------------------- */

static int show_all(struct an_trace *t, FILE *to, struct err *err)
{
	int rc = 0;

	for (int i = AN_CPU_LEVEL_ALL; i <= AN_CPU_LEVEL_NODE && !rc; i++)
		for (int k = 0; k < 8 && !rc; k++) {
			const struct shown how = {
				.level = (enum an_cpu_level)i,
				.intervals = k & 1,
				.unscaled = k & 2,
				.separator = k & 4 ? "," : NULL };

			rc = show(t, &how, to, err);
			if (rc == ERR_UNSUPPORTED)
				rc = 0;
		}
	return rc;
}

static const struct tb_trace *const traces[] = {
	&two_seconds, &countertrace_runs, &countertrace_pmu,
};

static void see(struct span in, FILE *to)
{
	struct log log = { to, "test", LOG_QUIET };
	struct an_trace *t = NULL;
	struct tf_source *source;
	struct err err = { 0 };
	int rc;

	assert_int_equal(tf_source_memory(&source, in, &err), 0);
	rc = an_trace_from(&t, source, &log, &err);
	if (!rc)
		rc = show_all(t, to, &err);
	if (rc)
		assert_true(err.text[0]);
	an_trace_close(t);
}

/* No factor in common with the 8 bytes that all is aligned to. */
#define STEP 29u

static void what_is_cut_or_flipped_is_survived(void **state)
{
	FILE *to = fopen("/dev/null", "w");

	(void)state;
	assert_non_null(to);
	for (size_t k = 0; k < ARRAY_LEN(traces); k++) {
		struct trace_in_memory m;

		assert_int_equal(trace_build(&m, traces[k]), 0);
		for (size_t n = 0; n < m.bytes.n; n += STEP) {
			uint8_t *copy = malloc(n + !n);

			assert_non_null(copy);
			memcpy(copy, m.bytes.p, n);
			see(span_of(copy, n), to);
			free(copy);
		}
		for (size_t i = 0; i < m.bytes.n; i += STEP) {
			m.bytes.p[i] ^= (uint8_t)(1u << (i & 7));
			see(span_of(m.bytes.p, m.bytes.n), to);
			m.bytes.p[i] ^= (uint8_t)(1u << (i & 7));
		}
		trace_fini(&m);
	}
	fclose(to);
}

static void no_memory_is_a_failure_like_any_other(void **state)
{
	FILE *to = fopen("/dev/null", "w");

	(void)state;
	assert_non_null(to);
	for (size_t k = 0; k < ARRAY_LEN(traces); k++) {
		struct trace_in_memory m = { 0 };
		bool hit = true;

		trace_must(&m, traces[k]);
		for (long n = 1; hit; n += 1 + n / 32) {
			struct err err = { 0 };
			int rc;

			failalloc_at(n);
			rc = show_all(m.trace, to, &err);
			hit = failalloc_hit();
			failalloc_off();
			assert_true(rc == 0 || rc == ERR_NOMEM);
			assert_true(hit || rc == 0);
		}
		trace_fini(&m);
	}
	fclose(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_of_a_core_are_added_up),
		cmocka_unit_test(without_scale_nothing_is_made_up_for),
		cmocka_unit_test(single_cpus_stand_below_their_event),
		cmocka_unit_test(each_interval_has_each_place),
		cmocka_unit_test(runs_have_their_mean_and_its_variance),
		cmocka_unit_test(a_rate_wants_a_clock),
		cmocka_unit_test(a_cgroup_is_a_field_of_all),
		cmocka_unit_test(a_further_metric_has_a_row_of_its_own),
		cmocka_unit_test(where_a_cpu_lies_must_be_told),
		cmocka_unit_test(something_must_be_counted_by_cpu),
		cmocka_unit_test(what_cannot_be_had_needs_no_place),
		cmocka_unit_test(what_is_cut_or_flipped_is_survived),
		cmocka_unit_test(no_memory_is_a_failure_like_any_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
