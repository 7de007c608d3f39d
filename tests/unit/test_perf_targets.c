#include "record/perf/targets.h"

#include "format/base/mem.h"
#include "record/perf/cpus.h"
#include "record/perf/facts.h"
#include "tests/support/failalloc.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A tree of files in place of /proc and /sys. */
struct tree {
	char root[32];
};

static int setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	strcpy(t->root, "/tmp/treeXXXXXX");
	assert_non_null(mkdtemp(t->root));
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tree *t = *state;
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", t->root);
	assert_int_equal(system(command), 0);
	free(t);
	return 0;
}

static void put_dir(const struct tree *t, const char *path)
{
	char command[128];

	snprintf(command, sizeof(command), "mkdir -p %s%s", t->root, path);
	assert_int_equal(system(command), 0);
}

static void put_file(const struct tree *t, const char *dir, const char *name,
		     const char *text)
{
	char path[128];
	FILE *f;

	put_dir(t, dir);
	snprintf(path, sizeof(path), "%s%s/%s", t->root, dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void a_process_gives_its_threads_by_number(void **state)
{
	struct tree *t = *state;
	struct rec_targets targets = { 0 };
	struct err err = { 0 };

	put_dir(t, "/proc/100/task/100");
	put_dir(t, "/proc/100/task/99");
	put_dir(t, "/proc/100/task/12345");
	put_dir(t, "/proc/100/task/x1");
	assert_int_equal(rec_targets_process(&targets, t->root, 100, &err), 0);
	assert_int_equal(targets.n, 3);
	assert_int_equal(targets.items[0].tid, 99);
	assert_int_equal(targets.items[1].tid, 100);
	assert_int_equal(targets.items[2].tid, 12345);
	assert_int_equal(targets.items[2].from, 100);
	rec_targets_fini(&targets);
}

static void a_task_asked_for_twice_is_taken_once(void **state)
{
	struct tree *t = *state;
	struct rec_targets targets = { 0 };
	struct err err = { 0 };

	put_dir(t, "/proc/100/task/100");
	put_dir(t, "/proc/100/task/101");
	assert_int_equal(rec_targets_process(&targets, t->root, 100, &err), 0);
	assert_int_equal(rec_targets_process(&targets, t->root, 100, &err), 0);
	assert_int_equal(rec_targets_add(&targets, 101, 101, &err), 0);
	assert_int_equal(targets.n, 2);
	rec_targets_fini(&targets);
}

static void a_process_that_is_not_there_is_named(void **state)
{
	struct tree *t = *state;
	struct rec_targets targets = { 0 };
	struct err err = { 0 };

	assert_int_equal(rec_targets_process(&targets, t->root, 77, &err),
			 ERR_USAGE);
	assert_string_equal(err.text, "no such process: 77");
	put_dir(t, "/proc/78/task");
	assert_int_equal(rec_targets_process(&targets, t->root, 78, &err),
			 ERR_USAGE);
	assert_int_equal(targets.n, 0);
	rec_targets_fini(&targets);
}

static void each_allocation_may_fail(void **state)
{
	struct tree *t = *state;

	put_dir(t, "/proc/100/task/100");
	put_dir(t, "/proc/100/task/101");
	for (long n = 1;; n++) {
		struct rec_targets targets = { 0 };
		struct err err = { 0 };
		int rc;

		failalloc_at(n);
		rc = rec_targets_process(&targets, t->root, 100, &err);
		failalloc_off();
		assert_int_equal(rc, failalloc_hit() ? ERR_NOMEM : 0);
		rec_targets_fini(&targets);
		if (!rc)
			break;
	}
}

static void a_list_of_cpus_is_sorted_and_each_once(void **state)
{
	static const int expected[] = { 0, 1, 2, 3, 7, 8 };
	struct rec_cpus c = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(rec_cpus_parse(&c, "7,1-3,0,2,7-8", &err), 0);
	assert_int_equal(c.n, ARRAY_LEN(expected));
	for (size_t i = 0; i < c.n; i++)
		assert_int_equal(c.items[i], expected[i]);
	assert_true(rec_cpus_has(&c, 8));
	assert_false(rec_cpus_has(&c, 4));
	rec_cpus_fini(&c);
}

static void what_is_no_list_of_cpus_is_refused(void **state)
{
	static const char *const bad[] = { "", ",", "1,", ",1", "a", "1-",
					   "-1", "3-1", "1 2", "1-2-3", "0x1",
					   "65536", "99999999999999999999",
					   "0-99999999" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct rec_cpus c = { 0 };
		struct err err = { 0 };

		assert_int_equal(rec_cpus_parse(&c, bad[i], &err), ERR_USAGE);
		rec_cpus_fini(&c);
	}
}

static void the_online_cpus_come_from_the_tree(void **state)
{
	struct tree *t = *state;
	struct rec_cpus c = { 0 };
	struct err err = { 0 };

	assert_int_equal(rec_cpus_online(&c, t->root, &err), ERR_IO);
	put_file(t, "/sys/devices/system/cpu", "online", "0,2-3\n");
	assert_int_equal(rec_cpus_online(&c, t->root, &err), 0);
	assert_int_equal(c.n, 3);
	assert_int_equal(c.items[2], 3);
	rec_cpus_fini(&c);
}

static void facts_come_from_the_tree(void **state)
{
	struct tree *t = *state;
	struct rec_perf_facts f;

	put_file(t, "/proc/sys/kernel", "perf_event_paranoid", "-1\n");
	put_file(t, "/proc/sys/kernel", "perf_event_mlock_kb", "516\n");
	put_file(t, "/proc/sys/kernel", "perf_event_max_sample_rate",
		 "25000\n");
	put_file(t, "/proc/self", "status", "Name:\tx\n"
		 "CapPrm:\t0000000000000000\nCapEff:\t0000004000000000\n");
	rec_perf_facts_read(&f, t->root);
	assert_true(f.paranoid_known);
	assert_int_equal(f.paranoid, -1);
	assert_int_equal(f.mlock_kib, 516);
	assert_int_equal(f.max_rate, 25000);
	assert_true(f.perfmon); /* bit 38 */
	put_file(t, "/proc/self", "status", "CapEff:\t0000003fffdfffff\n");
	rec_perf_facts_read(&f, t->root);
	assert_false(f.perfmon); /* all but bits 21 and 38 */
}

static void missing_files_leave_facts_unknown(void **state)
{
	struct tree *t = *state;
	struct rec_perf_facts f;

	rec_perf_facts_read(&f, t->root);
	assert_false(f.paranoid_known);
	assert_int_equal(f.mlock_kib, -1);
	assert_int_equal(f.max_rate, -1);
	assert_false(f.perfmon);
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(a_process_gives_its_threads_by_number),
		IN_TREE(a_task_asked_for_twice_is_taken_once),
		IN_TREE(a_process_that_is_not_there_is_named),
		IN_TREE(each_allocation_may_fail),
		cmocka_unit_test(a_list_of_cpus_is_sorted_and_each_once),
		cmocka_unit_test(what_is_no_list_of_cpus_is_refused),
		IN_TREE(the_online_cpus_come_from_the_tree),
		IN_TREE(facts_come_from_the_tree),
		IN_TREE(missing_files_leave_facts_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
