/* One reading after another of GPUs. The expected values are those of the
 * script, the units those of the library's public header. */
#include "tests/unit/test_nvml.h"

#include "format/base/mem.h"
#include "format/base/time.h"

#define A "0000:03:00.0"
#define B "0000:04:00.0"
#define UNSUPPORTED "not supported by this GPU"

#define SERIES(m, name, part)                                                  \
	(&(m)->r.series[series_of(m, NULL, name, part, 0)])

static void each_metric_has_its_unit_and_its_value_as_read(void **state)
{
	struct machine *m = *state;

	opens(m, "utilization=45/12;memory=1000/100/300/600;power=250000;"
		 "limit=700000;energy=1234567;clock0=1980;clock1=1979;"
		 "clock2=2619;clock3=1545;clockmax1=1980;reasons=0x44;"
		 "temperature0=71;performance=2;pcie0=1500;pcie1=32;"
		 "encoder=7;decoder=8;ecc0.0=3;ecc1.0=1;"
		 "pci=0/3/0;name=NVIDIA H200");
	reads(m, 1);
	says(m, A, "utilization", "gpu", 0, "45");
	says(m, A, "utilization", "memory", 0, "12");
	says(m, A, "utilization", "encoder", 0, "7");
	says(m, A, "utilization", "decoder", 0, "8");
	says(m, A, "memory-total", "", 0, "1000");
	says(m, A, "memory-reserved", "", 0, "100");
	says(m, A, "memory-free", "", 0, "300");
	says(m, A, "memory-used", "", 0, "600");
	says(m, A, "power", "", 0, "250000");
	says(m, A, "power-limit", "", 0, "700000");
	says(m, A, "energy", "", 0, "1234567");
	says(m, A, "clock", "graphics", 0, "1980");
	says(m, A, "clock", "sm", 0, "1979");
	says(m, A, "clock", "memory", 0, "2619");
	says(m, A, "clock", "video", 0, "1545");
	says(m, A, "clock-max", "sm", 0, "1980");
	says(m, A, "throttle-reasons", "", 0, "68");
	says(m, A, "temperature", "gpu", 0, "71");
	says(m, A, "performance-state", "", 0, "2");
	says(m, A, "pcie-tx", "", 0, "1500");
	says(m, A, "pcie-rx", "", 0, "32");
	says(m, A, "ecc-errors", "corrected", 0, "3");
	says(m, A, "ecc-errors", "uncorrected", 0, "1");
	/* 250,000 mW are 250 W; energy is counted, what is a mean is told. */
	assert_string_equal(SERIES(m, "power", "")->unit, "W");
	assert_true(SERIES(m, "power", "")->scale == 0.001);
	assert_int_equal(SERIES(m, "power", "")->kind, TF_SERIES_LEVEL);
	assert_string_equal(SERIES(m, "energy", "")->unit, "J");
	assert_true(SERIES(m, "energy", "")->scale == 0.001);
	assert_int_equal(SERIES(m, "energy", "")->kind, TF_SERIES_COUNT);
	assert_string_equal(SERIES(m, "clock", "sm")->unit, "MHz");
	assert_int_equal(SERIES(m, "utilization", "gpu")->kind, TF_SERIES_MEAN);
	assert_string_equal(SERIES(m, "utilization", "gpu")->label,
			    "NVIDIA H200");
	assert_int_equal(SERIES(m, "utilization", "gpu")->source,
			 TF_SERIES_NVML);
}

static void a_reading_lies_between_its_begin_and_its_end(void **state)
{
	struct machine *m = *state;
	uint64_t before, after;
	const struct rec_reading *r;

	opens(m, "power=1");
	before = time_now_ns(CLOCK_MONOTONIC);
	reads(m, 1);
	after = time_now_ns(CLOCK_MONOTONIC);
	r = row(m, series_of(m, A, "power", "", 0), 0);
	assert_true(r->time_ns >= before && r->time_ns <= after);
	assert_true(r->took_ns <= after - before);
}

/* Each of two rows of one call has its own answer of the same call. */
static void figures_of_one_call_come_of_one_call(void **state)
{
	struct machine *m = *state;

	opens(m, "utilization=10/1,20/2,30/3");
	reads(m, 3);
	says(m, A, "utilization", "gpu", 0, "10 20 30");
	says(m, A, "utilization", "memory", 0, "1 2 3");
	assert_true(row(m, series_of(m, A, "utilization", "gpu", 0), 1)
			    ->time_ns ==
		    row(m, series_of(m, A, "utilization", "memory", 0), 1)
			    ->time_ns);
}

