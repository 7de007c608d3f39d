/* System calls: begins and ends put together, and what they are on. */
#include "analyze/syscall/groups.h"
#include "tests/support/failalloc.h"
#include "tests/unit/test_gpu_build.h"

#include <setjmp.h>

#include <cmocka.h>

struct fixture {
	struct gb_trace trace;
	struct an_sys_view x;
	struct an_sys_groups groups;
	struct err err;
};

static int make(struct fixture *f, const char *keys, const char *pid)
{
	struct an_selection_args args = {
		.pid = { .items = &pid, .n = pid != NULL } };
	struct an_selection sel = { 0 };
	struct an_sys_by by;
	int rc = an_sys_by_parse(&by, keys, &f->err);

	f->x.t = f->trace.trace;
	if (!rc)
		rc = an_selection_make(&sel, &args, f->trace.trace, &f->err);
	if (!rc)
		rc = an_tasks_init(&f->x.tasks, f->x.t, &f->err);
	if (!rc)
		rc = an_sys_calls_make(&f->x.calls, f->trace.trace,
				       &f->x.tasks, &f->err);
	if (!rc)
		rc = an_files_make(&f->x.files, f->x.t, &f->err);
	if (!rc)
		rc = an_sys_groups_make(&f->groups, &f->x, &by, &sel, true,
					&f->err);
	an_selection_fini(&sel);
	return rc;
}

static void unmake(struct fixture *f)
{
	an_sys_groups_fini(&f->groups);
	an_files_fini(&f->x.files);
	an_sys_calls_fini(&f->x.calls);
	an_tasks_fini(&f->x.tasks);
}

static void open_as(struct fixture *f, const char *lines, const char *keys)
{
	*f = (struct fixture){ 0 };
	gb_open(&f->trace, lines);
	assert_int_equal(make(f, keys, NULL), 0);
}

static void close_fixture(struct fixture *f)
{
	unmake(f);
	gb_close(&f->trace);
}

static const char *name_of(const struct fixture *f, size_t row)
{
	const struct an_sys_call *c =
		&f->x.calls.v[f->groups.v[row].first];

	return (const char *)intern_get(&f->x.calls.names, c->name).p;
}

static void file_is(const struct fixture *f, size_t row, const char *want)
{
	struct buf b;

	buf_init(&b, 0);
	an_sys_put_file(&f->x, &f->x.calls.v[f->groups.v[row].first], &b);
	buf_u8(&b, 0);
	assert_string_equal((char *)b.p, want);
	buf_fini(&b);
}

#define ENTER(call) "syscalls:sys_enter_" call " __syscall_nr=1 "
#define EXIT(call) "syscalls:sys_exit_" call " __syscall_nr=1 "

/* 100 waits 1, 2, 3 and 10 us in read, one with an error; 101 is in a read all
 * the time and fails in a write. */
static const char two_threads[] =
	"thread 100 100 prog\n"
	"thread 101 100 prog\n"
	"1000000 0 100 " ENTER("read") "fd=3 buf=1 count=8 | a;b\n"
	"1001000 0 100 " EXIT("read") "ret=8\n"
	"1000500 1 101 " ENTER("read") "fd=3 buf=1 count=8\n"
	"2000000 0 100 " ENTER("read") "fd=3 buf=1 count=8 | a;b\n"
	"2002000 1 100 " EXIT("read") "ret=-11\n"
	"3000000 1 100 " ENTER("read") "fd=3 buf=1 count=8 | a;c\n"
	"3003000 1 100 " EXIT("read") "ret=8\n"
	"4000000 1 100 " ENTER("read") "fd=3 buf=1 count=8 | a;b\n"
	"4010000 1 100 " EXIT("read") "ret=0\n"
	"5000000 1 100 " ENTER("write") "fd=4 buf=1 count=8\n"
	"5000700 1 100 " EXIT("write") "ret=-9\n";

static void calls_are_counted_and_timed_between_begin_and_end(void **state)
{
	struct fixture f;
	const struct an_sys_group *g;

	(void)state;
	open_as(&f, two_threads, "call");
	assert_int_equal(f.groups.n, 2);
	g = &f.groups.v[0];
	assert_string_equal(name_of(&f, 0), "read");
	assert_int_equal(g->calls, 5);
	assert_int_equal(g->whole, 4);
	assert_int_equal(g->unfinished, 1);
	assert_int_equal(g->no_end, 0);
	assert_int_equal(g->no_begin, 0);
	assert_int_equal(g->total_ns, 16000);
	assert_int_equal(an_sys_mean(g), 4000);
	assert_int_equal(g->times.p50_ns, 2000);
	assert_int_equal(g->times.p95_ns, 10000);
	assert_int_equal(g->times.max_ns, 10000);
	assert_int_equal(g->errors, 1);
	assert_string_equal(an_sys_error_name(g->error), "EAGAIN");
	assert_string_equal(name_of(&f, 1), "write");
	assert_string_equal(an_sys_error_name(f.groups.v[1].error), "EBADF");
	assert_int_equal(f.groups.v[1].total_ns, 700);
	close_fixture(&f);
}

