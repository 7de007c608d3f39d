/* CPUs that go away, come back and come anew: a tree of files says so, while the
 * events are the kernel's and of a CPU that stays. What the kernel itself does
 * then is in tests/e2e/hotplug.sh. */
#include "record/counter/pmu/state.h"

#include "record/perf/sysfs.h"
#include "tests/support/filetree.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include <cmocka.h>

#define ONLINE "/sys/devices/system/cpu/online"

struct fixture {
	struct filetree tree;
	struct rec_events events;
	struct rec_pmu_config cfg;
	struct rec_readings readings;
	struct log log;
	void *state;
	struct err err;
};

static const int only_0[] = { 0 };

static void set_up(struct fixture *f, const char *online)
{
	*f = (struct fixture){ .log = { stderr, "test", LOG_QUIET } };
	filetree_init(&f->tree);
	filetree_text(&f->tree, ONLINE, online);
	assert_int_equal(rec_readings_init(&f->readings, &f->err), 0);
	f->events.root = f->tree.root;
	f->cfg = (struct rec_pmu_config){ .events = &f->events,
					  .system_wide = true };
}

static int open_all(struct fixture *f, const char *events)
{
	assert_int_equal(rec_events_add(&f->events, events, &f->err), 0);
	return rec_counter_pmu.open(&f->state, &(struct rec_counter_opening){
		.root = f->tree.root, .log = &f->log, .pmu = &f->cfg },
		&f->readings, &f->err);
}

static int begin(struct fixture *f, const char *events, const char *online)
{
	set_up(f, online);
	return open_all(f, events);
}

static void end(struct fixture *f)
{
	if (f->state)
		rec_counter_pmu.close(f->state);
	rec_readings_fini(&f->readings);
	rec_events_fini(&f->events);
	filetree_fini(&f->tree);
}

/* Skips where nobody may count CPUs, or there are fewer. */
static void need_cpus(const char *online)
{
	struct fixture f;
	int rc = begin(&f, "cpu-clock", online);
	bool all = rc == 0 && !f.readings.n_missing;

	end(&f);
	if (!all)
		skip();
}

static const struct rec_reading *read_once(struct fixture *f)
{
	rec_counter_pmu.read(f->state, &f->readings);
	assert_true(f->readings.n > 0);
	return &f->readings.rows[f->readings.n - 1].r;
}

/* Until the thread has looked: it does each second. */
static void wait_for(struct fixture *f, const uint64_t *count, uint64_t want)
{
	const struct timespec a_while = { 0, 10000000 };
	uint64_t now = 0;

	for (int i = 0; i < 300 && now < want; i++) {
		nanosleep(&a_while, NULL);
		pthread_mutex_lock(&f->readings.lock);
		now = *count;
		pthread_mutex_unlock(&f->readings.lock);
	}
	assert_int_equal(now, want);
}

static void a_cpu_that_comes_back_goes_on_counting(void **state)
{
	struct rec_reading before, after;
	struct fixture f;

	(void)state;
	need_cpus("0\n");
	set_up(&f, "0\n");
	f.cfg.cpus = only_0;
	f.cfg.n_cpus = 1;
	assert_int_equal(open_all(&f, "{cpu-clock,page-faults}"), 0);
	read_once(&f);
	before = *read_once(&f);
	filetree_text(&f.tree, ONLINE, "7\n");
	wait_for(&f, &f.readings.cpus.away, 1);
	filetree_text(&f.tree, ONLINE, "0\n");
	wait_for(&f, &f.readings.cpus.back, 1);
	after = *read_once(&f);
	assert_int_equal(after.state, TF_COUNTER_READ);
	assert_true(after.value >= before.value);
	assert_true(after.enabled_ns > before.enabled_ns);
	/* It counted all the time that it was there. */
	assert_true(after.running_ns == after.enabled_ns);
	assert_int_equal(f.readings.cpus.added, 0);
	assert_int_equal(f.readings.n_series, 2);
	end(&f);
}

/* Both CPUs' clocks, from when the second came. */
static void a_cpu_that_comes_anew_is_counted_from_then_on(void **state)
{
	const struct timespec a_while = { 0, 200000000 };
	struct rec_reading a, b;
	struct fixture f;
	double passed;

	(void)state;
	need_cpus("0-1\n");
	assert_int_equal(begin(&f, "cpu-clock,page-faults", "0\n"), 0);
	read_once(&f);
	filetree_text(&f.tree, ONLINE, "0-1\n");
	wait_for(&f, &f.readings.cpus.added, 1);
	rec_counter_pmu.read(f.state, &f.readings);
	assert_int_equal(f.readings.n, 4);
	a = f.readings.rows[2].r;
	nanosleep(&a_while, NULL);
	rec_counter_pmu.read(f.state, &f.readings);
	assert_int_equal(f.readings.n, 6);
	b = f.readings.rows[4].r;
	passed = (double)(b.time_ns - a.time_ns);
	assert_true((double)(b.enabled_ns - a.enabled_ns) > 1.9 * passed);
	assert_true((double)(b.enabled_ns - a.enabled_ns) < 2.1 * passed);
	assert_int_equal(f.readings.rows[4].series, 0);
	assert_int_equal(f.readings.rows[5].series, 1);
	end(&f);
}

