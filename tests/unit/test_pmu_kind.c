#include "record/counter/pmu/kind.h"

#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void is(const char *pmu, const char *name, uint64_t config,
	       enum tf_series_kind kind)
{
	assert_int_equal(rec_pmu_kind_of(pmu, name, config).kind, kind);
}

static void frequencies_of_i915_grow_by_mhz_seconds(void **state)
{
	(void)state;
	is("i915", "i915/actual-frequency/", 0x100000, TF_SERIES_INTEGRAL);
	is("i915", "i915/config=0x100001/", 0x100001, TF_SERIES_INTEGRAL);
	/* Its second GT is bit 60. */
	is("i915_0000_03_00.0", "f", 1ull << 60 | 0x100000,
	   TF_SERIES_INTEGRAL);
	assert_string_equal(rec_pmu_kind_of("i915", "f", 0x100000).unit, "MHz");
}

static void each_reading_of_xe_adds_the_frequency(void **state)
{
	(void)state;
	is("xe_0000_00_02.0", "xe_0000_00_02.0/gt-actual-frequency,gt=1/",
	   1ull << 60 | 0x04, TF_SERIES_SUM);
	is("xe_0000_00_02.0", "f", 0x05, TF_SERIES_SUM);
}

static void all_else_is_counted(void **state)
{
	(void)state;
	is("i915", "i915/rcs0-busy/", 0, TF_SERIES_COUNT);
	is("i915", "i915/rc6-residency/", 0x100003, TF_SERIES_COUNT);
	is("xe_0000_00_02.0", "f", 0x02, TF_SERIES_COUNT);
	is("power", "power/energy-pkg/", 0x04, TF_SERIES_COUNT);
	is("", "cycles", 0x100000, TF_SERIES_COUNT);
	assert_null(rec_pmu_kind_of("i915", "i915/rcs0-busy/", 0).unit);
}

static void a_pmu_is_found_by_its_number(void **state)
{
	struct filetree t;
	char name[64];

	(void)state;
	filetree_init(&t);
	filetree_text(&t, "/sys/bus/event_source/devices/i915/type", "27\n");
	filetree_text(&t, "/sys/bus/event_source/devices/msr/type", "9\n");
	rec_pmu_name(name, sizeof(name), t.root, 9);
	assert_string_equal(name, "msr");
	rec_pmu_name(name, sizeof(name), t.root, 27);
	assert_string_equal(name, "i915");
	rec_pmu_name(name, sizeof(name), t.root, 28);
	assert_string_equal(name, "");
	rec_pmu_name(name, sizeof(name), t.root, 1);
	assert_string_equal(name, "");
	filetree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frequencies_of_i915_grow_by_mhz_seconds),
		cmocka_unit_test(each_reading_of_xe_adds_the_frequency),
		cmocka_unit_test(all_else_is_counted),
		cmocka_unit_test(a_pmu_is_found_by_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