static void stacks_that_cost_most_come_first(void **state)
{
	struct fixture f;
	const struct an_sys_group *g;
	const struct an_sys_stack *s;

	(void)state;
	open_as(&f, two_threads, "call");
	g = &f.groups.v[0];
	assert_int_equal(g->n_stacks, 2);
	s = f.groups.stacks + g->stacks;
	assert_int_equal(s[0].calls, 3);
	assert_int_equal(s[0].total_ns, 13000);
	assert_int_equal(s[1].calls, 1);
	assert_int_equal(s[1].total_ns, 3000);
	assert_int_equal(f.groups.v[1].n_stacks, 0);
	close_fixture(&f);
}

static void threads_and_errors_are_told_apart(void **state)
{
	struct fixture f;

	(void)state;
	open_as(&f, two_threads, "thread");
	assert_int_equal(f.groups.n, 2);
	assert_int_equal(f.groups.v[0].calls, 5);
	assert_int_equal(f.groups.v[1].calls, 1);
	assert_int_equal(f.groups.v[1].unfinished, 1);
	close_fixture(&f);
	open_as(&f, two_threads, "process");
	assert_int_equal(f.groups.n, 1);
	assert_int_equal(f.groups.v[0].calls, 6);
	close_fixture(&f);
	open_as(&f, two_threads, "error,call");
	assert_int_equal(f.groups.n, 3);
	close_fixture(&f);
}

/* A read whose end was lost, an end whose begin was, the second return of a fork
 * in the child, and one that goes on. */
static void what_has_one_end_only_is_counted_as_that(void **state)
{
	struct fixture f;
	uint64_t no_end = 0, no_begin = 0, unfinished = 0, calls = 0;

	(void)state;
	open_as(&f,
		"thread 100 100 prog\n"
		"thread 102 102 prog\n"
		"1000 0 100 " EXIT("poll") "ret=1\n"
		"2000 0 100 " ENTER("read") "fd=3 buf=1 count=8\n"
		"3000 0 100 " ENTER("clone") "clone_flags=0 newsp=0\n"
		"4000 0 100 " EXIT("clone") "ret=102\n"
		"4100 1 102 " EXIT("clone") "ret=0\n"
		"4200 1 102 " ENTER("exit_group") "error_code=0\n"
		"5000 0 100 " EXIT("write") "ret=1\n"
		"6000 0 100 " ENTER("wait4") "upid=102\n", "call");
	for (size_t i = 0; i < f.groups.n; i++) {
		calls += f.groups.v[i].calls;
		no_end += f.groups.v[i].no_end;
		no_begin += f.groups.v[i].no_begin;
		unfinished += f.groups.v[i].unfinished;
	}
	assert_int_equal(calls, 4);
	assert_int_equal(no_end, 1);     /* read */
	assert_int_equal(no_begin, 2);   /* poll, write */
	assert_int_equal(unfinished, 2); /* exit_group, wait4 */
	assert_int_equal(f.x.calls.in_children, 1);
	close_fixture(&f);
}

#define RAW_ENTER "raw_syscalls:sys_enter "
#define RAW_EXIT "raw_syscalls:sys_exit "

/* x86-64: 0 is read, 9 mmap, 15 rt_sigreturn, 16 ioctl, 230 clock_nanosleep. */
static void calls_are_named_by_their_numbers(void **state)
{
	static const char *const want[] = { "read", "mmap", "rt_sigreturn",
					    "ioctl", "call 4000" };
	struct fixture f;

	(void)state;
	open_as(&f,
		"fact arch x86_64\n"
		"thread 100 100 prog\n"
		"1000 0 100 " RAW_ENTER "id=0 args[0]=3 args[1]=5 args[4]=0\n"
		"9000 0 100 " RAW_EXIT "id=0 ret=-4\n"
		"11000 0 100 " RAW_ENTER "id=9 args[0]=0 args[1]=5 args[4]=0\n"
		"18000 0 100 " RAW_EXIT "id=9 ret=140000000000000\n"
		"21000 0 100 " RAW_ENTER "id=15 args[0]=0 args[1]=5 args[4]=0\n"
		"27000 0 100 " RAW_EXIT "id=-1 ret=0\n"
		"31000 0 100 " RAW_ENTER
		"id=16 args[0]=4 args[1]=0x5401 args[4]=0\n"
		"36000 0 100 " RAW_EXIT "id=16 ret=-25\n"
		"41000 0 100 " RAW_ENTER
		"id=4000 args[0]=4 args[1]=0 args[4]=0\n"
		"42000 0 100 " RAW_EXIT "id=4000 ret=-38\n", "call");
	assert_int_equal(f.groups.n, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_string_equal(name_of(&f, i), want[i]);
		assert_int_equal(f.groups.v[i].whole, 1);
	}
	assert_int_equal(f.groups.v[1].errors, 0);
	assert_string_equal(an_sys_error_name(f.groups.v[3].error), "ENOTTY");
	file_is(&f, 0, "fd 3");
	file_is(&f, 2, "-");
	file_is(&f, 3, "fd 4");
	file_is(&f, 4, "-");
	close_fixture(&f);
}

