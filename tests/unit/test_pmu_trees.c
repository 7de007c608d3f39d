/* PMUs of GPUs that no machine here has, as trees made by hand of what their
 * drivers show (drivers/gpu/drm/i915/i915_pmu.c, drivers/gpu/drm/xe/xe_pmu.c). */
#include "record/counter/pmu/kind.h"
#include "record/perf/event.h"
#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DEVICES "/sys/bus/event_source/devices"
#define I915 DEVICES "/i915_0000_03_00.0"
#define XE DEVICES "/xe_0000_00_02.0"

static void discrete_i915(struct filetree *t)
{
	filetree_text(t, I915 "/type", "24\n");
	filetree_text(t, I915 "/cpumask", "0\n");
	filetree_text(t, I915 "/format/i915_eventid", "config:0-20\n");
	filetree_text(t, I915 "/events/rcs0-busy-gt0", "config=0x0\n");
	filetree_text(t, I915 "/events/rcs0-busy-gt0.unit", "ns\n");
	filetree_text(t, I915 "/events/vecs1-busy-gt1",
		      "config=0x1000000000003010\n");
	filetree_text(t, I915 "/events/vecs1-busy-gt1.unit", "ns\n");
	filetree_text(t, I915 "/events/actual-frequency-gt1",
		      "config=0x1000000000100000\n");
	filetree_text(t, I915 "/events/actual-frequency-gt1.unit", "M\n");
	filetree_text(t, I915 "/events/interrupts", "config=0x100002\n");
}

static void xe(struct filetree *t)
{
	filetree_text(t, XE "/type", "31\n");
	filetree_text(t, XE "/cpumask", "2\n");
	filetree_text(t, XE "/format/event", "config:0-11\n");
	filetree_text(t, XE "/format/engine_instance", "config:12-19\n");
	filetree_text(t, XE "/format/engine_class", "config:20-27\n");
	filetree_text(t, XE "/format/function", "config:44-59\n");
	filetree_text(t, XE "/format/gt", "config:60-63\n");
	filetree_text(t, XE "/events/gt-c6-residency", "event=0x01\n");
	filetree_text(t, XE "/events/gt-c6-residency.unit", "ms\n");
	filetree_text(t, XE "/events/engine-active-ticks", "event=0x02\n");
	filetree_text(t, XE "/events/engine-total-ticks", "event=0x03\n");
	filetree_text(t, XE "/events/gt-actual-frequency", "event=0x04\n");
	filetree_text(t, XE "/events/gt-actual-frequency.unit", "MHz\n");
}

struct want {
	const char *text;
	uint32_t type;
	uint64_t config;
	int cpu;
	const char *unit; /* that the PMU tells; NULL: none */
	enum tf_series_kind kind;
	const char *level; /* unit of the level; NULL: the PMU's */
};

static void check(const struct filetree *t, const struct want *w)
{
	struct rec_events e = { .root = t->root };
	struct rec_pmu_kind kind;
	struct err err = { 0 };
	char pmu[64];
	int rc = rec_events_add(&e, w->text, &err);

	if (rc)
		print_error("'%s': %s\n", w->text, err.text);
	assert_int_equal(rc, 0);
	assert_int_equal(e.n, 1);
	assert_int_equal(e.items[0].attr.type, w->type);
	assert_true(e.items[0].attr.config == w->config);
	assert_true(e.items[0].no_tasks);
	assert_int_equal(e.items[0].cpus.n, 1);
	assert_int_equal(e.items[0].cpus.items[0], w->cpu);
	if (w->unit)
		assert_string_equal(e.items[0].pmu_unit, w->unit);
	else
		assert_null(e.items[0].pmu_unit);
	rec_pmu_name(pmu, sizeof(pmu), t->root, e.items[0].attr.type);
	kind = rec_pmu_kind_of(pmu, e.items[0].name, e.items[0].attr.config);
	assert_int_equal(kind.kind, w->kind);
	if (w->level)
		assert_string_equal(kind.unit, w->level);
	else
		assert_null(kind.unit);
	rec_events_fini(&e);
}

static void events_of_a_discrete_i915_name_their_gt(void **state)
{
	/* Video-enhance is class 3: 3 << 12 | instance 1 << 4; GT 1 is bit 60.
	 */
	static const struct want wants[] = {
		{ "i915_0000_03_00.0/rcs0-busy-gt0/", 24, 0, 0, "ns",
		  TF_SERIES_COUNT, NULL },
		{ "i915_0000_03_00.0/vecs1-busy-gt1/", 24, 0x1000000000003010,
		  0, "ns", TF_SERIES_COUNT, NULL },
		{ "i915_0000_03_00.0/actual-frequency-gt1/", 24,
		  0x1000000000100000, 0, "M", TF_SERIES_INTEGRAL, "MHz" },
		{ "i915_0000_03_00.0/interrupts/", 24, 0x100002, 0, NULL,
		  TF_SERIES_COUNT, NULL },
	};
	struct filetree t;

	(void)state;
	filetree_init(&t);
	discrete_i915(&t);
	for (size_t i = 0; i < sizeof(wants) / sizeof(*wants); i++)
		check(&t, &wants[i]);
	filetree_fini(&t);
}

static void events_of_xe_are_given_their_engine(void **state)
{
	/* Class 2 (video decode) << 20, instance 1 << 12, GT 1 << 60. */
	static const struct want wants[] = {
		{ "xe_0000_00_02.0/engine-active-ticks,engine_class=2,"
		  "engine_instance=1,gt=1/", 31, 0x1000000000201002, 2, NULL,
		  TF_SERIES_COUNT, NULL },
		{ "xe_0000_00_02.0/engine-total-ticks,engine_class=0/", 31,
		  0x3, 2, NULL, TF_SERIES_COUNT, NULL },
		{ "xe_0000_00_02.0/gt-actual-frequency,gt=1/", 31,
		  0x1000000000000004, 2, "MHz", TF_SERIES_SUM, "MHz" },
		{ "xe_0000_00_02.0/gt-c6-residency/", 31, 0x1, 2, "ms",
		  TF_SERIES_COUNT, NULL },
	};
	struct filetree t;

	(void)state;
	filetree_init(&t);
	xe(&t);
	for (size_t i = 0; i < sizeof(wants) / sizeof(*wants); i++)
		check(&t, &wants[i]);
	filetree_fini(&t);
}

/* A term that the PMU does not have, or that does not fit, is named. */
static void what_an_engine_is_not_is_refused(void **state)
{
	struct rec_events e;
	struct filetree t;
	struct err err = { 0 };

	(void)state;
	filetree_init(&t);
	xe(&t);
	e = (struct rec_events){ .root = t.root };
	assert_int_equal(rec_events_add(&e, "xe_0000_00_02.0/engine-active-"
					"ticks,gt=16/", &err), ERR_USAGE);
	assert_non_null(strstr(err.text, "gt"));
	assert_int_equal(rec_events_add(&e, "xe_0000_00_02.0/rcs0-busy/", &err),
			 ERR_USAGE);
	assert_non_null(strstr(err.text, "rcs0-busy"));
	rec_events_fini(&e);
	filetree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_a_discrete_i915_name_their_gt),
		cmocka_unit_test(events_of_xe_are_given_their_engine),
		cmocka_unit_test(what_an_engine_is_not_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
