#include "record/perf/syscalls.h"

#include "format/base/calls.h"
#include "format/base/mem.h"
#include "tests/support/failalloc.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

/* Numbers of this machine's own header; names as the kernel's sources define
 * the calls (SYSCALL_DEFINE3(newfstat…)). */
static const struct {
	uint64_t nr;
	const char *name;
} known[] = {
	{ SYS_read, "read" },
	{ SYS_openat, "openat" },
	{ SYS_fstat, "newfstat" },
	{ SYS_newfstatat, "newfstatat" },
	{ SYS_uname, "newuname" },
	{ SYS_sendfile, "sendfile64" },
	{ SYS_umount2, "umount" },
	{ SYS_mmap, "mmap" },
	{ SYS_execve, "execve" },
	{ SYS_clone3, "clone3" },
	{ SYS_futex, "futex" },
	{ SYS_perf_event_open, "perf_event_open" },
	{ SYS_statx, "statx" },
	{ SYS_rseq, "rseq" },
	{ SYS_close_range, "close_range" },
};

static void a_call_has_the_name_of_its_tracepoint(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		uint64_t nr = 0;

		assert_string_equal(rec_syscall_name(known[i].nr),
				    known[i].name);
		assert_true(rec_syscall_number(&nr, known[i].name));
		assert_int_equal(nr, known[i].nr);
	}
}

static void other_numbers_and_names_are_none(void **state)
{
	uint64_t nr;

	(void)state;
	assert_null(rec_syscall_name(400));
	assert_null(rec_syscall_name(511));
	assert_null(rec_syscall_name(UINT64_MAX));
	assert_false(rec_syscall_number(&nr, "fstat"));
	assert_false(rec_syscall_number(&nr, ""));
}

static void check_table(const struct call_run *runs, size_t at_least)
{
	const char *seen[REC_SYSCALLS_MAX];
	unsigned int next = 0;
	size_t n = 0;

	for (const struct call_run *r = runs; r->n; r++) {
		assert_true(r->first >= next);
		next = r->first + r->n;
		assert_true(next <= REC_SYSCALLS_MAX);
		for (size_t i = 0; i < r->n; i++) {
			if (!r->names[i])
				continue;
			for (size_t k = 0; k < n; k++)
				assert_string_not_equal(seen[k], r->names[i]);
			seen[n++] = r->names[i];
		}
	}
	assert_true(n >= at_least);
}

static void tables_rise_and_have_each_name_once(void **state)
{
	(void)state;
	check_table(call_runs_x86_64, 350);
	check_table(call_runs_aarch64, 300);
}

/* From include/uapi/asm-generic/unistd.h. */
static void the_other_architecture_has_its_own_numbers(void **state)
{
	const struct call_run *r = call_runs_aarch64;

	(void)state;
	assert_int_equal(r->first, 0);
	assert_string_equal(r->names[56], "openat");
	assert_string_equal(r->names[63], "read");
	assert_string_equal(r->names[80], "newfstat");
	assert_string_equal(r->names[93], "exit");
	assert_string_equal(r->names[222], "mmap");
	assert_string_equal(r[1].names[0], "wait4"); /* 260 */
	assert_string_equal(r[2].names[435 - 424], "clone3");
}

/* The kernel's rules for such an expression: numbers, comparison, and, or, not,
 * parentheses. */
struct expression {
	const char *at;
	uint64_t id;
};

static bool any_of(struct expression *x);

static bool one_of(struct expression *x)
{
	uint64_t n;
	char op[3] = "";
	bool not = *x->at == '!';

	x->at += not;
	if (*x->at == '(') {
		bool v;

		x->at++;
		v = any_of(x);
		assert_int_equal(*x->at, ')');
		x->at++;
		return v != not;
	}
	assert_false(not);
	assert_int_equal(strncmp(x->at, "id", 2), 0);
	memcpy(op, x->at + 2, 2);
	x->at += 4;
	assert_true(isdigit((unsigned char)*x->at));
	n = strtoull(x->at, (char **)&x->at, 10);
	return !strcmp(op, "==") ? x->id == n :
	       !strcmp(op, ">=") ? x->id >= n : x->id <= n;
}

