#include "analyze/findings/show.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/findingtrace.h"
#include "tests/support/traceopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define S 1000000000ull
#define START (100 * S)

/* A series that is read at 0, 1 and 2 s. Levels and means are `value` each time;
 * of a count that much happens in each second. */
struct line {
	struct tb_series s;
	int64_t value;
};
#define LINES 8

#define CARD "0000:18:00.0"
#define NV(nm, prt, un, knd, v)                                                \
	{ { .name = nm, .part = prt, .unit = un, .kind = knd,                  \
	    .source = TF_SERIES_NVML, .device = CARD }, v }
#define NV_MEAN(nm, prt, v) NV(nm, prt, "%", TF_SERIES_MEAN, v)
#define NV_LEVEL(nm, prt, v) NV(nm, prt, "", TF_SERIES_LEVEL, v)
#define I915(nm, prt, un, knd, v)                                              \
	{ { .name = nm, .part = prt, .unit = un, .kind = knd,                  \
	    .source = TF_SERIES_SYSFS, .device = CARD }, v }
#define CLIENT(p, id, v)                                                       \
	{ { .name = "drm-engine", .part = "render", .unit = "ns",              \
	    .kind = TF_SERIES_COUNT, .source = TF_SERIES_FDINFO,               \
	    .device = CARD, .pid = p, .client = id, .label = "glxgears" },     \
	  (v) * (int64_t)(S / 1000) }
#define PMU(nm, un, knd, v)                                                    \
	{ { .name = "i915/" nm "/", .unit = un, .kind = knd,                   \
	    .source = TF_SERIES_PMU, .device = "i915" }, v }
#define GIB(n) ((int64_t)(n) << 30)

struct found {
	struct trace_in_memory m;
	struct tb_series series[LINES];
	struct tb_reading readings[3 * LINES];
	struct an_counters c;
	struct an_findings f;
};

static bool grows(enum tf_series_kind kind)
{
	return kind == TF_SERIES_COUNT || kind == TF_SERIES_INTEGRAL ||
	       kind == TF_SERIES_SUM;
}

static void look(struct found *x, const struct line *lines, size_t n)
{
	struct tb_trace t = { .series = x->series, .n_series = n,
			      .readings = x->readings, .n_readings = 3 * n };
	struct an_trace *trace;

	*x = (struct found){ .f = { 0 } };
	for (size_t i = 0; i < 3 * n; i++) {
		const struct line *l = &lines[i % n];
		int64_t at = (int64_t)(i / n);

		x->series[i % n] = l->s;
		x->readings[i] = (struct tb_reading){
			.time = START + (uint64_t)at * S,
			.series = (uint32_t)(i % n),
			.value = grows(l->s.kind) ? at * l->value : l->value };
	}
	trace = trace_must(&x->m, &t);
	assert_int_equal(an_counters_load(&x->c, trace, 0, UINT64_MAX, NULL,
					  &x->m.err), 0);
	assert_int_equal(an_findings_make(&x->f, trace, &x->c, &x->m.err), 0);
}

static void end(struct found *x)
{
	an_findings_fini(&x->f);
	an_counters_fini(&x->c);
	trace_fini(&x->m);
}

/* How often a rule found something; -1: it could not look; -2: it did not. */
static int of_rule(const struct found *x, const char *rule)
{
	int n = 0;

	for (size_t i = 0; i < x->f.n; i++)
		n += strcmp(x->f.v[i].rule->name, rule) == 0;
	for (size_t i = 0; i < x->f.n_checks && !n; i++)
		if (strcmp(x->f.checks[i].rule->name, rule) == 0)
			return x->f.checks[i].looked == AN_LOOKED_NOT ? -1 : 0;
	return n ? n : -2;
}

static void check_lines(const struct line *lines, size_t n, const char *rule,
			int want)
{
	struct found x;

	look(&x, lines, n);
	assert_int_equal(of_rule(&x, rule), want);
	end(&x);
}
#define CHECK(rule, want, ...)                                                 \
	check_lines((const struct line[]){ __VA_ARGS__ },                      \
		    ARRAY_LEN(((const struct line[]){ __VA_ARGS__ })), rule,   \
		    want)