static void of_an_unknown_machine_a_call_is_its_number(void **state)
{
	struct fixture f;

	(void)state;
	open_as(&f, "thread 100 100 prog\n"
		"1000 0 100 " RAW_ENTER "id=0 args[0]=3 args[1]=5\n"
		"9000 0 100 " RAW_EXIT "id=0 ret=-4\n", "call");
	assert_string_equal(name_of(&f, 0), "call 0");
	file_is(&f, 0, "-");
	close_fixture(&f);
}

#define IOCTL "syscalls:sys_enter_ioctl __syscall_nr=16 "
#define IOCTL_END "syscalls:sys_exit_ioctl __syscall_nr=16 ret=0\n"

static void a_descriptor_is_what_was_seen_there_at_that_time(void **state)
{
	struct fixture f;

	(void)state;
	open_as(&f,
		"thread 100 100 prog\n"
		"thread 200 200 other\n"
		"fact file.100.3 /dev/null\n"
		"fact file.100.4 /tmp/a\n"
		"fact file.100.4.5000 /tmp/b\n"
		"fact gpu.file.200.3 /dev/nvidiactl\n"
		"1000 0 100 " IOCTL "fd=3 cmd=1 arg=0\n"
		"1900 0 100 " IOCTL_END
		"2000 0 100 " IOCTL "fd=4 cmd=1 arg=0\n"
		"2800 0 100 " IOCTL_END
		"6000 0 100 " IOCTL "fd=4 cmd=1 arg=0\n"
		"6700 0 100 " IOCTL_END
		"7000 0 200 " IOCTL "fd=3 cmd=1 arg=0\n"
		"7600 0 200 " IOCTL_END
		"8000 0 200 " IOCTL "fd=9 cmd=1 arg=0\n"
		"8500 0 200 " IOCTL_END, "fd");
	assert_int_equal(f.groups.n, 5);
	file_is(&f, 0, "/dev/null");
	file_is(&f, 1, "/tmp/a");
	file_is(&f, 2, "/tmp/b");
	file_is(&f, 3, "/dev/nvidiactl");
	file_is(&f, 4, "fd 9");
	assert_int_equal(f.groups.doubts, 2);
	assert_int_equal(f.groups.nameless, 1);
	close_fixture(&f);
}

/* Both facts say it: they may differ, and the looks at the calls win. */
static void two_facts_that_differ_are_a_doubt(void **state)
{
	static const char lines[] =
		"thread 100 100 prog\n"
		"1000 0 100 " IOCTL "fd=3 cmd=1 arg=0\n"
		"1900 0 100 " IOCTL_END
		"fact gpu.file.100.3 /dev/dri/card0\n"
		"fact file.100.3 %s\n";
	char text[512];
	struct fixture f;

	(void)state;
	snprintf(text, sizeof(text), lines, "/dev/dri/card0");
	open_as(&f, text, "fd");
	file_is(&f, 0, "/dev/dri/card0");
	assert_int_equal(f.groups.doubts, 0);
	close_fixture(&f);
	snprintf(text, sizeof(text), lines, "/dev/null");
	open_as(&f, text, "fd");
	file_is(&f, 0, "/dev/null");
	assert_int_equal(f.groups.doubts, 1);
	close_fixture(&f);
}

/* i915's 0x29 is another call than amdgpu's; a driver's own fact counts more
 * than whose events there are. */
