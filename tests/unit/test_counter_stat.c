/* What analyze stat is made of. Expected values are worked out by hand from the
 * tables of tests/support/countertrace.c. */
#include "analyze/counter/amount.h"
#include "analyze/counter/engine.h"
#include "analyze/counter/stat.h"
#include "analyze/rewrite/keep.h"

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

struct loaded {
	struct trace_in_memory m;
	struct an_counters c;
	struct an_stat s;
};

static void load(struct loaded *l, const struct tb_trace *t)
{
	struct err err = { 0 };

	*l = (struct loaded){ 0 };
	trace_must(&l->m, t);
	assert_int_equal(an_counters_load(&l->c, l->m.trace, 0, UINT64_MAX,
					  NULL, &err), 0);
	assert_int_equal(an_stat_make(&l->s, l->m.trace, &l->c, &err), 0);
}

static void unload(struct loaded *l)
{
	an_stat_fini(&l->s);
	an_counters_fini(&l->c);
	trace_fini(&l->m);
}

static void near(double have, double want)
{
	double apart = have > want ? have - want : want - have;

	assert_true(apart <= 1e-9 * (want < 0 ? -want : want) + 1e-12);
}

static uint32_t series_of(const struct loaded *l, const char *name)
{
	for (uint32_t i = 0; i < an_n_series(l->m.trace); i++)
		if (strcmp(an_text(l->m.trace,
				   an_series_of(l->m.trace, i)->name), name)
		    == 0)
			return i;
	fail_msg("no series '%s'", name);
	return 0;
}

/* The row of a series in a tick. */
static struct an_stat_row row_of(const struct loaded *l, const char *name,
				 uint32_t tick)
{
	const struct an_tick_row *r = an_ticks_find(&l->s.ticks, tick,
						    series_of(l, name));
	struct an_stat_row row;

	assert_non_null(r);
	an_stat_row_of_tick(&row, &l->s, r);
	return row;
}

static void is_metric(const struct an_stat_row *r, size_t i, double value,
		      const char *unit)
{
	assert_true(i < r->n_metrics);
	near(r->metrics[i].value, value);
	assert_string_equal(r->metrics[i].unit, unit);
}

static void thousands_are_apart(void **state)
{
	static const struct {
		double value;
		unsigned decimals;
		const char *text;
	} cases[] = {
		{ 0, 0, "0" }, { 999, 0, "999" }, { 1000, 0, "1,000" },
		{ 1234567, 0, "1,234,567" }, { 450.21, 3, "450.210" },
		{ 1107.02, 3, "1,107.020" }, { -1234.5, 2, "-1,234.50" },
		{ -123, 0, "-123" }, { -1e-15, 2, "0.00" },
		{ 123456789012345, 0, "123,456,789,012,345" },
		{ 1e15, 0, "1e+15" }, { 1e308, 3, "1e+308" },
	};
	char text[AN_AMOUNT_TEXT];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		an_number_text(text, cases[i].value, cases[i].decimals);
		assert_string_equal(text, cases[i].text);
	}
}

/* 10, 11, 12: deviations -1, 0, 1; variance 2 / 2, of the mean 1 / 3. */
static void a_spread_is_the_standard_error_by_the_mean(void **state)
{
	const double v[] = { 10, 11, 12 };
	double mean, spread;

	(void)state;
	an_spread(v, 3, &mean, &spread);
	near(mean, 11);
	near(spread, 0.57735026918962576 / 11);
	an_spread(v, 1, &mean, &spread);
	near(mean, 10);
	near(spread, 0);
	an_spread(v, 0, &mean, &spread);
	near(mean, 0);
}

static void what_is_read_at_one_moment_is_a_tick(void **state)
{
	static const struct tb_series series[] = {
		{ .name = "a", .kind = TF_SERIES_COUNT },
		{ .name = "b", .kind = TF_SERIES_COUNT },
	};
	/* The second one is read 20 us later, but once 30 us before. */
	static const struct tb_reading readings[] = {
		{ .time = AT(0), .series = 0 },
		{ .time = AT(0) + 20000, .series = 1 },
		{ .time = AT(100), .series = 0, .value = 1 },
		{ .time = AT(100) + 20000, .series = 1, .value = 1 },
		{ .time = AT(200), .series = 0, .value = 2 },
		{ .time = AT(200) - 30000, .series = 1, .value = 2 },
	};
	static const struct tb_trace t = { .series = series, .n_series = 2,
					   .readings = readings,
					   .n_readings = 6 };
	struct loaded l;

	(void)state;
	load(&l, &t);
	assert_int_equal(l.s.ticks.n_ticks, 2);
	assert_int_equal(l.s.ticks.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(l.s.ticks.v[i].tick, i / 2);
		assert_int_equal(l.s.ticks.v[i].series, i % 2);
	}
	unload(&l);
}

