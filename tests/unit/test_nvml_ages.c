/* Libraries of all ages, with holes, and on a machine without memory. */
#include "tests/unit/test_nvml.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"

#define A "0000:03:00.0"

/* Some of everything. */
#define SCRIPT                                                                 \
	"utilization=45/12;memory=1000/100/300/600;power=250000;limit=1;"      \
	"energy=1234;clock0=1980;clock1=1;clock2=2;clock3=3;clockmax0=4;"      \
	"clockmax1=5;clockmax2=6;clockmax3=7;reasons=4;temperature0=71;"       \
	"performance=2;pcie0=1500;pcie1=32;encoder=7;decoder=8;ecc0.0=3;"      \
	"ecc1.0=1;compute=5/10/0/0+6/20+7/30;graphics=8/40;uses=5/100/9;"      \
	"samples=100/7;events=0/8/13,none"

static void each_age_tells_what_it_knows(void **state)
{
	struct machine *m = *state;

	for (int age = 1; age <= 4; age++) {
		library(age);
		opens(m, SCRIPT);
		reads(m, 1);
		says(m, A, "utilization", "gpu", 0, "45");
		says(m, A, "power", "", 0, "250000");
		says(m, A, "throttle-reasons", "", 0, "4");
		says(m, A, "memory-total", "", 0, "1000");
		says(m, A, "memory-free", "", 0, "300");
		/* The first version counts what is reserved as used. */
		says(m, A, "memory-used", "", 0, age < 3 ? "700" : "600");
		assert_true(!why(m, "nvml.memory-reserved") == (age >= 3));
		/* Entries have 16, 24, 32 and 24 bytes. */
		says(m, A, "memory-used", "", 5, "10");
		says(m, A, "memory-used", "", 6, "20");
		says(m, A, "memory-used", "", 7, "30");
		says(m, A, "memory-used", "", 8, "40");
		says(m, A, "xid", "", 0, "0 13");
		assert_int_equal(series_of(m, A, "energy", "", 0) >= 0,
				 age >= 2);
	}
	assert_null(why(m, "nvml.energy"));
	library(1);
	opens(m, SCRIPT);
	reads(m, 1);
	assert_string_equal(why(m, "nvml.energy"),
			    "this library has no "
			    "'nvmlDeviceGetTotalEnergyConsumption'");
	assert_string_equal(why(m, "nvml.gpm"),
			    "this library knows of none");
}

/* Copies the library of an age without one of its names: "nvml" becomes
 * "xvml", by which nobody asks. */
static bool without(int age, const char *symbol, const char *path)
{
	static char bytes[1 << 20];
	char want[80];
	size_t n, len;
	FILE *f;
	char *at;

	library(age);
	f = fopen(getenv("COLTRACE_NVML"), "r");
	assert_non_null(f);
	n = fread(bytes, 1, sizeof(bytes), f);
	assert_true(n > 0 && n < sizeof(bytes));
	fclose(f);
	len = (size_t)snprintf(want, sizeof(want), "%c%s", 0, symbol) + 1;
	for (at = bytes; (at = memmem(at, n - (size_t)(at - bytes), want, len));
	     at++)
		at[1] = 'x';
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return setenv("COLTRACE_NVML", path, 1) == 0;
}

