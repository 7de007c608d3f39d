#include "record/stat/places.h"

#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CPU "/sys/devices/system/cpu/cpu"
#define NODE "/sys/devices/system/node/"

static void are(const struct filetree *t, const char *want)
{
	struct err err = { 0 };
	struct buf text;

	buf_init(&text, 0);
	assert_int_equal(rec_places_text(&text, t->root, &err), 0);
	assert_int_equal(text.n, strlen(want));
	assert_memory_equal(text.p, want, text.n);
	buf_fini(&text);
}

static void places_are_those_of_sysfs(void **state)
{
	struct filetree t;

	(void)state;
	filetree_init(&t);
	filetree_text(&t, "/sys/devices/system/cpu/online", "0,2\n");
	filetree_text(&t, CPU "0/topology/physical_package_id", "0\n");
	filetree_text(&t, CPU "0/topology/die_id", "1\n");
	filetree_text(&t, CPU "0/topology/core_id", "17\n");
	filetree_text(&t, CPU "2/topology/physical_package_id", "3\n");
	filetree_text(&t, CPU "2/topology/die_id", "0\n");
	filetree_text(&t, CPU "2/topology/core_id", "4\n");
	filetree_text(&t, NODE "node0/cpulist", "0-1\n");
	filetree_text(&t, NODE "node11/cpulist", "2-3,8\n");
	are(&t, "0=0/1/17/0 2=3/0/4/11");
	filetree_fini(&t);
}

/* Kernels before 5.3 have no die_id, some machines no sockets and no nodes; a
 * node of memory alone has an empty list. */
static void what_the_kernel_does_not_tell_is_left_open(void **state)
{
	struct filetree t;

	(void)state;
	filetree_init(&t);
	filetree_text(&t, "/sys/devices/system/cpu/online", "0-1\n");
	filetree_text(&t, CPU "0/topology/physical_package_id", "-1\n");
	filetree_text(&t, CPU "0/topology/core_id", "0\n");
	are(&t, "0=-1/-/0/- 1=-/-/-/-");
	filetree_text(&t, NODE "node0/cpulist", "\n");
	filetree_text(&t, NODE "node1/cpulist", "1\n");
	filetree_text(&t, NODE "possible", "0-1\n");
	are(&t, "0=-1/-/0/- 1=-/-/-/1");
	filetree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_those_of_sysfs),
		cmocka_unit_test(what_the_kernel_does_not_tell_is_left_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