static void what_does_not_change_is_read_once(void **state)
{
	struct machine *m = *state;

	opens(m, "clockmax1=!999,1980,1;memory=8/1/3/4,8/1/2/5");
	reads(m, 3);
	says(m, A, "clock-max", "sm", 0, "failed 1980");
	says(m, A, "memory-total", "", 0, "8");
	says(m, A, "memory-used", "", 0, "4 5 5");
}

static void what_a_gpu_cannot_is_said_once_and_not_asked_again(void **state)
{
	struct machine *m = *state;

	opens(m, "power=!3,5,5;energy=!4;utilization=1/1");
	reads(m, 3);
	assert_int_equal(series_of(m, A, "power", "", 0), -1);
	assert_int_equal(series_of(m, A, "energy", "", 0), -1);
	assert_string_equal(why(m, "nvml.power"), UNSUPPORTED);
	assert_string_equal(why(m, "nvml.energy"),
			    "no permission (try as root)");
	assert_string_equal(why(m, "nvml.clock/video"), UNSUPPORTED);
	assert_null(why(m, "nvml.utilization/gpu"));
}

static void of_several_gpus_it_is_said_which_one_cannot(void **state)
{
	struct machine *m = *state;

	opens(m, "gpus=2;power@0=1;power@1=!3");
	reads(m, 1);
	assert_null(why(m, "nvml." A ".power"));
	assert_string_equal(why(m, "nvml." B ".power"), UNSUPPORTED);
}

static void a_metric_that_stops_being_supported_ends(void **state)
{
	struct machine *m = *state;

	opens(m, "power=7,!3,8");
	reads(m, 3);
	says(m, A, "power", "", 0, "7 gone");
	assert_string_equal(why(m, "nvml.power"), UNSUPPORTED);
}

static void an_unknown_failure_is_of_this_time_only(void **state)
{
	struct machine *m = *state;

	opens(m, "power=!999,5,!999,6;performance=32,0");
	reads(m, 4);
	says(m, A, "power", "", 0, "failed 5 failed 6");
	/* P32 stands for "not known", P0 is the fastest. */
	says(m, A, "performance-state", "", 0, "failed 0 0 0");
	assert_null(why(m, "nvml.power"));
}

static void a_lost_gpu_ends_and_the_others_go_on(void **state)
{
	struct machine *m = *state;

	opens(m, "gpus=2;utilization=1/1;power@0=1,2,!15,4;power@1=5,6,7,8;"
		 "compute=100/4096;events=none");
	reads(m, 4);
	says(m, A, "power", "", 0, "1 2 gone");
	says(m, A, "utilization", "gpu", 0, "1 1 1 gone");
	says(m, A, "memory-used", "", 100, "4096 4096 gone");
	says(m, A, "xid", "", 0, "0 gone");
	says(m, B, "power", "", 0, "5 6 7 8");
	says(m, B, "memory-used", "", 100, "4096 4096 4096 4096");
	assert_string_equal(why(m, "nvml." A ".gpu"),
			    "it was lost while recording");
}

static void values_that_no_row_has_room_for_are_failures(void **state)
{
	struct machine *m = *state;

	opens(m, "energy=0xffffffffffffffff;memory=0xffffffffffffffff/1/2/3;"
		 "power=0xffffffff");
	reads(m, 1);
	says(m, A, "energy", "", 0, "failed");
	says(m, A, "memory-total", "", 0, "failed");
	says(m, A, "memory-used", "", 0, "3");
	says(m, A, "power", "", 0, "4294967295");
}

static void pcie_takes_long_and_is_left_out_of_short_intervals(void **state)
{
	struct machine *m = *state;

	m->how.interval_ns = 199 * MS;
	opens(m, "pcie0=1;pcie1=2");
	reads(m, 1);
	assert_int_equal(series_of(m, A, "pcie-tx", "", 0), -1);
	assert_non_null(strstr(why(m, "nvml.pcie-tx"), "200 ms"));
	m->how.interval_ns = 200 * MS;
	opens(m, "pcie0=1;pcie1=2");
	reads(m, 1);
	says(m, A, "pcie-rx", "", 0, "2");
	/* Two of them take twice as long. */
	opens(m, "gpus=2;pcie0=1;pcie1=2");
	reads(m, 1);
	assert_int_equal(series_of(m, A, "pcie-rx", "", 0), -1);
	assert_non_null(strstr(why(m, "nvml." A ".pcie-rx"), "400 ms"));
}