static const struct {
	const char *symbol, *name, *part, *missing;
} metrics[] = {
	{ "nvmlDeviceGetUtilizationRates", "utilization", "gpu",
	  "nvml.utilization/gpu" },
	{ "nvmlDeviceGetEncoderUtilization", "utilization", "encoder",
	  "nvml.utilization/encoder" },
	{ "nvmlDeviceGetDecoderUtilization", "utilization", "decoder",
	  "nvml.utilization/decoder" },
	{ "nvmlDeviceGetPowerUsage", "power", "", "nvml.power" },
	{ "nvmlDeviceGetEnforcedPowerLimit", "power-limit", "",
	  "nvml.power-limit" },
	{ "nvmlDeviceGetTotalEnergyConsumption", "energy", "",
	  "nvml.energy" },
	{ "nvmlDeviceGetClockInfo", "clock", "sm", "nvml.clock/sm" },
	{ "nvmlDeviceGetMaxClockInfo", "clock-max", "sm",
	  "nvml.clock-max/sm" },
	{ "nvmlDeviceGetTemperature", "temperature", "gpu",
	  "nvml.temperature/gpu" },
	{ "nvmlDeviceGetPerformanceState", "performance-state", "",
	  "nvml.performance-state" },
	{ "nvmlDeviceGetPcieThroughput", "pcie-tx", "",
	  "nvml.pcie-tx" },
	{ "nvmlDeviceGetTotalEccErrors", "ecc-errors", "corrected",
	  "nvml.ecc-errors/corrected" },
	{ "nvmlEventSetCreate", "xid", "", "nvml.xid" },
	{ "nvmlEventSetFree", "xid", "", "nvml.xid" },
	{ "nvmlDeviceRegisterEvents", "xid", "", "nvml.xid" },
	{ "nvmlDeviceGetSamples", "power", "sampled",
	  "nvml.power/sampled" },
	{ "nvmlDeviceGetName", "no-such-series", "", NULL },
	{ "nvmlDeviceGetHandleByPciBusId_v2", "no-such-series", "",
	  NULL },
};

static void a_missing_name_costs_its_own_metric_only(void **state)
{
	struct machine *m = *state;
	char path[128];

	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		/* A new name each time: a library that is open is not read
		 * again. */
		snprintf(path, sizeof(path), "%s/nvml%zu.so", m->tree.root, i);
		assert_true(without(4, metrics[i].symbol, path));
		opens(m, SCRIPT);
		reads(m, 1);
		assert_int_equal(series_of(m, A, metrics[i].name, metrics[i].part,
					   0), -1);
		if (metrics[i].missing)
			assert_non_null(why(m, metrics[i].missing));
		if (strcmp(metrics[i].name, "power"))
			says(m, A, "power", "", 0, "250000");
		says(m, A, "memory-used", "", 0, "600");
		says(m, A, "memory-used", "", 8, "40");
	}
	shut(m);
}

static void an_older_name_does_where_the_newest_is_missing(void **state)
{
	static const struct { const char *symbol, *memory; } cases[] = {
		{ "nvmlInit_v2", "600" },
		{ "nvmlDeviceGetCount_v2", "600" },
		{ "nvmlDeviceGetHandleByIndex_v2", "600" },
		{ "nvmlDeviceGetPciInfo_v3", "600" },
		{ "nvmlDeviceGetMemoryInfo_v2", "700" },
		{ "nvmlDeviceGetMemoryInfo", "600" },
		{ "nvmlDeviceGetMPSComputeRunningProcesses_v3", "600" },
		{ "nvmlDeviceGetCurrentClocksEventReasons", "600" },
		{ "nvmlDeviceGetComputeRunningProcesses_v3", "600" },
		{ "nvmlDeviceGetGraphicsRunningProcesses_v3", "600" },
		{ "nvmlEventSetWait_v2", "600" },
	};
	struct machine *m = *state;
	char path[128];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		snprintf(path, sizeof(path), "%s/old%zu.so", m->tree.root, i);
		assert_true(without(4, cases[i].symbol, path));
		opens(m, SCRIPT);
		reads(m, 1);
		says(m, A, "memory-used", "", 0, cases[i].memory);
		says(m, A, "memory-used", "", 7, "30");
		says(m, A, "memory-used", "", 8, "40");
		says(m, A, "throttle-reasons", "", 0, "4");
		says(m, A, "xid", "", 0, "0 13");
	}
	shut(m);
}

static void without_a_name_that_all_need_there_is_nothing(void **state)
{
	static const char *const symbols[] = {
		"nvmlInit", "nvmlShutdown", "nvmlDeviceGetCount",
		"nvmlDeviceGetHandleByIndex", "nvmlDeviceGetPciInfo",
	};
	struct machine *m = *state;
	char path[128];

	for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
		snprintf(path, sizeof(path), "%s/no%zu.so", m->tree.root, i);
		assert_true(without(1, symbols[i], path));
		assert_int_equal(try_open(m, SCRIPT), 1);
		assert_non_null(strstr(m->err.text, "has no 'nvml"));
	}
	/* Some of GPM are none of it. */
	snprintf(path, sizeof(path), "%s/gpm.so", m->tree.root);
	assert_true(without(4, "nvmlGpmSampleFree", path));
	opens(m, "gpm=1;power=2");
	reads(m, 1);
	assert_non_null(why(m, "nvml.gpm"));
	shut(m);
}

