/* GPUs that MIG divides. The expected values are those of the script; what NVML
 * tells of instances, and of a GPU that has some, is by its documentation. */
#include "tests/unit/test_nvml.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"

#define A "0000:03:00.0"
#define B "0000:04:00.0"
#define I1 A "/gi1/ci0"
#define I2 A "/gi2/ci0"
#define WHILE_ON "not supported by this GPU while MIG is on"

/* The GPU tells no load, its list has the processes of both. */
#define TWO                                                                    \
	"mig=1;migs=1/0+2/0;utilization=!3;uses=!3;power=250000;energy=5000;"  \
	"clock1=1980;temperature0=40;memory@0=1000/10/454/536;"                \
	"memory@100=100/1/60/39;memory@101=300/3/200/97;"                      \
	"compute@0=55/39/1/0+66/97/2/0;compute@100=55/39/1/0;"                 \
	"compute@101=66/97/2/0;graphics=none;name@0=NVIDIA H200;"              \
	"name=NVIDIA H200 MIG 1g.18gb;uuid@100=MIG-11111111-aaaa"

static void gpm_reads(struct machine *m)
{
	reads(m, 1);
	usleep(101000);
	reads(m, 1);
}

static void a_divided_gpu_tells_what_holds_for_all(void **state)
{
	struct machine *m = *state;

	opens(m, TWO);
	reads(m, 2);
	says(m, A, "power", "", 0, "250000 250000");
	says(m, A, "energy", "", 0, "5000 5000");
	says(m, A, "clock", "sm", 0, "1980 1980");
	says(m, A, "temperature", "gpu", 0, "40 40");
	says(m, A, "memory-used", "", 0, "536 536");
	assert_string_equal(why(m, "nvml.utilization/gpu"), WHILE_ON);
	assert_string_equal(why(m, "nvml.utilization/encoder"), WHILE_ON);
	assert_string_equal(why(m, "nvml.processes/utilization"), WHILE_ON);
	assert_null(why(m, "nvml.mig"));
	/* Of an instance only what is its own is asked for. */
	assert_int_equal(series_of(m, I1, "power", "", 0), -1);
	assert_int_equal(series_of(m, I1, "clock", "sm", 0), -1);
	assert_null(why(m, "nvml." I1 ".power"));
}

static void each_instance_has_its_memory_and_its_processes(void **state)
{
	struct machine *m = *state;

	filetree_text(&m->tree, "/proc/55/comm", "trainer\n");
	for (int age = 3; age <= 4; age++) {
		library(age);
		opens(m, TWO);
		reads(m, 2);
		says(m, I1, "memory-used", "", 0, "39 39");
		says(m, I1, "memory-free", "", 0, "60 60");
		says(m, I1, "memory-total", "", 0, "100");
		says(m, I2, "memory-used", "", 0, "97 97");
		says(m, I1, "memory-used", "", 55, "39 39");
		says(m, I2, "memory-used", "", 66, "97 97");
		/* Each once. */
		assert_int_equal(series_of(m, I1, "memory-used", "", 66), -1);
		assert_int_equal(series_of(m, A, "memory-used", "", 55), -1);
		assert_string_equal(
			m->r.series[series_of(m, I1, "memory-used", "", 0)]
				.label,
			"NVIDIA H200 MIG 1g.18gb, MIG-11111111-aaaa");
		assert_string_equal(
			m->r.series[series_of(m, I2, "memory-used", "", 0)]
				.label,
			"NVIDIA H200 MIG 1g.18gb");
		assert_string_equal(
			m->r.series[series_of(m, I1, "memory-used", "", 55)]
				.label,
			"trainer");
	}
}

