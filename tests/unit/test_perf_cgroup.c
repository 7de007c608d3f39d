#include "record/perf/cgroup.h"

#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char both[] =
	"proc /proc proc rw 0 0\n"
	"cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
	"cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"
	"cgroup /sys/fs/cgroup/perf_event cgroup rw,perf_event 0 0\n";
static const char second[] = "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n";
static const char neither[] = "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n";

static void check(const char *mounts, const char *group, const char *where)
{
	char path[256], link[64], seen[512];
	struct err err = { 0 };
	struct filetree t;
	ssize_t n;
	int fd;

	filetree_init(&t);
	filetree_text(&t, "/proc/mounts", mounts);
	snprintf(path, sizeof(path), "%s/cgroup.procs", where);
	filetree_text(&t, path, "");
	assert_int_equal(rec_cgroup_open(&fd, t.root, group, &err), 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, seen, sizeof(seen) - 1);
	assert_true(n > 0);
	seen[n] = 0;
	assert_non_null(strstr(seen, where));
	close(fd);
	filetree_fini(&t);
}

static void the_hierarchy_of_perf_events_is_taken_first(void **state)
{
	(void)state;
	check(both, "a/b", "/sys/fs/cgroup/perf_event/a/b");
	check(second, "a", "/sys/fs/cgroup/a");
}

static void what_is_not_there_is_told(void **state)
{
	struct err err = { 0 };
	struct filetree t;
	int fd;

	(void)state;
	filetree_init(&t);
	filetree_text(&t, "/proc/mounts", second);
	assert_int_equal(rec_cgroup_open(&fd, t.root, "x", &err), ERR_USAGE);
	assert_string_equal(err.text, "no cgroup 'x' below '/sys/fs/cgroup'");
	filetree_text(&t, "/proc/mounts", neither);
	assert_int_equal(rec_cgroup_open(&fd, t.root, "x", &err),
			 ERR_UNSUPPORTED);
	filetree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hierarchy_of_perf_events_is_taken_first),
		cmocka_unit_test(what_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