static bool any_of(struct expression *x)
{
	bool any = false;

	for (;;) {
		bool all = one_of(x);

		while (!strncmp(x->at, "&&", 2)) {
			x->at += 2;
			all = one_of(x) && all;
		}
		any = any || all;
		if (strncmp(x->at, "||", 2))
			return any;
		x->at += 2;
	}
}

static void note(struct rec_syscall_set *enter, struct rec_syscall_set *leave,
		 uint64_t nr, bool asked)
{
	char event[64];

	snprintf(event, sizeof(event), "sys_enter_%s", rec_syscall_name(nr));
	assert_true(rec_syscall_note("syscalls", event, asked, enter, leave));
}

/* Whatever is asked for, each call that there is passes if it is, and the text
 * is shorter than a page, which is the kernel's limit. */
static void a_filter_lets_pass_what_is_asked_for(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct rec_syscall_set enter = { 0 }, leave = { .is_exit = 1 };
		uint32_t share = (uint32_t)round % 100;
		struct err err = { 0 };
		char *filter;

		for (uint64_t nr = 0; nr < REC_SYSCALLS_MAX; nr++) {
			seed = seed * 1664525 + 1013904223;
			if (rec_syscall_name(nr))
				note(&enter, &leave, nr,
				     (seed >> 16) % 100 <= share);
		}
		assert_int_equal(leave.n + leave.n_lacks, 0);
		assert_int_equal(rec_syscall_filter(&filter, &enter, &err), 0);
		if (!filter) {
			assert_int_equal(enter.n_lacks, 0);
			continue;
		}
		assert_true(strlen(filter) < 4096);
		for (uint64_t nr = 0; nr < REC_SYSCALLS_MAX; nr++) {
			struct expression x = { filter, nr };

			if (!rec_syscall_name(nr))
				continue;
			assert_int_equal(any_of(&x), enter.has[nr]);
			assert_int_equal(*x.at, 0);
		}
		free(filter);
	}
}

static void other_tracepoints_are_left_alone(void **state)
{
	struct rec_syscall_set enter = { 0 }, leave = { .is_exit = true };

	(void)state;
	assert_false(rec_syscall_note("sched", "sys_enter_read", true, &enter,
				      &leave));
	assert_false(rec_syscall_note("syscalls", "sys_enter_", true, &enter,
				      &leave));
	assert_false(rec_syscall_note("syscalls", "filter", true, &enter,
				      &leave));
	assert_true(rec_syscall_note("syscalls", "sys_exit_read", true, &enter,
				     &leave));
	assert_true(rec_syscall_note("syscalls", "sys_exit_read", true, &enter,
				     &leave));
	assert_int_equal(enter.n, 0);
	assert_int_equal(leave.n, 1);
}

static void a_filter_without_memory_is_told(void **state)
{
	struct rec_syscall_set set = { .n = 1, .n_lacks = 1 };
	struct err err = { 0 };
	char *filter;

	(void)state;
	set.has[3] = set.lacks[5] = true;
	failalloc_at(1);
	assert_int_equal(rec_syscall_filter(&filter, &set, &err), ERR_NOMEM);
	failalloc_off();
	assert_null(filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_has_the_name_of_its_tracepoint),
		cmocka_unit_test(other_numbers_and_names_are_none),
		cmocka_unit_test(tables_rise_and_have_each_name_once),
		cmocka_unit_test(the_other_architecture_has_its_own_numbers),
		cmocka_unit_test(a_filter_lets_pass_what_is_asked_for),
		cmocka_unit_test(other_tracepoints_are_left_alone),
		cmocka_unit_test(a_filter_without_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