static void small_kernels_are_told_from_work(void **state)
{
	(void)state;
	CHECK("launch-bound", 1, NV_MEAN("utilization", "gpu", 80),
	      NV_MEAN("sm-active", "", 29));
	CHECK("launch-bound", 0, NV_MEAN("utilization", "gpu", 79),
	      NV_MEAN("sm-active", "", 29));
	CHECK("launch-bound", 0, NV_MEAN("utilization", "gpu", 80),
	      NV_MEAN("sm-active", "", 30));
	CHECK("launch-bound", -1, NV_MEAN("utilization", "gpu", 80));
}

/* 1583 of 1980 MHz are just less than 80 %; 1584 are 80 %. */
static void a_clock_that_is_held_down_names_why(void **state)
{
	(void)state;
	CHECK("throttled", 1, NV_MEAN("utilization", "gpu", 90),
	      NV_LEVEL("clock", "sm", 1583), NV_LEVEL("clock-max", "sm", 1980),
	      NV_LEVEL("throttle-reasons", "", 4));
	CHECK("throttled", 0, NV_MEAN("utilization", "gpu", 90),
	      NV_LEVEL("clock", "sm", 1584), NV_LEVEL("clock-max", "sm", 1980),
	      NV_LEVEL("throttle-reasons", "", 4));
	CHECK("throttled", 0, NV_MEAN("utilization", "gpu", 89),
	      NV_LEVEL("clock", "sm", 1583), NV_LEVEL("clock-max", "sm", 1980),
	      NV_LEVEL("throttle-reasons", "", 4));
	/* Idle and a clock that the user has set are no throttling. */
	CHECK("throttled", 0, NV_MEAN("utilization", "gpu", 90),
	      NV_LEVEL("clock", "sm", 1000), NV_LEVEL("clock-max", "sm", 1980),
	      NV_LEVEL("throttle-reasons", "", 3));
	/* A limit of the board, and a bit that no header has yet. */
	CHECK("throttled", 1, NV_MEAN("utilization", "gpu", 90),
	      NV_LEVEL("clock", "sm", 100), NV_LEVEL("clock-max", "sm", 1980),
	      NV_LEVEL("throttle-reasons", "", 512));
	CHECK("throttled", 1, NV_MEAN("utilization", "gpu", 90),
	      NV_LEVEL("clock", "sm", 100), NV_LEVEL("clock-max", "sm", 1980),
	      NV_LEVEL("throttle-reasons", "", 4096));
	CHECK("throttled", 1, NV_MEAN("utilization", "gpu", 90),
	      NV_LEVEL("clock", "sm", 1000), NV_LEVEL("clock-max", "sm", 1980));
	CHECK("throttled", -1, NV_MEAN("utilization", "gpu", 90),
	      NV_LEVEL("clock", "sm", 1000));
}

static void memory_that_is_waited_for_is_found(void **state)
{
	(void)state;
	CHECK("memory-bound", 1, NV_MEAN("dram-active", "", 70),
	      NV_MEAN("tensor-active", "", 29), NV_MEAN("fp32-active", "", 10));
	CHECK("memory-bound", 0, NV_MEAN("dram-active", "", 69),
	      NV_MEAN("tensor-active", "", 29));
	CHECK("memory-bound", 0, NV_MEAN("dram-active", "", 70),
	      NV_MEAN("tensor-active", "", 10), NV_MEAN("fp32-active", "", 30));
	CHECK("memory-bound", -1, NV_MEAN("dram-active", "", 70));
}

