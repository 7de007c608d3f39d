/* Expected values are worked out in the comments of tests/support/countertrace.h
 * and below. */
#include "analyze/counter/counters.h"
#include "analyze/counter/series.h"

#include "tests/support/countertrace.h"
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
};

static void load(struct loaded *l, const struct tb_trace *t, uint64_t t_min,
		 uint64_t t_max)
{
	struct err err = { 0 };

	*l = (struct loaded){ 0 };
	trace_must(&l->m, t);
	assert_int_equal(an_counters_load(&l->c, l->m.trace, t_min, t_max, NULL,
					  &err), 0);
}

static void unload(struct loaded *l)
{
	an_counters_fini(&l->c);
	trace_fini(&l->m);
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

#define MAX_SEEN 8u

static size_t see(const struct loaded *l, uint32_t series,
		  struct an_interval v[MAX_SEEN])
{
	struct an_intervals it;
	size_t n = 0;

	an_intervals_of(&it, &l->c, series);
	while (n < MAX_SEEN && an_intervals_next(&it, &v[n]))
		n++;
	return n;
}

static size_t see_named(const struct loaded *l, const char *name,
			struct an_interval v[MAX_SEEN])
{
	return see(l, series_of(l, name), v);
}

static void near(double have, double want)
{
	assert_true(have - want <= 1e-9 * want + 1e-12);
	assert_true(want - have <= 1e-9 * want + 1e-12);
}

static double busy(const struct loaded *l, const char *name,
		   const struct an_interval *i)
{
	return an_interval_busy(l->m.trace,
				an_series_of(l->m.trace, series_of(l, name)),
				i);
}

static void a_share_is_of_the_time_that_was_measured(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &countertrace_i915, 0, UINT64_MAX);
	assert_int_equal(see_named(&l, "i915/rcs0-busy/", v), 2);
	assert_int_equal(v[0].begin_ns, AT(0));
	assert_int_equal(v[0].end_ns, AT(1000));
	assert_int_equal(an_interval_length(&v[1]), 1107 * MS);
	near(v[1].amount, 980450000);
	near(busy(&l, "i915/rcs0-busy/", &v[0]), 0.45021);
	near(busy(&l, "i915/rcs0-busy/", &v[1]), 980.45 / 1107);
	see_named(&l, "i915/bcs0-busy/", v);
	near(busy(&l, "i915/bcs0-busy/", &v[0]), 0.012105);
	unload(&l);
}

static void no_share_is_above_one(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &countertrace_i915, 0, UINT64_MAX);
	see_named(&l, "i915/vcs0-busy/", v);
	near(v[1].amount, 1107020000);
	assert_true(busy(&l, "i915/vcs0-busy/", &v[1]) == 1);
	assert_true(busy(&l, "i915/vcs0-busy/", &v[0]) == 0);
	unload(&l);
}

static void an_integral_is_divided_by_the_seconds_between(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &countertrace_i915, 0, UINT64_MAX);
	assert_int_equal(see_named(&l, "i915/actual-frequency/", v), 2);
	near(v[0].amount, 1150);
	near(v[1].amount, 1273 / 1.107);
	unload(&l);
}

static void a_sum_is_not_divided(void **state)
{
	static const struct tb_series series[] = {
		{ .name = "xe_0/gt-actual-frequency/", .unit = "MHz",
		  .kind = TF_SERIES_SUM, .source = TF_SERIES_PMU },
	};
	static const struct tb_reading readings[] = {
		{ .time = AT(0), .value = 300 },
		{ .time = AT(500), .value = 300 + 1200 },
		{ .time = AT(2500), .value = 300 + 1200 + 850 },
	};
	static const struct tb_trace t = { .series = series, .n_series = 1,
					   .readings = readings,
					   .n_readings = 3 };
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &t, 0, UINT64_MAX);
	assert_int_equal(see(&l, 0, v), 2);
	near(v[0].amount, 1200);
	near(v[1].amount, 850);
	unload(&l);
}

static void what_took_turns_is_multiplied(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &countertrace_pmu, 0, UINT64_MAX);
	assert_int_equal(see_named(&l, "branches", v), 2);
	near(v[0].share, 0.625);
	near(v[0].amount, 400000); /* 250,000 / 0.625 */
	near(v[1].share, 1);
	near(v[1].amount, 0);
	unload(&l);
}

static void what_never_ran_was_not_counted(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &countertrace_pmu, 0, UINT64_MAX);
	assert_int_equal(see_named(&l, "branch-misses", v), 2);
	assert_int_equal(v[0].state, AN_INTERVAL_READ);
	assert_int_equal(v[1].state, AN_INTERVAL_NOT_COUNTED);
	near(v[1].share, 0);
	unload(&l);
}

