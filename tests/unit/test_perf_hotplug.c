#include "record/perf/hotplug.h"

#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ONLINE "/sys/devices/system/cpu/online"

struct place {
	struct filetree tree;
	struct rec_cpus recorded;
	struct rec_hotplug h;
	char told[128];
};

static void set_up(struct place *p, const char *recorded)
{
	struct err err = { 0 };

	*p = (struct place){ 0 };
	filetree_init(&p->tree);
	assert_int_equal(rec_cpus_parse(&p->recorded, recorded, &err), 0);
}

static void tear_down(struct place *p)
{
	rec_hotplug_fini(&p->h);
	rec_cpus_fini(&p->recorded);
	filetree_fini(&p->tree);
}

static int tell(void *ctx, int cpu, bool back, struct err *err)
{
	struct place *p = ctx;
	size_t n = strlen(p->told);

	(void)err;
	snprintf(p->told + n, sizeof(p->told) - n, "%c%d ", back ? '+' : '-',
		 cpu);
	return 0;
}

static const char *look(struct place *p, const char *online, bool all)
{
	struct err err = { 0 };

	p->told[0] = 0;
	filetree_text(&p->tree, ONLINE, online);
	assert_int_equal(rec_hotplug_look(&p->h, p->tree.root, &p->recorded,
					  all, tell, p, &err), 0);
	return p->told;
}

static void going_and_coming_back_are_each_told_once(void **state)
{
	struct place p;

	(void)state;
	set_up(&p, "0-3");
	assert_string_equal(look(&p, "0-3\n", true), "");
	assert_string_equal(look(&p, "0,2\n", true), "-1 -3 ");
	assert_string_equal(look(&p, "0,2\n", true), "");
	assert_string_equal(look(&p, "0,2-3\n", true), "+3 ");
	assert_string_equal(look(&p, "0-3\n", true), "+1 ");
	assert_string_equal(look(&p, "0-3\n", true), "");
	tear_down(&p);
}

static void a_cpu_that_appears_is_told_where_all_are_meant(void **state)
{
	struct place p;

	(void)state;
	set_up(&p, "0-1");
	assert_string_equal(look(&p, "0-2\n", false), "");
	assert_string_equal(look(&p, "0-2\n", true), "-2 ");
	assert_string_equal(look(&p, "0-2\n", true), "");
	tear_down(&p);
}

static int fail_once(void *ctx, int cpu, bool back, struct err *err)
{
	(void)ctx;
	(void)back;
	return err_set(err, ERR_IO, "CPU %d", cpu);
}

static void a_failure_stops_and_is_not_told_again(void **state)
{
	struct err err = { 0 };
	struct place p;

	(void)state;
	set_up(&p, "0-1");
	filetree_text(&p.tree, ONLINE, "0\n");
	assert_int_equal(rec_hotplug_look(&p.h, p.tree.root, &p.recorded, true,
					  fail_once, NULL, &err), ERR_IO);
	assert_string_equal(err.text, "CPU 1");
	assert_string_equal(look(&p, "0\n", true), "");
	tear_down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(going_and_coming_back_are_each_told_once),
		cmocka_unit_test(
			a_cpu_that_appears_is_told_where_all_are_meant),
		cmocka_unit_test(a_failure_stops_and_is_not_told_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