static void transfers_that_are_waited_for_are_found(void **state)
{
	(void)state;
	CHECK("pcie-bound", 1,
	      NV("pcie-rx", "", "MiB/s", TF_SERIES_MEAN, 10240),
	      NV_MEAN("sm-active", "", 29));
	CHECK("pcie-bound", 0,
	      NV("pcie-rx", "", "MiB/s", TF_SERIES_MEAN, 10239),
	      NV_MEAN("sm-active", "", 29));
	CHECK("pcie-bound", 1,
	      NV("pcie-tx", "", "KB/s", TF_SERIES_MEAN, 10485760),
	      NV_MEAN("sm-active", "", 0));
	CHECK("pcie-bound", 0,
	      NV("pcie-tx", "", "KB/s", TF_SERIES_MEAN, 10485760),
	      NV_MEAN("sm-active", "", 30));
	CHECK("pcie-bound", -1, NV_MEAN("sm-active", "", 30));
}

static void memory_that_runs_out_is_found(void **state)
{
	(void)state;
	CHECK("memory-full", 1, NV_LEVEL("memory-used", "", GIB(95)),
	      NV_LEVEL("memory-total", "", GIB(100)));
	CHECK("memory-full", 0, NV_LEVEL("memory-used", "", GIB(94)),
	      NV_LEVEL("memory-total", "", GIB(100)));
	/* What is reserved nobody can have. */
	CHECK("memory-full", 1, NV_LEVEL("memory-used", "", GIB(94)),
	      NV_LEVEL("memory-total", "", GIB(100)),
	      NV_LEVEL("memory-reserved", "", GIB(2)));
	CHECK("memory-full", 1,
	      I915("memory-used", "vram", "bytes", TF_SERIES_LEVEL, GIB(8)),
	      I915("memory-total", "vram", "bytes", TF_SERIES_LEVEL, GIB(8)));
	CHECK("memory-full", -1, NV_LEVEL("memory-used", "", GIB(94)));
}

static void memory_that_is_held_for_nothing_is_found(void **state)
{
	(void)state;
	CHECK("idle-memory", 1, NV_MEAN("utilization", "gpu", 0),
	      NV_LEVEL("memory-used", "", GIB(10)),
	      NV_LEVEL("memory-total", "", GIB(100)));
	CHECK("idle-memory", 0, NV_MEAN("utilization", "gpu", 0),
	      NV_LEVEL("memory-used", "", GIB(9)),
	      NV_LEVEL("memory-total", "", GIB(100)));
	CHECK("idle-memory", 0, NV_MEAN("utilization", "gpu", 1),
	      NV_LEVEL("memory-used", "", GIB(10)),
	      NV_LEVEL("memory-total", "", GIB(100)));
}

static void errors_are_named(void **state)
{
	struct found x;
	const struct line lost[] = { NV_LEVEL("xid", "", 79) };

	(void)state;
	look(&x, lost, 1);
	assert_int_equal(of_rule(&x, "xid"), 1);
	assert_non_null(strstr(x.f.v[0].sentence, "off the bus"));
	end(&x);
	CHECK("xid", 0, NV_LEVEL("xid", "", 0));
	CHECK("xid", -1, NV_LEVEL("clock", "sm", 0));
	CHECK("ecc", 1, NV("ecc-errors", "uncorrected", "", TF_SERIES_COUNT, 1));
	CHECK("ecc", 0, NV("ecc-errors", "corrected", "", TF_SERIES_COUNT, 0));
	CHECK("ecc", -1, NV_LEVEL("xid", "", 0));
	CHECK("suspended", 1, NV_LEVEL("suspended", "", 1));
	CHECK("suspended", 0, NV_LEVEL("suspended", "", 0));
}

/* 500 and 400 ms of each second are 90 %. */
static void engines_are_summed_over_their_clients(void **state)
{
	struct found x;
	const struct line two[] = { CLIENT(7, 1, 500), CLIENT(8, 2, 400) };

	(void)state;
	look(&x, two, 2);
	assert_int_equal(of_rule(&x, "engine-busy"), 1);
	assert_non_null(strstr(x.f.v[0].sentence, "glxgears/7"));
	assert_non_null(strstr(x.f.v[0].sentence, "90.0%"));
	assert_non_null(strstr(x.f.v[0].sentence, "56%"));
	end(&x);
	CHECK("engine-busy", 0, CLIENT(7, 1, 499), CLIENT(8, 2, 400));
	CHECK("engine-busy", 1, PMU("rcs0-busy", "ns", TF_SERIES_COUNT,
				    900000000));
	CHECK("engine-busy", 0, PMU("rcs0-busy", "ns", TF_SERIES_COUNT,
				    899000000));
}