static void a_scale_is_applied(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &countertrace_pmu, 0, UINT64_MAX);
	assert_int_equal(see_named(&l, "power/energy-pkg/", v), 2);
	near(v[0].amount, 12.5); /* 51,200 / 4,096 */
	near(v[1].amount, 7.5);
	unload(&l);
}

static void a_step_back_tells_nothing_and_is_a_new_begin(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &countertrace_pmu, 0, UINT64_MAX);
	assert_int_equal(see_named(&l, "page-faults", v), 2);
	near(v[0].amount, 500);
	assert_int_equal(v[1].state, AN_INTERVAL_BACK);
	near(v[1].amount, 0);
	unload(&l);
}

static void what_happened_beside_a_failed_reading_is_in_the_next(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &countertrace_pmu, 0, UINT64_MAX);
	assert_int_equal(see_named(&l, "context-switches", v), 2);
	assert_int_equal(v[0].state, AN_INTERVAL_FAILED);
	assert_int_equal(v[0].end_ns, AT(1000));
	assert_int_equal(v[1].state, AN_INTERVAL_READ);
	assert_int_equal(v[1].begin_ns, AT(0));
	near(v[1].amount, 30);
	assert_int_equal(see_named(&l, "mem-loads", v), 1);
	assert_int_equal(v[0].state, AN_INTERVAL_NONE);
	unload(&l);
}

static void of_fdinfo_the_greatest_value_counts(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &countertrace_clients, 0, UINT64_MAX);
	assert_int_equal(see_named(&l, "drm-engine", v), 3);
	near(v[0].amount, 400e6);
	assert_int_equal(v[1].state, AN_INTERVAL_BACK);
	assert_int_equal(v[1].end_ns, AT(1500));
	/* 5,500 - 5,400, since the reading that said 5,400 */
	near(v[2].amount, 100e6);
	assert_int_equal(v[2].begin_ns, AT(1000));
	unload(&l);
}

static void capacity_divides_a_share(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &countertrace_clients, 0, UINT64_MAX);
	assert_int_equal(see(&l, 1, v), 2);
	near(an_interval_busy(l.m.trace, an_series_of(l.m.trace, 1), &v[0]),
	     0.5);
	unload(&l);
}

static void a_level_is_the_later_one_and_the_first_has_no_length(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;
	double level;

	(void)state;
	load(&l, &countertrace_clients, 0, UINT64_MAX);
	assert_int_equal(see_named(&l, "gpu-busy", v), 3);
	assert_int_equal(an_interval_length(&v[0]), 0);
	near(v[0].amount, 10);
	near(v[1].amount, 90);
	near(v[2].amount, 50);
	assert_true(an_counters_level_at(&l.c, series_of(&l, "gpu-busy"),
					 AT(1999), &level));
	near(level, 90);
	assert_false(an_counters_level_at(&l.c, series_of(&l, "gpu-busy"),
					  AT(0) - 1, &level));
	unload(&l);
}

static void what_is_gone_has_no_amount(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &countertrace_clients, 0, UINT64_MAX);
	assert_int_equal(see_named(&l, "drm-cycles", v), 2);
	assert_int_equal(v[0].state, AN_INTERVAL_READ);
	assert_int_equal(v[1].state, AN_INTERVAL_GONE);
	unload(&l);
}

static void a_selected_time_has_the_same_intervals(void **state)
{
	struct an_interval all[MAX_SEEN], some[MAX_SEEN];
	struct loaded whole, part;

	(void)state;
	load(&whole, &countertrace_i915, 0, UINT64_MAX);
	load(&part, &countertrace_i915, AT(1500), AT(3000));
	for (uint32_t i = 0; i < an_n_series(whole.m.trace); i++) {
		assert_int_equal(see(&whole, i, all), 2);
		assert_int_equal(see(&part, i, some), 1);
		assert_int_equal(all[1].begin_ns, some[0].begin_ns);
		assert_true(all[1].amount == some[0].amount);
	}
	assert_int_equal(part.c.t_min, AT(2107));
	unload(&whole);
	unload(&part);
}

static void a_selected_time_knows_the_greatest_of_before(void **state)
{
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &countertrace_clients, AT(1600), UINT64_MAX);
	assert_int_equal(see_named(&l, "drm-engine", v), 1);
	near(v[0].amount, 100e6);
	assert_int_equal(v[0].begin_ns, AT(1000));
	unload(&l);
}