static void an_ioctl_is_told_by_the_driver_of_its_file(void **state)
{
	static const struct {
		const char *more;
		enum an_ioctl_space space;
	} cases[] = {
		{ "", AN_IOCTL_DRM },
		{ "fact driver./dev/dri/card0 i915\n", AN_IOCTL_I915 },
		{ "50 0 100 amdgpu:amdgpu_cs dw=1\n", AN_IOCTL_AMDGPU },
		{ "50 0 100 amdgpu:amdgpu_cs dw=1\n"
		  "fact driver./dev/dri/card0 i915\n", AN_IOCTL_I915 },
		{ "50 0 100 amdgpu:amdgpu_cs dw=1\n"
		  "60 0 100 i915:i915_request_add dev=0\n", AN_IOCTL_DRM },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		char text[512];
		bool doubt;
		const struct an_file_sight *s;

		snprintf(text, sizeof(text),
			 "thread 100 100 prog\n"
			 "fact file.100.3 /dev/dri/card0\n%s"
			 "1000 0 100 " IOCTL "fd=3 cmd=0x40406469 arg=0\n",
			 cases[i].more);
		open_as(&f, text, "fd,cmd");
		s = an_sys_file(&f.x, &f.x.calls.v[0], &doubt);
		assert_non_null(s);
		assert_int_equal(s->space, cases[i].space);
		close_fixture(&f);
	}
}

static void facts_that_make_no_sense_name_nothing(void **state)
{
	static const char *const facts[] = {
		"file.100", "file.100.", "file.100.3.", "file.100.3.x",
		"file.100.3.5.5", "file.-1.3", "file.99999999999999999999.3",
		"file.100.99999999999", "file.100.3.99999999999999999999",
		"source.file.100.3", "source.99999999999.file.100.3",
		"gpu.gpu.file.100.3", "xfile.100.3", "file..100.3",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
		struct fixture f;
		char text[512];

		snprintf(text, sizeof(text),
			 "thread 100 100 prog\nfact %s /dev/null\n"
			 "1000 0 100 " IOCTL "fd=3 cmd=1 arg=0\n", facts[i]);
		open_as(&f, text, "fd");
		assert_int_equal(f.x.files.n, 0);
		file_is(&f, 0, "fd 3");
		close_fixture(&f);
	}
}

static void only_selected_calls_are_summed(void **state)
{
	struct fixture f = { 0 };

	(void)state;
	gb_open(&f.trace, "thread 100 100 prog\n"
		"thread 200 200 other\n"
		"1000 0 100 " IOCTL "fd=3 cmd=1 arg=0\n"
		"1900 0 100 " IOCTL_END
		"1000 0 200 " IOCTL "fd=3 cmd=1 arg=0\n"
		"1800 0 200 " IOCTL_END);
	assert_int_equal(make(&f, "call", "200"), 0);
	assert_int_equal(f.groups.n, 1);
	assert_int_equal(f.groups.v[0].calls, 1);
	assert_int_equal(f.groups.v[0].total_ns, 800);
	close_fixture(&f);
}

static void an_unknown_key_is_refused_with_those_there_are(void **state)
{
	struct an_sys_by by;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(an_sys_by_parse(&by, "fd,file", &err), ERR_USAGE);
	assert_string_equal(err.text, "option '--by': unknown key 'file' "
			    "(known: call, fd, cmd, thread, process, comm, "
			    "error)");
	assert_int_equal(an_sys_by_parse(&by, "", &err), ERR_USAGE);
	assert_int_equal(an_sys_by_parse(&by, "fd,fd,call", &err), 0);
	assert_int_equal(by.n, 2);
}

static void every_allocation_may_fail(void **state)
{
	struct fixture f = { 0 };
	bool failed = true;

	(void)state;
	gb_open(&f.trace, two_threads);
	for (long n = 1; failed; n++) {
		int rc;

		failalloc_at(n);
		rc = make(&f, "call,fd,error", NULL);
		failed = failalloc_hit();
		failalloc_off();
		unmake(&f);
		assert_int_equal(rc, failed ? ERR_NOMEM : 0);
	}
	gb_close(&f.trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			calls_are_counted_and_timed_between_begin_and_end),
		cmocka_unit_test(stacks_that_cost_most_come_first),
		cmocka_unit_test(threads_and_errors_are_told_apart),
		cmocka_unit_test(what_has_one_end_only_is_counted_as_that),
		cmocka_unit_test(calls_are_named_by_their_numbers),
		cmocka_unit_test(of_an_unknown_machine_a_call_is_its_number),
		cmocka_unit_test(
			a_descriptor_is_what_was_seen_there_at_that_time),
		cmocka_unit_test(two_facts_that_differ_are_a_doubt),
		cmocka_unit_test(an_ioctl_is_told_by_the_driver_of_its_file),
		cmocka_unit_test(facts_that_make_no_sense_name_nothing),
		cmocka_unit_test(only_selected_calls_are_summed),
		cmocka_unit_test(
			an_unknown_key_is_refused_with_those_there_are),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