static void a_clock_below_what_was_asked_for_is_found(void **state)
{
	(void)state;
	CHECK("clock-low", 1, CLIENT(7, 1, 900),
	      I915("clock", "gt0", "MHz", TF_SERIES_LEVEL, 799),
	      I915("clock-requested", "gt0", "MHz", TF_SERIES_LEVEL, 1000));
	CHECK("clock-low", 0, CLIENT(7, 1, 900),
	      I915("clock", "gt0", "MHz", TF_SERIES_LEVEL, 800),
	      I915("clock-requested", "gt0", "MHz", TF_SERIES_LEVEL, 1000));
	CHECK("clock-low", 0, CLIENT(7, 1, 899),
	      I915("clock", "gt0", "MHz", TF_SERIES_LEVEL, 799),
	      I915("clock-requested", "gt0", "MHz", TF_SERIES_LEVEL, 1000));
	CHECK("clock-low", 1,
	      PMU("rcs0-busy", "ns", TF_SERIES_COUNT, 900000000),
	      PMU("actual-frequency", "MHz", TF_SERIES_INTEGRAL, 799),
	      PMU("requested-frequency", "MHz", TF_SERIES_INTEGRAL, 1000));
	CHECK("clock-low", 0,
	      PMU("rcs0-busy", "ns", TF_SERIES_COUNT, 900000000),
	      PMU("actual-frequency", "MHz", TF_SERIES_INTEGRAL, 800),
	      PMU("requested-frequency", "MHz", TF_SERIES_INTEGRAL, 1000));
	CHECK("clock-low", -1, I915("clock", "gt0", "MHz", TF_SERIES_LEVEL, 1));
}

static void drivers_that_say_they_throttle_are_heard(void **state)
{
	struct found x;
	const struct line amd[] = {
		I915("throttle-reasons", "", "", TF_SERIES_LEVEL,
		     (int64_t)(1ull << 36 | 1)),
	};

	(void)state;
	look(&x, amd, 1);
	assert_int_equal(of_rule(&x, "held-down"), 1);
	assert_non_null(strstr(x.f.v[0].sentence, "power, heat"));
	end(&x);
	CHECK("held-down", 1, I915("throttled", "gt0", "", TF_SERIES_LEVEL, 1));
	CHECK("held-down", 0, I915("throttled", "gt0", "", TF_SERIES_LEVEL, 0));
	CHECK("held-down", -1, I915("power", "", "W", TF_SERIES_LEVEL, 1));
}

