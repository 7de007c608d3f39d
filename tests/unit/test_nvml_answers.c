/* What the library may answer: codes, types and calls of other ages. The expected
 * values are those of the script, the codes those of its public header. */
#include "tests/unit/test_nvml.h"

#include "format/base/mem.h"
#include "format/base/time.h"

#define A "0000:03:00.0"

/* 1234 nobody knows. */
static void what_a_failed_call_means_is_said(void **state)
{
	static const struct { const char *init, *says; } cases[] = {
		{ "init=!14", "memory of facts is damaged" },
		{ "init=!16", "the GPU needs a reset" },
		{ "init=!17", "the system refuses" },
		{ "init=!20", "no memory" },
		{ "init=!27", "the GPU is not ready" },
		{ "init=!1234", "it failed" },
	};
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(try_open(m, cases[i].init), 1);
		assert_non_null(strstr(m->err.text, cases[i].says));
	}
	/* What is deprecated does not come back. */
	opens(m, "power=!26,5;energy=!16,5;events=!15");
	reads(m, 2);
	assert_string_equal(why(m, "nvml.power"), "no longer supported");
	says(m, A, "energy", "", 0, "failed 5");
	assert_string_equal(why(m, "nvml.events"), "the GPU is lost");
}

static void a_temperature_may_be_told_by_a_newer_call(void **state)
{
	struct machine *m = *state;

	opens(m, "temperature0=!26;temperatureV0=-3");
	reads(m, 1);
	says(m, A, "temperature", "gpu", 0, "-3");
	opens(m, "temperature0=71;temperatureV0=-3");
	reads(m, 1);
	says(m, A, "temperature", "gpu", 0, "71");
	opens(m, "temperature0=!3;temperatureV0=5");
	reads(m, 1);
	assert_string_equal(why(m, "nvml.temperature/gpu"),
			    "not supported by this GPU");
}

static void samples_of_another_type_are_power_or_are_said(void **state)
{
	static const int types[] = { 1, 2, 3, 4, 5 };
	struct machine *m = *state;
	char script[128];

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		snprintf(script, sizeof(script),
			 "value_type=%d;samples=-10/7000,-5/8000,none",
			 types[i]);
		opens(m, script);
		usleep(1000);
		reads(m, 1);
		/* The count is asked for without room. */
		assert_int_equal(row(m, series_of(m, A, "power", "sampled", 0),
				     0)->value, 7000);
		assert_null(why(m, "nvml.power/sampled"));
	}
	opens(m, "value_type=77;samples=-10/7000");
	usleep(1000);
	reads(m, 1);
	assert_int_equal(series_of(m, A, "power", "sampled", 0), -1);
	assert_string_equal(why(m, "nvml.power/sampled"),
			    "some samples are no power");
	/* Nothing new is no failure. */
	opens(m, "samples=-10/7000,!6");
	usleep(1000);
	reads(m, 3);
	says(m, A, "power", "sampled", 0, "7000");
	assert_null(why(m, "nvml.power/sampled"));
	opens(m, "samples=-10/7000;samples_most=4000000000");
	reads(m, 1);
	assert_string_equal(why(m, "nvml.power/sampled"),
			    "some samples could not be read");
	opens(m, "samples=!999");
	reads(m, 1);
	assert_string_equal(why(m, "nvml.power/sampled"),
			    "some samples could not be read");
}

/* As those of Tegra, which are on no bus. */
static void a_gpu_without_an_address_goes_by_its_number(void **state)
{
	struct machine *m = *state;

	opens(m, "gpus=2;pci=!3;power@0=7;power@1=8");
	reads(m, 1);
	says(m, "gpu0", "power", "", 0, "7");
	says(m, "gpu1", "power", "", 0, "8");
}

static void an_answer_that_comes_late_is_said(void **state)
{
	struct machine *m = *state;

	opens(m, "gpus=2;power@0=1;power@1=1,~1050,1");
	reads(m, 1);
	assert_null(why(m, "nvml.0000:04:00.0.in-time"));
	reads(m, 2);
	says(m, A, "power", "", 0, "1 1 1");
	says(m, "0000:04:00.0", "power", "", 0, "1 0 1");
	assert_non_null(why(m, "nvml.0000:04:00.0.in-time"));
	assert_null(why(m, "nvml." A ".in-time"));
}

/* A reading that is a little early, as half of a grid's are, is one all the
 * same. */
static void a_grid_of_100_ms_has_counters_at_each_reading(void **state)
{
	struct machine *m = *state;
	uint64_t begin_ns;

	opens(m, "gpm=1;gpm.2=7");
	reads(m, 1);
	usleep(97000);
	reads(m, 1);
	says(m, A, "sm-active", "", 0, "7000");
	begin_ns = time_now_ns(CLOCK_MONOTONIC);
	usleep(20000);
	reads(m, 1);
	if (time_now_ns(CLOCK_MONOTONIC) - begin_ns < 90 * MS)
		says(m, A, "sm-active", "", 0, "7000");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_a_failed_call_means_is_said),
		TEST(a_temperature_may_be_told_by_a_newer_call),
		TEST(samples_of_another_type_are_power_or_are_said),
		TEST(an_answer_that_comes_late_is_said),
		TEST(a_grid_of_100_ms_has_counters_at_each_reading),
		TEST(a_gpu_without_an_address_goes_by_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