static void series_of_two_epochs_are_one(void **state)
{
	struct loaded l;
	size_t n;

	(void)state;
	load(&l, &countertrace_pmu, 0, UINT64_MAX);
	assert_int_equal(an_n_series(l.m.trace), CT_ENERGY + 1);
	assert_non_null(an_counters_of(&l.c, series_of(&l, "cycles"), &n));
	assert_int_equal(n, 3);
	assert_int_equal(l.c.nameless, 0);
	unload(&l);
}

static bool *choose(struct loaded *l, const struct an_selection_args *args,
		    int want)
{
	struct err err = { 0 };
	bool *marks = NULL;

	assert_int_equal(an_series_choose(&marks, args, l->m.trace, &err),
			 want);
	return marks;
}

static void series_are_chosen_by_name_process_and_label(void **state)
{
	const char *name[] = { "drm-*" }, *pid[] = { "4242" };
	const char *comm[] = { "game" }, *none[] = { "no-such" };
	struct an_selection_args args = { .event = { .items = name, .n = 1 },
					  .pid = { .items = pid, .n = 1 } };
	struct loaded l;
	bool *marks;

	(void)state;
	load(&l, &countertrace_clients, 0, UINT64_MAX);
	marks = choose(&l, &args, 0);
	for (uint32_t i = 0; i < an_n_series(l.m.trace); i++)
		assert_int_equal(marks[i], i < 3);
	free(marks);
	args = (struct an_selection_args){
		.comm = { .items = comm, .n = 1 }
	};
	marks = choose(&l, &args, 0);
	for (uint32_t i = 0; i < an_n_series(l.m.trace); i++)
		assert_int_equal(marks[i], i == 3 || i == 4);
	free(marks);
	args = (struct an_selection_args){
		.event = { .items = none, .n = 1 }
	};
	choose(&l, &args, ERR_USAGE);
	args = (struct an_selection_args){
		.symbol = { .items = none, .n = 1 }
	};
	choose(&l, &args, ERR_USAGE);
	unload(&l);
}

static void differences_of_any_values_are_defined(void **state)
{
	static const struct tb_series series[] = {
		{ .name = "a", .unit = "ns", .kind = TF_SERIES_COUNT,
		  .scale = 1e308, .source = TF_SERIES_PMU },
		{ .name = "b", .unit = "", .kind = TF_SERIES_INTEGRAL },
		{ .name = "c", .unit = "", .kind = (enum tf_series_kind)9 },
	};
	static const struct tb_reading readings[] = {
		{ .time = 0, .series = 0, .value = INT64_MIN },
		{ .time = UINT64_MAX, .series = 0, .value = INT64_MAX },
		{ .time = 5, .series = 1, .value = 1 },
		{ .time = 5, .series = 1, .value = 2 },
		{ .time = 5, .series = 2, .value = 1 },
		{ .time = 6, .series = 2, .value = 2 },
	};
	static const struct tb_trace t = { .series = series, .n_series = 3,
					   .readings = readings,
					   .n_readings = 6 };
	struct an_interval v[MAX_SEEN];
	struct loaded l;

	(void)state;
	load(&l, &t, 0, UINT64_MAX);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(see(&l, i, v), 1);
		assert_int_equal(v[0].state, AN_INTERVAL_FAILED);
	}
	unload(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_share_is_of_the_time_that_was_measured),
		cmocka_unit_test(no_share_is_above_one),
		cmocka_unit_test(an_integral_is_divided_by_the_seconds_between),
		cmocka_unit_test(a_sum_is_not_divided),
		cmocka_unit_test(what_took_turns_is_multiplied),
		cmocka_unit_test(what_never_ran_was_not_counted),
		cmocka_unit_test(a_scale_is_applied),
		cmocka_unit_test(a_step_back_tells_nothing_and_is_a_new_begin),
		cmocka_unit_test(
			what_happened_beside_a_failed_reading_is_in_the_next),
		cmocka_unit_test(of_fdinfo_the_greatest_value_counts),
		cmocka_unit_test(capacity_divides_a_share),
		cmocka_unit_test(
			a_level_is_the_later_one_and_the_first_has_no_length),
		cmocka_unit_test(what_is_gone_has_no_amount),
		cmocka_unit_test(a_selected_time_has_the_same_intervals),
		cmocka_unit_test(a_selected_time_knows_the_greatest_of_before),
		cmocka_unit_test(series_of_two_epochs_are_one),
		cmocka_unit_test(series_are_chosen_by_name_process_and_label),
		cmocka_unit_test(differences_of_any_values_are_defined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