/* 1 to 200 ms, each once: the 100th and the 198th. */
static void jitter_is_told_by_rank(void **state)
{
	static const struct tb_series series[] = {
		{ .name = "a", .kind = TF_SERIES_COUNT,
		  .source = TF_SERIES_PMU },
	};
	struct tb_reading readings[201] = { { .time = AT(0) } };
	const struct tb_trace t = { .series = series, .n_series = 1,
				    .readings = readings, .n_readings = 201 };
	struct an_jitter j;
	struct loaded l;
	struct err err = { 0 };

	(void)state;
	for (size_t i = 1; i < 201; i++)
		readings[i].time = readings[i - 1].time + (201 - i) * MS;
	load(&l, &t);
	assert_int_equal(an_jitter_of(&l.c, TF_SERIES_PMU, &j, &err), 0);
	assert_int_equal(j.n, 200);
	assert_int_equal(j.shortest_ns, MS);
	assert_int_equal(j.p50_ns, 100 * MS);
	assert_int_equal(j.p99_ns, 199 * MS);
	assert_int_equal(j.longest_ns, 200 * MS);
	assert_int_equal(an_jitter_of(&l.c, TF_SERIES_NVML, &j, &err), 0);
	assert_int_equal(j.n, 0);
	unload(&l);
}

static void metrics_are_of_what_was_counted_together(void **state)
{
	struct an_stat_row r;
	struct loaded l;
	uint32_t t = 1; /* tick 0 has what cannot be had */

	(void)state;
	load(&l, &countertrace_pmu);
	r = row_of(&l, "cpu-clock", t);
	is_metric(&r, 0, 1, "CPUs utilized");
	r = row_of(&l, "cycles", t);
	is_metric(&r, 0, 2, "GHz");
	r = row_of(&l, "instructions", t);
	is_metric(&r, 0, 1.5, "insn per cycle");
	r = row_of(&l, "branch-misses", t);
	is_metric(&r, 0, 2.5, "of all branches"); /* 10,000 of 400,000 */
	is_metric(&r, 1, 10000 / 3e9 * 1000, "MPKI");
	r = row_of(&l, "branches", t);
	is_metric(&r, 0, 400, "K/sec");
	r = row_of(&l, "power/energy-pkg/", t);
	is_metric(&r, 0, 12.5, "W");
	r = row_of(&l, "instructions", t + 1);
	is_metric(&r, 0, 0.5, "insn per cycle");
	r = row_of(&l, "branch-misses", t + 1);
	assert_int_equal(r.n_metrics, 0);
	unload(&l);
}

static void a_peer_has_the_same_pmu_and_modifiers(void **state)
{
	static const struct tb_series series[] = {
		{ .name = "cpu_core/instructions/u", .kind = TF_SERIES_COUNT,
		  .source = TF_SERIES_PMU, .device = "cpu_core" },
		{ .name = "cpu_core/cycles/u", .kind = TF_SERIES_COUNT,
		  .source = TF_SERIES_PMU, .device = "cpu_core" },
		{ .name = "cpu_atom/instructions/u", .kind = TF_SERIES_COUNT,
		  .source = TF_SERIES_PMU, .device = "cpu_atom" },
		{ .name = "LLC-load-misses:u", .kind = TF_SERIES_COUNT,
		  .source = TF_SERIES_PMU },
		{ .name = "LLC-loads:u", .kind = TF_SERIES_COUNT,
		  .source = TF_SERIES_PMU },
	};
	struct tb_reading readings[10];
	const struct tb_trace t = { .series = series, .n_series = 5,
				    .readings = readings, .n_readings = 10 };
	struct an_stat_row r;
	struct loaded l;

	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		readings[i] = (struct tb_reading){
			.time = i < 5 ? AT(0) : AT(1000),
			.series = i % 5,
			.value = i < 5 ? 0 : 1000 * (i + 1),
		};
	load(&l, &t);
	r = row_of(&l, "cpu_core/instructions/u", 0);
	is_metric(&r, 0, 6000.0 / 7000, "insn per cycle");
	r = row_of(&l, "cpu_atom/instructions/u", 0);
	is_metric(&r, 0, 8, "K/sec");
	r = row_of(&l, "LLC-load-misses:u", 0);
	is_metric(&r, 0, 90, "of all LLC-loads");
	unload(&l);
}