/* Whatever the library answers: rows are of series that there are, none comes
 * after an end, and of a lost GPU nothing comes at all. */
static void no_answer_breaks_the_order_of_rows(void **state)
{
	static const char *const calls[] = {
		"utilization", "memory", "power", "energy", "clock0",
		"clockmax1", "reasons", "performance", "compute", "graphics",
		"uses", "samples", "events", "gpm", "gpm_sample", "gpm.2",
		"mig", "migs", "gpm_mig_sample",
	};
	static const char *const answers[] = {
		"1", "2/3/4/5", "0xffffffffffffffff/1", "none", "?70000", "?64",
		"!1", "!3", "!6", "!7", "!10", "!15", "!999", "5/1+6/2",
		"7/100/45/1/2/3+8/-5/200", "0/8/79", "1/8/13", "-1/-1",
		"1/0+1/1+2/0",
	};
	struct machine *m = *state;
	uint32_t random = 1;

	for (int round = 0; round < 300; round++) {
		static char script[4096];
		static bool over[4096];
		size_t n = (size_t)snprintf(script, sizeof(script), "gpus=2");

		for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
			n += (size_t)snprintf(script + n, sizeof(script) - n,
					      ";%s=", calls[i]);
			for (int k = 0; k < 5; k++) {
				random = random * 1664525 + 1013904223;
				n += (size_t)snprintf(
					script + n, sizeof(script) - n, "%s%s",
					k ? "," : "",
					answers[(random >> 16) %
						ARRAY_LEN(answers)]);
			}
		}
		opens(m, script);
		reads(m, 5);
		memset(over, 0, sizeof(over));
		assert_true(m->r.n_series < ARRAY_LEN(over));
		for (size_t i = 0; i < m->r.n; i++) {
			assert_true(m->r.rows[i].series < m->r.n_series);
			assert_false(over[m->r.rows[i].series]);
			if (m->r.rows[i].r.state == TF_COUNTER_GONE)
				over[m->r.rows[i].series] = true;
		}
	}
}

/* -- GPM --------------------------------------------------------------------- */

/* The stand-in refuses samples that are not in their order. */
static void performance_counters_tell_what_lies_between_two_samples(void **state)
{
	struct machine *m = *state;
	const struct rec_series *s;

	opens(m, "gpus=2;gpm=1;gpm.2@0=45.5,99.9996;gpm.2@1=1;gpm.3=0.0004;"
		 "gpm.60=1024.25;gpm.20=3;pcie0=77");
	reads(m, 2);
	assert_int_equal(series_of(m, A, "sm-active", "", 0), -1);
	usleep(110000);
	reads(m, 2);
	usleep(110000);
	reads(m, 1);
	/* Thousandths, rounded: 45.5 % and 100 %. */
	says(m, A, "sm-active", "", 0, "45500 100000");
	says(m, B, "sm-active", "", 0, "1000 1000");
	says(m, A, "sm-occupancy", "", 0, "0 0");
	says(m, A, "nvlink-rx", "", 0, "1024250 1024250");
	s = SERIES(m, "sm-active", "");
	assert_true(s->scale == 0.001 && s->kind == TF_SERIES_MEAN);
	assert_string_equal(s->unit, "%");
	assert_string_equal(SERIES(m, "nvlink-rx", "")->unit, "MiB/s");
	/* The slow way to the same is not gone. */
	says(m, A, "pcie-tx", "", 0, "3000 3000");
	assert_string_equal(SERIES(m, "pcie-tx", "")->unit, "MiB/s");
	assert_string_equal(why(m, "nvml." A ".tensor-active"), UNSUPPORTED);
	assert_null(why(m, "nvml." A ".gpm"));
}

static void counters_that_are_no_numbers_or_fail_are_failures(void **state)
{
	struct machine *m = *state;

	opens(m, "gpm=1;gpm.2=nan,inf,-1e300,!999;gpm_sample=0,0,!999,0,0");
	reads(m, 1);
	for (int i = 0; i < 4; i++) {
		usleep(101000);
		reads(m, 1);
	}
	says(m, A, "sm-active", "", 0, "failed failed failed failed");
}

static void a_gpu_without_counters_says_so(void **state)
{
	struct machine *m = *state;

	opens(m, "gpm=0");
	reads(m, 1);
	assert_string_equal(why(m, "nvml.gpm"), UNSUPPORTED);
	opens(m, "gpm=1;gpm_sample=!4");
	reads(m, 2);
	assert_string_equal(why(m, "nvml.gpm"), "no permission (try as root)");
	opens(m, "gpm=1;gpm_sample=!15;power=1");
	reads(m, 2);
	assert_int_equal(series_of(m, A, "power", "", 0), -1);
	assert_non_null(why(m, "nvml.gpu"));
}