/* Counters are of the GPU instance, whose number has 200 added to it here. */
static void counters_are_those_of_the_gpu_instance(void **state)
{
	struct machine *m = *state;
	int id;

	opens(m, TWO ";gpm=1;gpm_sample=!3;gpm.1@201=80;gpm.2@201=12.5;"
		     "gpm.2@202=99;gpm.10@201=3;gpm.20=5;gpm.60=6");
	gpm_reads(m);
	says(m, I1, "sm-active", "", 0, "12500");
	says(m, I2, "sm-active", "", 0, "99000");
	says(m, I1, "dram-active", "", 0, "3000");
	/* That any engine worked is what utilization is. */
	says(m, I1, "utilization", "gpu", 0, "80000");
	id = series_of(m, I1, "utilization", "gpu", 0);
	assert_true(m->r.series[id].scale == 0.001);
	assert_int_equal(series_of(m, I1, "graphics-active", "", 0), -1);
	assert_string_equal(why(m, "nvml." I2 ".utilization/gpu"),
			    "not supported for a MIG instance");
	/* Links are the GPU's. */
	assert_int_equal(series_of(m, I1, "pcie-tx", "", 0), -1);
	assert_int_equal(series_of(m, I1, "nvlink-rx", "", 0), -1);
	assert_null(why(m, "nvml." I1 ".pcie-tx"));
	assert_string_equal(why(m, "nvml.gpm"), WHILE_ON);
}

static void counters_that_an_instance_has_not_are_said(void **state)
{
	struct machine *m = *state;

	/* An A100 has MIG and no such counters: that is said of the GPU. */
	opens(m, TWO ";gpm=0");
	gpm_reads(m);
	assert_string_equal(why(m, "nvml.gpm"), "not supported by this GPU");
	assert_null(why(m, "nvml." I1 ".gpm"));
	opens(m, TWO ";gpm=1;gpm_mig_sample=!4;gpm.2=1");
	gpm_reads(m);
	assert_string_equal(why(m, "nvml." I1 ".gpm"),
			    "no permission (try as root)");
	says(m, A, "sm-active", "", 0, "1000");
}

static void counters_that_several_share_are_told_once(void **state)
{
	struct machine *m = *state;

	opens(m, "mig=1;migs=1/0+1/1+2/0,1/0+1/1+2/0,1/1+2/0,1/1+2/0;gpm=1;"
		 "memory=100/1/60/39;gpm.2@201=12;gpm.2@202=99");
	gpm_reads(m);
	says(m, A "/gi1", "sm-active", "", 0, "12000");
	says(m, I2, "sm-active", "", 0, "99000");
	assert_int_equal(series_of(m, I1, "sm-active", "", 0), -1);
	says(m, I1, "memory-used", "", 0, "39 39");
	says(m, A "/gi1/ci1", "memory-used", "", 0, "39 39");
	assert_int_equal(series_of(m, A "/gi1", "memory-used", "", 0), -1);
	/* Who is left has it alone. */
	gpm_reads(m);
	says(m, A "/gi1", "sm-active", "", 0, "12000 gone");
	says(m, A "/gi1/ci1", "sm-active", "", 0, "12000");
	assert_string_equal(why(m, "nvml." I1 ".instance"),
			    "it was removed while recording");
	assert_null(why(m, "nvml." A "/gi1.instance"));
}

/* The device of index 0 becomes another instance's. */
static void instances_that_come_begin_and_those_that_go_end(void **state)
{
	struct machine *m = *state;

	opens(m, "mig=1;migs=1/0,1/0+2/0,2/0,none;power=7;"
		 "memory@100=100/1/60/10;memory@101=100/1/60/20;"
		 "compute@100=5/1,5/1,6/2;compute@101=6/2;compute@0=9/9;"
		 "graphics=none");
	reads(m, 4);
	says(m, I1, "memory-used", "", 0, "10 10 gone");
	says(m, I2, "memory-used", "", 0, "20 10 gone");
	says(m, I1, "memory-used", "", 5, "1 1 gone");
	says(m, I2, "memory-used", "", 6, "2 2 gone");
	says(m, A, "power", "", 0, "7 7 7 7");
	assert_string_equal(why(m, "nvml." I1 ".instance"),
			    "it was removed while recording");
	/* Without instances the GPU's list is all that there is. */
	says(m, A, "memory-used", "", 9, "9");
	assert_non_null(strstr(why(m, "nvml.mig"), "no instance"));
}