/* 250,000 in 1,625 of 2,000 ms that it was on. */
static void a_total_is_multiplied_by_all_of_its_time(void **state)
{
	const struct an_total *v;
	struct loaded l;

	(void)state;
	load(&l, &countertrace_pmu);
	v = an_totals_find(&l.s.totals, series_of(&l, "branches"));
	near(v->amount, 250000 * 2000.0 / 1625);
	near(v->share, 0.8125);
	v = an_totals_find(&l.s.totals, series_of(&l, "page-faults"));
	near(v->amount, 500);
	assert_int_equal(v->unknown, 1);
	v = an_totals_find(&l.s.totals, series_of(&l, "mem-loads"));
	assert_int_equal(v->state, AN_INTERVAL_NONE);
	unload(&l);
}

/* 1150 MHz for 1.000 s, 1273 / 1.107 for 1.107 s: 2423 / 2.107. */
static void a_level_over_all_is_its_mean_by_time(void **state)
{
	const struct an_total *v;
	struct loaded l;

	(void)state;
	load(&l, &countertrace_i915);
	v = an_totals_find(&l.s.totals,
			   series_of(&l, "i915/actual-frequency/"));
	near(v->amount, 2423 / 2.107);
	near(v->least, 1273 / 1.107);
	near(v->most, 1150);
	unload(&l);
}

static void runs_have_a_mean_and_a_spread(void **state)
{
	struct an_stat_row r;
	struct loaded l;

	(void)state;
	load(&l, &countertrace_runs);
	assert_false(an_stat_has_intervals(&l.s));
	assert_int_equal(l.s.totals.runs, 3);
	assert_int_equal(l.s.totals.n_repeats, 5);
	near(l.s.totals.repeats[0].mean, 11 * (double)MS);
	near(l.s.totals.repeats[0].spread, 0.57735026918962576 / 11);
	near(l.s.totals.repeats[1].mean, 74);
	near(l.s.totals.repeats[1].spread, 0);
	near(l.s.totals.elapsed_ns[3], 24 * (double)MS);
	an_stat_row_of_repeat(&r, &l.s, &l.s.totals.repeats[0]);
	is_metric(&r, 0, 0.5, "CPUs utilized");
	unload(&l);
}

/* The same event in two cgroups, twice: means of 2 and of 20. */
static void runs_in_two_cgroups_are_apart(void **state)
{
#define IN(group, n)                                                           \
	{ .name = "context-switches", .kind = TF_SERIES_COUNT,                 \
	  .source = TF_SERIES_PMU, .label = group, .run = n }
	static const struct tb_series series[] = {
		IN("a", 1), IN("b", 1), IN("a", 2), IN("b", 2),
	};
	static const struct tb_reading readings[] = {
		{ .time = AT(0), .series = 0 },
		{ .time = AT(0), .series = 1 },
		{ .time = AT(10), .series = 0, .value = 1 },
		{ .time = AT(10), .series = 1, .value = 10 },
		{ .time = AT(20), .series = 2 },
		{ .time = AT(20), .series = 3 },
		{ .time = AT(30), .series = 2, .value = 3 },
		{ .time = AT(30), .series = 3, .value = 30 },
	};
#undef IN
	static const struct tb_trace t = { .series = series, .n_series = 4,
					   .readings = readings,
					   .n_readings = 8 };
	struct loaded l;

	(void)state;
	load(&l, &t);
	assert_int_equal(l.s.totals.n_repeats, 2);
	near(l.s.totals.repeats[0].mean, 2);
	near(l.s.totals.repeats[1].mean, 20);
	unload(&l);
}

struct want_engine {
	const char *name;
	enum an_engine_kind kind;
	double busy_ms;
	uint64_t known_ms, unknown;
	double busiest;
};