/* What drivers call their PMUs: nobody here has these GPUs. */
#define OF(src, dev, nm, prt, un, knd, v)                                      \
	{ { .name = nm, .part = prt, .unit = un, .kind = knd,                  \
	    .source = TF_SERIES_##src, .device = dev }, v }
#define OF_PMU(dev, nm, un, knd, v) OF(PMU, dev, dev "/" nm "/", "", un, knd, v)
#define RCS(dev) OF_PMU(dev, "rcs0-busy", "ns", TF_SERIES_COUNT, 950000000)
#define CLOCK(dev, is, asked)                                                  \
	OF(SYSFS, dev, "clock", "gt0", "MHz", TF_SERIES_LEVEL, is),            \
		OF(SYSFS, dev, "clock-requested", "gt0", "MHz",                \
		   TF_SERIES_LEVEL, asked)
#define FILE_OF(dev, nm, prt) OF(FDINFO, dev, nm, prt, "ns", TF_SERIES_COUNT, 1)

static void check_cards(const struct line *lines, size_t n,
			const char *const *want)
{
	struct found x;
	size_t i;

	look(&x, lines, n);
	for (i = 0; want[i]; i++) {
		assert_true(i < x.f.n_cards);
		assert_string_equal(an_text(x.f.t, x.f.cards[i].device),
				    want[i]);
	}
	assert_int_equal(x.f.n_cards, i);
	end(&x);
}
#define LINES_OF(...) (const struct line[]){ __VA_ARGS__ },                    \
		ARRAY_LEN(((const struct line[]){ __VA_ARGS__ }))
#define CARDS(...) (const char *const[]){ __VA_ARGS__, NULL }

static void a_pmu_is_of_the_gpu_whose_address_it_has(void **state)
{
	(void)state;
	check_cards(LINES_OF(RCS("i915_0000_03_00.0"),
			     CLOCK("0000:03:00.0", 1, 1)),
		    CARDS("0000:03:00.0"));
	check_cards(LINES_OF(CLOCK("0000:03:00.0", 1, 1),
			     OF_PMU("xe_0000_03_00.0", "gt-actual-frequency",
				    "MHz", TF_SERIES_SUM, 1)),
		    CARDS("0000:03:00.0"));
	check_cards(LINES_OF(RCS("i915_10000_e1_00.1"),
			     CLOCK("10000:e1:00.1", 1, 1)),
		    CARDS("10000:e1:00.1"));
	/* Another function, no address, and one that only the PMU tells. */
	check_cards(LINES_OF(RCS("i915_0000_03_00.1"),
			     CLOCK("0000:03:00.0", 1, 1)),
		    CARDS("i915_0000_03_00.1", "0000:03:00.0"));
	check_cards(LINES_OF(RCS("gpu_0"), CLOCK("0000:03:00.0", 1, 1)),
		    CARDS("gpu_0", "0000:03:00.0"));
	check_cards(LINES_OF(RCS("i915_0000_03_00.0")),
		    CARDS("i915_0000_03_00.0"));
}

static void i915_alone_is_the_integrated_gpu(void **state)
{
	(void)state;
	check_cards(LINES_OF(RCS("i915"), CLOCK("0000:00:02.0", 1, 1)),
		    CARDS("0000:00:02.0"));
	check_cards(LINES_OF(RCS("i915"),
			     FILE_OF("0000:00:02.0", "drm-engine", "video")),
		    CARDS("0000:00:02.0"));
	/* With a discrete one beside it each has its own. */
	check_cards(LINES_OF(RCS("i915"), RCS("i915_0000_03_00.0"),
			     CLOCK("0000:03:00.0", 1, 1),
			     CLOCK("0000:00:02.0", 1, 1)),
		    CARDS("0000:00:02.0", "0000:03:00.0"));
	check_cards(LINES_OF(RCS("i915"), CLOCK("0000:03:00.0", 1, 1)),
		    CARDS("i915", "0000:03:00.0"));
	check_cards(LINES_OF(RCS("i915")), CARDS("i915"));
}

/* Clients of amdgpu and xe, a file of amdgpu, and the PMU of another driver. */
static void i915_alone_is_not_a_gpu_of_another_driver(void **state)
{
	(void)state;
	check_cards(LINES_OF(RCS("i915"),
			     FILE_OF("0000:00:02.0", "drm-engine", "gfx")),
		    CARDS("i915", "0000:00:02.0"));
	check_cards(LINES_OF(RCS("i915"),
			     FILE_OF("0000:00:02.0", "drm-cycles", "rcs")),
		    CARDS("i915", "0000:00:02.0"));
	check_cards(LINES_OF(RCS("i915"),
			     OF(SYSFS, "0000:00:02.0", "utilization", "gpu",
				"%", TF_SERIES_MEAN, 1)),
		    CARDS("i915", "0000:00:02.0"));
	check_cards(LINES_OF(RCS("i915"),
			     OF_PMU("xe_0000_00_02.0", "gt-c6-residency", "ms",
				    TF_SERIES_COUNT, 1),
			     CLOCK("0000:00:02.0", 1, 1)),
		    CARDS("i915", "0000:00:02.0"));
}

/* The engine by the PMU, 0.95 s of each 1 s, and the clock by files: 799 of 1000
 * MHz are less than 80 %. Neither tells of both. */
static void what_needs_both_is_found_with_both(void **state)
{
	(void)state;
	CHECK("clock-low", 1, RCS("i915"), CLOCK("0000:00:02.0", 799, 1000));
	CHECK("clock-low", 0, RCS("i915"), CLOCK("0000:00:02.0", 800, 1000));
	CHECK("clock-low", -1, RCS("i915"));
	CHECK("clock-low", -1, CLOCK("0000:00:02.0", 799, 1000));
	/* Where the PMU tells of clocks as well it is one finding. */
	CHECK("clock-low", 1, RCS("i915"), CLOCK("0000:00:02.0", 700, 1000),
	      OF_PMU("i915", "actual-frequency", "MHz", TF_SERIES_INTEGRAL,
		     700),
	      OF_PMU("i915", "requested-frequency", "MHz", TF_SERIES_INTEGRAL,
		     1000));
}

static void counters_of_cpus_are_no_gpus(void **state)
{
	const struct line cpu[] = {
		{ { .name = "cycles", .kind = TF_SERIES_COUNT, .device = "cpu",
		    .source = TF_SERIES_PMU }, 5 },
	};
	struct found x;

	(void)state;
	look(&x, cpu, 1);
	assert_int_equal(x.f.n_cards, 0);
	end(&x);
}

static int show_all(struct an_trace *t, FILE *to, struct err *err)
{
	struct an_counters c = { 0 };
	struct an_findings f = { 0 };
	int rc = an_counters_load(&c, t, 0, UINT64_MAX, NULL, err);

	if (!rc)
		rc = an_findings_make(&f, t, &c, err);
	if (!rc)
		rc = an_findings_show(&f, AN_FORMAT_CSV, to, err);
	if (!rc)
		rc = an_findings_show(&f, AN_FORMAT_TEXT, to, err);
	an_findings_fini(&f);
	an_counters_fini(&c);
	return rc;
}

static void running_out_of_memory_is_reported(void **state)
{
	(void)state;
	for (long n = 1; n < 100000; n++) {
		struct trace_in_memory m;
		struct an_trace *t = trace_must(&m, &findingtrace_nvidia);
		char *text = NULL;
		size_t size = 0;
		FILE *to = open_memstream(&text, &size);
		bool hit;
		int rc;

		assert_non_null(to);
		failalloc_at(n);
		rc = show_all(t, to, &m.err);
		hit = failalloc_hit();
		failalloc_off();
		fclose(to);
		free(text);
		trace_fini(&m);
		assert_true(rc == 0 || rc == ERR_NOMEM);
		if (!hit)
			return;
	}
	fail();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_kernels_are_told_from_work),
		cmocka_unit_test(a_clock_that_is_held_down_names_why),
		cmocka_unit_test(memory_that_is_waited_for_is_found),
		cmocka_unit_test(transfers_that_are_waited_for_are_found),
		cmocka_unit_test(memory_that_runs_out_is_found),
		cmocka_unit_test(memory_that_is_held_for_nothing_is_found),
		cmocka_unit_test(errors_are_named),
		cmocka_unit_test(engines_are_summed_over_their_clients),
		cmocka_unit_test(a_clock_below_what_was_asked_for_is_found),
		cmocka_unit_test(drivers_that_say_they_throttle_are_heard),
		cmocka_unit_test(a_pmu_is_of_the_gpu_whose_address_it_has),
		cmocka_unit_test(i915_alone_is_the_integrated_gpu),
		cmocka_unit_test(i915_alone_is_not_a_gpu_of_another_driver),
		cmocka_unit_test(what_needs_both_is_found_with_both),
		cmocka_unit_test(counters_of_cpus_are_no_gpus),
		cmocka_unit_test(running_out_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