/* Between two readings one is removed, and one made with its numbers. */
static void another_instance_with_the_same_numbers_is_another(void **state)
{
	struct machine *m = *state;

	opens(m, "mig=1;migs=1/0;memory@100=100/1/60/10,200/1/60/20;"
		 "uuid@100=MIG-a,MIG-a,MIG-b;compute=5/1;graphics=none");
	reads(m, 1);
	says(m, I1, "memory-used", "", 0, "10");
	reads(m, 1);
	says(m, I1, "memory-used", "", 0, "10 20");
	says(m, I1, "memory-used", "", 5, "1 1");
	reads(m, 1);
	/* The last series of that name. */
	says(m, I1, "memory-used", "", 0, "20");
	says(m, I1, "memory-total", "", 0, "200");
	says(m, I1, "memory-used", "", 5, "1");
	assert_string_equal(why(m, "nvml." I1 ".instance"),
			    "it was removed while recording");
	assert_int_equal(m->r.rows[m->r.n - 1].r.state, TF_COUNTER_READ);
}

static void mig_may_be_switched_while_recording(void **state)
{
	struct machine *m = *state;

	opens(m, "mig=0,1,1,0;migs=1/0;utilization=45/1,!3;memory=9/1/3/5;"
		 "compute@0=5/1;compute@100=5/2;graphics=none");
	reads(m, 4);
	says(m, A, "utilization", "gpu", 0, "45 gone");
	assert_string_equal(why(m, "nvml.utilization/gpu"), WHILE_ON);
	says(m, I1, "memory-used", "", 5, "2 2 gone");
	says(m, I1, "memory-used", "", 0, "5 5 gone");
	says(m, A, "memory-used", "", 0, "5 5 5 5");
}

static void a_lost_instance_leaves_the_others(void **state)
{
	struct machine *m = *state;

	opens(m, "mig=1;migs=1/0+2/0;power=7;memory@100=9/1/3/5,!15,9/1/3/5;"
		 "memory@101=9/1/3/6;compute@100=5/1;compute@101=6/2;"
		 "graphics=none;memory@0=9/1/4/4");
	reads(m, 3);
	says(m, I1, "memory-used", "", 0, "5 gone");
	says(m, I1, "memory-used", "", 5, "1 gone");
	says(m, I2, "memory-used", "", 0, "6 6 6");
	says(m, A, "power", "", 0, "7 7 7");
	assert_string_equal(why(m, "nvml." I1 ".instance"),
			    "it was lost while recording");
	/* All of them with the GPU. */
	opens(m, "gpus=2;mig@0=1;migs@0=1/0+2/0,1/0+2/0,!15;memory=9/1/3/5;"
		 "power=7");
	reads(m, 3);
	says(m, I1, "memory-used", "", 0, "5 5 gone");
	says(m, A, "memory-used", "", 0, "5 5 gone");
	says(m, B, "power", "", 0, "7 7 7");
	assert_string_equal(why(m, "nvml." A ".gpu"),
			    "it was lost while recording");
}

static void an_instance_that_cannot_be_looked_at_is_not_gone(void **state)
{
	struct machine *m = *state;

	opens(m, "mig=1,1,!999,1;migs=1/0+2/0,!999+2/0,1/0+2/0;"
		 "memory=9/1/3/5;compute=none;graphics=none");
	reads(m, 4);
	says(m, I1, "memory-used", "", 0, "5 5 5 5");
	says(m, I2, "memory-used", "", 0, "5 5 5 5");
	assert_string_equal(why(m, "nvml.mig"), "it does not know why");
	/* Those behind it are looked at, and another user's hide nobody's end. */
	opens(m, "mig=1;migs=1/0+!999,1/0+!999+3/0;memory=9/1/3/5");
	reads(m, 2);
	says(m, A "/gi3/ci0", "memory-used", "", 0, "5");
	opens(m, "mig=1;migs=!4+2/0+3/0,!4+2/0;memory=9/1/3/5");
	reads(m, 2);
	says(m, I2, "memory-used", "", 0, "5 5");
	says(m, A "/gi3/ci0", "memory-used", "", 0, "5 gone");
	assert_string_equal(why(m, "nvml.mig"), "no permission (try as root)");
	/* Of one that is gone in between, nothing is. */
	opens(m, "mig=1;migs=1/0+!6+2/0;memory=9/1/3/5");
	reads(m, 2);
	says(m, I2, "memory-used", "", 0, "5 5");
	assert_null(why(m, "nvml.mig"));
}