static void engines_are_as_busy_as_their_clients(void **state)
{
	static const struct want_engine want[] = {
		/* 400 of 1,000 ms, then 100 of the 1,000 ms after it */
		{ "render", AN_ENGINE_TIME, 500, 2000, 1, 0.4 },
		/* 1,000 ms by two engines in 1,000 ms, then nothing */
		{ "video", AN_ENGINE_TIME, 500, 2000, 0, 0.5 },
		/* 4.8 M of 19.2 M cycles in 1,000 ms, then gone */
		{ "rcs", AN_ENGINE_CYCLES, 250, 1000, 0, 0.25 },
		/* 300 M of 600 M cycles a second */
		{ "gpu", AN_ENGINE_CLOCK, 1000, 2000, 0, 0.5 },
		/* 90 % for a second, then 50 % */
		{ "gpu", AN_ENGINE_PERCENT, 1400, 2000, 0, 0.9 },
	};
	char name[AN_ENGINE_NAME];
	struct an_engine_use u;
	struct an_engines e;
	struct loaded l;
	struct err err = { 0 };

	(void)state;
	load(&l, &countertrace_clients);
	assert_int_equal(an_engines_find(&e, l.m.trace, NULL, &err), 0);
	assert_int_equal(e.n, ARRAY_LEN(want));
	for (size_t i = 0; i < e.n; i++) {
		an_engine_name(l.m.trace, &e.v[i], name);
		an_engine_sum(&l.c, &e.v[i], &u);
		assert_string_equal(name, want[i].name);
		assert_int_equal(e.v[i].kind, want[i].kind);
		near(u.busy_ns, want[i].busy_ms * 1e6);
		assert_int_equal(u.known_ns, want[i].known_ms * MS);
		assert_int_equal(u.unknown, want[i].unknown);
		near(u.busiest, want[i].busiest);
	}
	an_engines_fini(&e);
	unload(&l);
}

static void an_engine_of_a_pmu_is_named_by_its_event(void **state)
{
	char name[AN_ENGINE_NAME];
	struct an_engines e;
	struct loaded l;
	struct err err = { 0 };

	(void)state;
	load(&l, &countertrace_i915);
	assert_int_equal(an_engines_find(&e, l.m.trace, NULL, &err), 0);
	assert_int_equal(e.n, 3);
	an_engine_name(l.m.trace, &e.v[0], name);
	assert_string_equal(name, "rcs0");
	an_engines_fini(&e);
	unload(&l);
}

/* -- All of it, over whatever is there -------------------------------------- */

static int show(struct an_stat *s, FILE *to, struct err *err)
{
	int rc = 0;

	s->to = to;
	s->per_run = true;
	for (int f = AN_FORMAT_TEXT; f <= AN_FORMAT_JSON && !rc; f++) {
		s->format = (enum an_format)f;
		rc = an_stat_intervals(s, err);
		if (!rc)
			rc = an_stat_summary(s, err);
		for (int by = AN_BY_CLIENT; by <= AN_BY_DEVICE && !rc; by++)
			rc = an_stat_usage(s, (enum an_stat_by)by, NULL, NULL,
					   err);
	}
	return rc;
}

/* What a cut looks for, too. */
static int use(struct an_trace *t, FILE *to, struct err *err)
{
	struct an_selection sel = { .t_min = AT(500), .t_max = UINT64_MAX,
				    .t = t, .any = true };
	struct an_counters c = { 0 };
	struct an_stat s = { 0 };
	struct an_keep *keep = NULL;
	int rc = an_counters_load(&c, t, 0, UINT64_MAX, NULL, err);

	if (!rc)
		rc = an_stat_make(&s, t, &c, err);
	if (!rc)
		rc = show(&s, to, err);
	if (!rc)
		rc = an_keep_new(&keep, t, &sel, err);
	an_keep_free(keep);
	an_stat_fini(&s);
	an_counters_fini(&c);
	return rc;
}

static const struct tb_trace *const traces[] = {
	&countertrace_i915, &countertrace_pmu, &countertrace_runs,
	&countertrace_clients,
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
		rc = use(t, to, &err);
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
		/* Later ones are mostly rows of tables, one like another. */
		for (long n = 1; hit; n += 1 + n / 32) {
			struct err err = { 0 };
			int rc;

			failalloc_at(n);
			rc = use(m.trace, to, &err);
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
		cmocka_unit_test(thousands_are_apart),
		cmocka_unit_test(a_spread_is_the_standard_error_by_the_mean),
		cmocka_unit_test(what_is_read_at_one_moment_is_a_tick),
		cmocka_unit_test(jitter_is_told_by_rank),
		cmocka_unit_test(metrics_are_of_what_was_counted_together),
		cmocka_unit_test(a_peer_has_the_same_pmu_and_modifiers),
		cmocka_unit_test(a_total_is_multiplied_by_all_of_its_time),
		cmocka_unit_test(a_level_over_all_is_its_mean_by_time),
		cmocka_unit_test(runs_have_a_mean_and_a_spread),
		cmocka_unit_test(runs_in_two_cgroups_are_apart),
		cmocka_unit_test(engines_are_as_busy_as_their_clients),
		cmocka_unit_test(an_engine_of_a_pmu_is_named_by_its_event),
		cmocka_unit_test(what_is_cut_or_flipped_is_survived),
		cmocka_unit_test(no_memory_is_a_failure_like_any_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