/* Then a divided GPU is what it was to who knows of no MIG, and is said to be
 * divided. */
static void without_a_name_of_mig_there_are_no_instances(void **state)
{
	static const char *const symbols[] = {
		"nvmlDeviceGetMaxMigDeviceCount",
		"nvmlDeviceGetMigDeviceHandleByIndex",
		"nvmlDeviceGetGpuInstanceId",
		"nvmlDeviceGetComputeInstanceId",
		"nvmlDeviceGetMigMode",
	};
	struct machine *m = *state;
	char path[128];

	for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
		snprintf(path, sizeof(path), "%s/mig%zu.so", m->tree.root, i);
		assert_true(without(4, symbols[i], path));
		opens(m, SCRIPT ";mig=1;migs=1/0");
		reads(m, 2);
		says(m, A, "power", "", 0, "250000 250000");
		says(m, A, "memory-used", "", 8, "40 40");
		assert_int_equal(series_of(m, A "/gi1/ci0", "memory-used", "",
					   0), -1);
		assert_true(!why(m, "nvml.mig") == (i == 4));
	}
	/* Counters alone may be missing, and names. */
	snprintf(path, sizeof(path), "%s/migsample.so", m->tree.root);
	assert_true(without(4, "nvmlGpmMigSampleGet", path));
	opens(m, "mig=1;migs=1/0;memory=9/1/3/5;gpm=1");
	reads(m, 1);
	says(m, A "/gi1/ci0", "memory-used", "", 0, "5");
	assert_string_equal(why(m, "nvml." A "/gi1/ci0.gpm"),
			    "this library knows of none");
	/* The older way of waiting does not tell whose an Xid is. */
	snprintf(path, sizeof(path), "%s/wait.so", m->tree.root);
	assert_true(without(4, "nvmlEventSetWait_v2", path));
	opens(m, "mig=1;migs=0/0;memory=9/1/3/5;events=0/8/13,none");
	reads(m, 1);
	says(m, A, "xid", "", 0, "0 13");
	snprintf(path, sizeof(path), "%s/uuid.so", m->tree.root);
	assert_true(without(4, "nvmlDeviceGetUUID", path));
	opens(m, "mig=1;migs=1/0;memory=9/1/3/5");
	reads(m, 1);
	says(m, A "/gi1/ci0", "memory-used", "", 0, "5");
}

/* Opening says that there is no memory; reading drops, and counts what. */
static void each_allocation_may_fail(void **state)
{
	struct machine *m = *state;
	static const pid_t pids[] = { 5, 6, 7, 8 };
	bool failed = true;

	m->how.pids = pids;
	m->how.n_pids = ARRAY_LEN(pids);
	for (long n = 1; failed; n++) {
		int rc;

		shut(m);
		setenv("COLTRACE_NVML_SCRIPT", SCRIPT ";gpm=1;gpm.2=3", 1);
		assert_int_equal(rec_readings_init(&m->r, &m->err), 0);
		failalloc_at(n);
		rc = rec_counter_nvml.open(&m->state, &m->how, &m->r, &m->err);
		if (rc)
			assert_int_equal(rc, ERR_NOMEM);
		for (int i = 0; i < 2 && !rc; i++) {
			rec_counter_nvml.read(m->state, &m->r);
			/* GPM's request needs memory, too. */
			if (i == 0)
				usleep(101000);
		}
		failed = failalloc_hit();
		failalloc_off();
		assert_true(n < 500);
	}
	says(m, A, "memory-used", "", 8, "40 40");
	says(m, A, "sm-active", "", 0, "3000");
	assert_int_equal(m->r.dropped, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(each_age_tells_what_it_knows),
		TEST(a_missing_name_costs_its_own_metric_only),
		TEST(an_older_name_does_where_the_newest_is_missing),
		TEST(without_a_name_that_all_need_there_is_nothing),
		TEST(without_a_name_of_mig_there_are_no_instances),
		TEST(each_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