/* -- Xids -------------------------------------------------------------------- */

static void an_xid_is_of_its_gpu(void **state)
{
	struct machine *m = *state;

	/* Two at one reading, one of another type, then none. */
	opens(m, "gpus=2;events=none,1/8/79,0/8/13,0/4/1,none");
	reads(m, 3);
	says(m, A, "xid", "", 0, "0 13");
	says(m, B, "xid", "", 0, "0 79");
}

static void a_gpu_that_reports_without_end_holds_nobody_up(void **state)
{
	struct machine *m = *state;

	opens(m, "events=0/8/1;power=3");
	reads(m, 1);
	says(m, A, "power", "", 0, "3");
	opens(m, "power=1");
	reads(m, 1);
	assert_string_equal(why(m, "nvml.xid"), UNSUPPORTED);
}

/* -- Power as the driver samples it ------------------------------------------ */

static void samples_have_times_of_their_own_and_come_once(void **state)
{
	struct machine *m = *state;
	const struct rec_reading *r;
	uint64_t before, after;
	char script[256];
	long long us;
	int id;

	opens(m, "power=1");
	us = (long long)(time_now_ns(CLOCK_REALTIME) / 1000);
	/* From before the opening; now in 2 and 5 ms; no time at all. */
	snprintf(script, sizeof(script),
		 "samples=%lld/1+%lld/2000+%lld/3000+0/9,"
		 "%lld/2000+%lld/3000",
		 us - 1000000, us + 2000, us + 5000, us + 2000, us + 5000);
	before = time_now_ns(CLOCK_MONOTONIC);
	setenv("COLTRACE_NVML_SCRIPT", script, 1);
	usleep(20000);
	after = time_now_ns(CLOCK_MONOTONIC);
	reads(m, 3);
	id = series_of(m, A, "power", "sampled", 0);
	assert_true(id >= 0);
	/* The stand-in takes the 0 for now. */
	assert_int_equal(row(m, id, 0)->value, 2000);
	assert_int_equal(row(m, id, 1)->value, 3000);
	r = row(m, id, 0);
	assert_true(r->time_ns >= before && r->time_ns < after);
	assert_in_range(row(m, id, 1)->time_ns - r->time_ns, 2 * MS, 4 * MS);
	for (size_t i = 0; i < rows_of(m, id); i++)
		assert_int_not_equal(row(m, id, i)->value, 1);
	assert_in_range(rows_of(m, id), 2, 3);
}

/* -- GPUs that sleep --------------------------------------------------------- */

static void card(struct machine *m, const char *address, const char *status)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vendor", address);
	filetree_text(&m->tree, path, "0x10de\n");
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/class", address);
	filetree_text(&m->tree, path, "0x030200\n");
	snprintf(path, sizeof(path),
		 "/sys/bus/pci/devices/%s/power/runtime_status", address);
	filetree_text(&m->tree, path, status);
}

static void a_gpu_that_falls_asleep_is_not_asked(void **state)
{
	struct machine *m = *state;

	card(m, A, "active\n");
	opens(m, "power=1,2,3");
	reads(m, 1);
	card(m, A, "suspended\n");
	reads(m, 2);
	card(m, A, "active\n");
	reads(m, 1);
	says(m, A, "power", "", 0, "1 2");
	says(m, A, "suspended", "", 0, "0 1 1 0");
}

/* Starting as usual would attach, and so wake, it. */
static void a_gpu_that_sleeps_is_attached_when_it_wakes(void **state)
{
	struct machine *m = *state;

	card(m, A, "suspended\n");
	card(m, B, "active\n");
	opens(m, "init=!999;gpus=2;power@0=1;power@1=2;name=H200");
	reads(m, 2);
	assert_int_equal(series_of(m, A, "power", "", 0), -1);
	says(m, A, "suspended", "", 0, "1 1");
	says(m, B, "power", "", 0, "2 2");
	card(m, A, "active\n");
	reads(m, 1);
	says(m, A, "power", "", 0, "1");
	assert_string_equal(SERIES(m, "power", "")->label, "H200");
}

static void a_library_that_would_wake_it_is_not_started(void **state)
{
	struct machine *m = *state;

	card(m, A, "suspended\n");
	library(2);
	assert_int_equal(try_open(m, "power=1"), 1);
	assert_non_null(strstr(m->err.text, "cannot start"));
	/* Another maker's device that sleeps is none of its business. */
	filetree_text(&m->tree, "/sys/bus/pci/devices/" A "/vendor", "0x8086");
	opens(m, "power=1");
}