static void by_cpu_it_has_a_series_of_its_own(void **state)
{
	struct fixture f;

	(void)state;
	need_cpus("0-1\n");
	set_up(&f, "1\n");
	f.cfg.per_cpu = true;
	assert_int_equal(open_all(&f, "cpu-clock"), 0);
	filetree_text(&f.tree, ONLINE, "0-1\n");
	read_once(&f); /* which looks, for the first time */
	assert_int_equal(f.readings.cpus.added, 1);
	assert_int_equal(f.readings.n_series, 2);
	assert_int_equal(f.readings.series[1].cpu, 0 + 1);
	/* The first row is that of its begin. */
	assert_int_equal(f.readings.n, 3);
	assert_int_equal(f.readings.rows[0].series, 1);
	assert_int_equal(f.readings.rows[0].r.value, 0);
	assert_true(f.readings.rows[2].r.value > 0);
	end(&f);
}

/* Chosen CPUs are meant, not whatever comes. */
static void where_cpus_are_chosen_no_other_is_counted(void **state)
{
	struct fixture f;

	(void)state;
	need_cpus("0-1\n");
	set_up(&f, "0\n");
	f.cfg.cpus = only_0;
	f.cfg.n_cpus = 1;
	assert_int_equal(open_all(&f, "cpu-clock"), 0);
	filetree_text(&f.tree, ONLINE, "0-1\n");
	read_once(&f);
	assert_int_equal(f.readings.cpus.added, 0);
	end(&f);
}

/* Disabled, an event's clock stands still, as when its CPU was away between two
 * looks; what it had counted is kept. */
static void what_stands_still_is_opened_again(void **state)
{
	struct rec_reading before, after;
	struct rec_pmu *p;
	struct fixture f;

	(void)state;
	need_cpus("0\n");
	assert_int_equal(begin(&f, "cpu-clock", "0\n"), 0);
	p = f.state;
	read_once(&f);
	assert_int_equal(p->n_guards, 1);
	assert_int_equal(ioctl(p->guards[0].fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	assert_int_equal(ioctl(p->fds[0].fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	before = *read_once(&f);
	wait_for(&f, &f.readings.cpus.back, 1);
	assert_int_equal(f.readings.cpus.away, 1);
	read_once(&f);
	after = *read_once(&f);
	assert_true(after.value > before.value);
	/* It had stood still until the look: less than the time between. */
	assert_true(after.enabled_ns - before.enabled_ns <
		    after.time_ns - before.time_ns);
	assert_true(f.readings.cpus.away_ns > 0);
	end(&f);
}

/* The PMU msr of this machine, as that of a device which is counted on CPU 0. */
static void device(struct filetree *t)
{
	char type[32];
	uint64_t n;

	if (!rec_sysfs_number(&n, "", REC_PMU_DEVICES "/msr/type"))
		skip();
	snprintf(type, sizeof(type), "%llu\n", (unsigned long long)n);
	filetree_text(t, REC_PMU_DEVICES "/box/type", type);
	filetree_text(t, REC_PMU_DEVICES "/box/cpumask", "0\n");
	filetree_text(t, REC_PMU_DEVICES "/box/format/event", "config:0-63\n");
	filetree_text(t, REC_PMU_DEVICES "/box/events/ticks", "event=0x00\n");
}

static void a_device_is_counted_where_its_cpumask_says(void **state)
{
	struct rec_reading before, after;
	struct rec_pmu *p;
	struct fixture f;
	int fd;

	(void)state;
	need_cpus("0-1\n");
	set_up(&f, "0-1\n");
	device(&f.tree);
	assert_int_equal(open_all(&f, "box/ticks/"), 0);
	p = f.state;
	assert_int_equal(p->n_fds, 1);
	assert_int_equal(p->fds[0].cpu, 0);
	read_once(&f);
	/* The driver moved it, and its events: nothing is to be done. */
	filetree_text(&f.tree, REC_PMU_DEVICES "/box/cpumask", "1\n");
	fd = p->fds[0].fd;
	p->looked_ns = 0;
	before = *read_once(&f);
	assert_int_equal(p->fds[0].fd, fd);
	assert_int_equal(p->fds[0].cpu, 0);
	/* It did not move them. */
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	p->looked_ns = 0;
	read_once(&f);
	assert_int_equal(p->fds[0].cpu, 1);
	after = *read_once(&f);
	assert_true(after.value > before.value);
	assert_true(after.enabled_ns > before.enabled_ns);
	end(&f);
}

/* It is of no cgroup, which the kernel refuses (EINVAL), and the whole machine's
 * count would not be the cgroup's. */
static void a_device_is_not_counted_for_a_cgroup(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, "0\n");
	device(&f.tree);
	assert_int_equal(rec_events_add(&f.events, "box/ticks/", &f.err), 0);
	f.events.items[0].cgroup = strdup("some");
	assert_int_equal(open_all(&f, "cpu-clock"), 0);
	assert_string_equal(f.readings.missing[0].name, "box/ticks/");
	assert_non_null(strstr(f.readings.missing[0].why, "whole machine"));
	rec_counter_pmu.read(f.state, &f.readings);
	assert_int_equal(f.readings.rows[0].r.state, TF_COUNTER_NONE);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_that_comes_back_goes_on_counting),
		cmocka_unit_test(a_cpu_that_comes_anew_is_counted_from_then_on),
		cmocka_unit_test(by_cpu_it_has_a_series_of_its_own),
		cmocka_unit_test(where_cpus_are_chosen_no_other_is_counted),
		cmocka_unit_test(what_stands_still_is_opened_again),
		cmocka_unit_test(a_device_is_counted_where_its_cpumask_says),
		cmocka_unit_test(a_device_is_not_counted_for_a_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