static void what_an_instance_cannot_is_said_with_its_address(void **state)
{
	struct machine *m = *state;

	opens(m, "mig=1;migs=1/0+2/0;memory@0=9/1/4/4;memory@100=!3;"
		 "memory@101=!999,9/1/3/6;compute=none;graphics=none");
	reads(m, 2);
	assert_string_equal(why(m, "nvml." I1 ".memory-used"),
			    "not supported for a MIG instance");
	says(m, I2, "memory-used", "", 0, "failed 6");
}

/* As on the host of virtual GPUs. */
static void the_gpus_list_says_where_a_process_is(void **state)
{
	struct machine *m = *state;

	opens(m, "mig=1;migs=1/0+2/0;memory=9/1/3/5;compute@100=!3;"
		 "compute@101=!3;compute@0=55/39/1/0+66/97/2/0+77/8/2/1;"
		 "graphics=!3");
	reads(m, 2);
	says(m, I1, "memory-used", "", 55, "39 39");
	says(m, I2, "memory-used", "", 66, "97 97");
	assert_int_equal(series_of(m, I2, "memory-used", "", 77), -1);
	assert_string_equal(why(m, "nvml." I1 ".processes/graphics"),
			    "not supported for a MIG instance");
}

static void an_xid_is_of_its_instance_where_the_driver_can_tell(void **state)
{
	struct machine *m = *state;

	/* Instances and parts are greater by one. */
	opens(m, "mig=1;migs=1/0+2/0+3/0+3/1;memory=9/1/3/5;"
		 "events=none,0/8/31/3/1,0/8/13/2,0/8/45/4,0/8/79,0/8/48/9/1,"
		 "none");
	reads(m, 2);
	says(m, I2, "xid", "", 0, "31");
	says(m, I1, "xid", "", 0, "13");
	says(m, A "/gi3", "xid", "", 0, "45");
	says(m, A, "xid", "", 0, "0 79 48");
}

static void without_mig_nothing_is_said_of_it(void **state)
{
	static const char *const scripts[] = {
		"utilization=!3", "mig=0;utilization=!3", "mig=!3;utilization=!3"
	};
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		opens(m, scripts[i]);
		reads(m, 2);
		assert_null(why(m, "nvml.mig"));
		assert_string_equal(why(m, "nvml.utilization/gpu"),
				    "not supported by this GPU");
	}
	/* A library from before MIG. */
	library(2);
	opens(m, TWO);
	reads(m, 2);
	assert_null(why(m, "nvml.mig"));
	says(m, A, "power", "", 0, "250000 250000");
	says(m, A, "memory-used", "", 55, "39 39");
	says(m, A, "memory-used", "", 66, "97 97");
	assert_int_equal(series_of(m, I1, "memory-used", "", 0), -1);
}

static void each_allocation_may_fail_with_instances_too(void **state)
{
	struct machine *m = *state;
	bool failed = true;

	for (long n = 1; failed; n++) {
		int rc;

		shut(m);
		setenv("COLTRACE_NVML_SCRIPT", TWO ";gpm=1", 1);
		assert_int_equal(rec_readings_init(&m->r, &m->err), 0);
		failalloc_at(n);
		rc = rec_counter_nvml.open(&m->state, &m->how, &m->r, &m->err);
		if (!rc)
			reads(m, 2);
		failed = failalloc_hit();
		failalloc_off();
		assert_true(n < 500);
	}
	says(m, I2, "memory-used", "", 66, "97 97");
	assert_int_equal(m->r.dropped, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_divided_gpu_tells_what_holds_for_all),
		TEST(each_instance_has_its_memory_and_its_processes),
		TEST(counters_are_those_of_the_gpu_instance),
		TEST(counters_that_an_instance_has_not_are_said),
		TEST(counters_that_several_share_are_told_once),
		TEST(instances_that_come_begin_and_those_that_go_end),
		TEST(another_instance_with_the_same_numbers_is_another),
		TEST(mig_may_be_switched_while_recording),
		TEST(a_lost_instance_leaves_the_others),
		TEST(an_instance_that_cannot_be_looked_at_is_not_gone),
		TEST(what_an_instance_cannot_is_said_with_its_address),
		TEST(the_gpus_list_says_where_a_process_is),
		TEST(an_xid_is_of_its_instance_where_the_driver_can_tell),
		TEST(without_mig_nothing_is_said_of_it),
		TEST(each_allocation_may_fail_with_instances_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
