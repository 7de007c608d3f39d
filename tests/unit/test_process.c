#include "record/proc/process.h"

#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define STATUS                                                                 \
	"Name:	nginx\nTgid:	812\nNSpid:	812	17	3\nThreads:	1\n"

static void link_to(const struct filetree *t, const char *path, const char *to)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", t->root, path);
	assert_int_equal(symlink(to, full), 0);
}

struct read {
	struct rec_process p;
	struct buf text;
};

static void read_it(struct read *r, const struct filetree *t, uint64_t own)
{
	buf_init(&r->text, 1 << 20);
	rec_process_read(&r->p, t->root, 812, own, &r->text);
}

static void check_cgroup(const struct read *r, const char *want)
{
	assert_int_equal(r->p.cgroup.n, strlen(want));
	if (*want)
		assert_memory_equal(r->p.cgroup.p, want, strlen(want));
}

static void in_a_container_it_has_its_number_there(void **state)
{
	struct filetree t;
	struct read r;

	(void)state;
	filetree_init(&t);
	filetree_text(&t, "/proc/812/status", STATUS);
	filetree_text(&t, "/proc/812/ns/keep", "");
	link_to(&t, "/proc/812/ns/pid", "pid:[4026532500]");
	filetree_text(&t, "/proc/812/cgroup",
		      "12:cpu,cpuacct:/old\n0::/docker/4f2a\n");
	read_it(&r, &t, 4026531836);
	assert_int_equal(r.p.pid_ns, 4026532500);
	assert_int_equal(r.p.ns_pid, 3);
	check_cgroup(&r, "/docker/4f2a");
	buf_fini(&r.text);
	filetree_fini(&t);
}

static void in_our_namespace_its_number_is_ours(void **state)
{
	struct filetree t;
	struct read r;

	(void)state;
	filetree_init(&t);
	filetree_text(&t, "/proc/812/ns/keep", "");
	filetree_text(&t, "/proc/self/ns/keep", "");
	link_to(&t, "/proc/812/ns/pid", "pid:[4026531836]");
	link_to(&t, "/proc/self/ns/pid", "pid:[4026531836]");
	assert_int_equal(rec_process_own_ns(t.root), 4026531836);
	read_it(&r, &t, rec_process_own_ns(t.root));
	assert_int_equal(r.p.pid_ns, 4026531836);
	assert_int_equal(r.p.ns_pid, 812);
	check_cgroup(&r, "");
	buf_fini(&r.text);
	filetree_fini(&t);
}

static void of_one_that_is_gone_nothing_is_known(void **state)
{
	struct filetree t;
	struct read r;

	(void)state;
	filetree_init(&t);
	read_it(&r, &t, 4026531836);
	assert_int_equal(r.p.pid_ns, 0);
	assert_int_equal(r.p.ns_pid, 0);
	check_cgroup(&r, "");
	assert_int_equal(rec_process_own_ns(t.root), 0);
	buf_fini(&r.text);
	filetree_fini(&t);
}

static void what_may_not_be_looked_at_leaves_the_rest(void **state)
{
	struct filetree t;
	struct read r;

	(void)state;
	filetree_init(&t);
	filetree_text(&t, "/proc/812/status", STATUS);
	filetree_text(&t, "/proc/812/cgroup", "0::/user.slice\n");
	read_it(&r, &t, 4026531836);
	assert_int_equal(r.p.pid_ns, 0);
	assert_int_equal(r.p.ns_pid, 3);
	check_cgroup(&r, "/user.slice");
	buf_fini(&r.text);
	filetree_fini(&t);
}

static void malformed_files_say_nothing(void **state)
{
	static const char *const links[] = { "pid:[]", "net:[5]", "pid:[5",
					     "pid:[5x]", "5" };
	struct filetree t;

	(void)state;
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		struct read r;

		filetree_init(&t);
		filetree_text(&t, "/proc/812/status", "NSpid:	8	x\n");
		filetree_text(&t, "/proc/812/cgroup", "0:\n:::\n0:");
		filetree_text(&t, "/proc/812/ns/keep", "");
		link_to(&t, "/proc/812/ns/pid", links[i]);
		read_it(&r, &t, 1);
		assert_int_equal(r.p.pid_ns, 0);
		assert_int_equal(r.p.ns_pid, 0);
		check_cgroup(&r, "");
		buf_fini(&r.text);
		filetree_fini(&t);
	}
}

static void a_kernel_thread_has_no_program(void **state)
{
	struct filetree t;

	(void)state;
	filetree_init(&t);
	filetree_text(&t, "/proc/812/comm", "kworker\n");
	filetree_text(&t, "/proc/813/comm", "bash\n");
	link_to(&t, "/proc/813/exe", "/usr/bin/bash");
	assert_true(rec_process_is_kernel(t.root, 812));
	assert_false(rec_process_is_kernel(t.root, 813));
	filetree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_a_container_it_has_its_number_there),
		cmocka_unit_test(in_our_namespace_its_number_is_ours),
		cmocka_unit_test(of_one_that_is_gone_nothing_is_known),
		cmocka_unit_test(what_may_not_be_looked_at_leaves_the_rest),
		cmocka_unit_test(malformed_files_say_nothing),
		cmocka_unit_test(a_kernel_thread_has_no_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