/* -- Opening ----------------------------------------------------------------- */

static void without_a_library_or_a_gpu_the_reason_is_told(void **state)
{
	struct machine *m = *state;

	setenv("COLTRACE_NVML", "/nonexistent/libnvidia-ml.so.1", 1);
	assert_int_equal(try_open(m, ""), 1);
	assert_non_null(strstr(m->err.text, "/nonexistent/libnvidia-ml.so.1: "
					    "cannot open"));
	setenv("COLTRACE_NVML", "", 1);
	assert_int_equal(try_open(m, ""), 1);
	assert_non_null(strstr(m->err.text, "libnvidia-ml.so.1"));
	setenv("COLTRACE_NVML", "libc.so.6", 1);
	assert_int_equal(try_open(m, ""), 1);
	assert_string_equal(m->err.text, "'libc.so.6' has no 'nvmlInit_v2'");
	library(4);
	assert_int_equal(try_open(m, "gpus=0"), 1);
	assert_string_equal(m->err.text, "NVML: no GPU");
	assert_int_equal(try_open(m, "init=!9"), 1);
	assert_string_equal(m->err.text,
			    "NVML cannot start: the driver is not loaded");
	assert_int_equal(try_open(m, "init=!18"), 1);
	assert_int_equal(try_open(m, "gpus=!999"), 1);
}

static void a_gpu_that_may_not_be_opened_leaves_the_others(void **state)
{
	struct machine *m = *state;

	opens(m, "gpus=2;handle@0=!4;power=9");
	reads(m, 1);
	says(m, B, "power", "", 0, "9");
	assert_string_equal(why(m, "nvml.gpu0"), "no permission (try as root)");
	assert_int_equal(try_open(m, "gpus=2;handle=!15"), 1);
	/* Of several each is named. */
	opens(m, "gpus=3;handle@0=!15;handle@1=0;pci@0=0/3/0;pci@1=!16;"
		 "pci@2=0/5/0;power=9");
	assert_string_equal(why(m, "nvml.gpu0"), "the GPU is lost");
	assert_string_equal(why(m, "nvml.gpu1"), "the GPU needs a reset");
	reads(m, 1);
	says(m, "0000:05:00.0", "power", "", 0, "9");
}

static void an_absurd_number_of_gpus_is_cut(void **state)
{
	struct machine *m = *state;

	opens(m, "gpus=4000000000;power=1;name=0123456789012345678901234567890"
		 "12345678901234567890123456789012345678901234567890123456789"
		 "01234567890123456789;pci@1=0x12345/7/9;handle=0");
	reads(m, 1);
	assert_non_null(why(m, "nvml.gpus"));
	says(m, "12345:07:09.0", "power", "", 0, "1");
	assert_int_equal(strlen(SERIES(m, "power", "")->label), 95);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(each_metric_has_its_unit_and_its_value_as_read),
		TEST(a_reading_lies_between_its_begin_and_its_end),
		TEST(figures_of_one_call_come_of_one_call),
		TEST(what_does_not_change_is_read_once),
		TEST(what_a_gpu_cannot_is_said_once_and_not_asked_again),
		TEST(of_several_gpus_it_is_said_which_one_cannot),
		TEST(a_metric_that_stops_being_supported_ends),
		TEST(an_unknown_failure_is_of_this_time_only),
		TEST(a_lost_gpu_ends_and_the_others_go_on),
		TEST(values_that_no_row_has_room_for_are_failures),
		TEST(pcie_takes_long_and_is_left_out_of_short_intervals),
		TEST(no_answer_breaks_the_order_of_rows),
		TEST(performance_counters_tell_what_lies_between_two_samples),
		TEST(counters_that_are_no_numbers_or_fail_are_failures),
		TEST(a_gpu_without_counters_says_so),
		TEST(an_xid_is_of_its_gpu),
		TEST(a_gpu_that_reports_without_end_holds_nobody_up),
		TEST(samples_have_times_of_their_own_and_come_once),
		TEST(a_gpu_that_falls_asleep_is_not_asked),
		TEST(a_gpu_that_sleeps_is_attached_when_it_wakes),
		TEST(a_library_that_would_wake_it_is_not_started),
		TEST(without_a_library_or_a_gpu_the_reason_is_told),
		TEST(a_gpu_that_may_not_be_opened_leaves_the_others),
		TEST(an_absurd_number_of_gpus_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
