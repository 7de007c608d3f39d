#include "record/perf/refusal.h"

#include "format/base/mem.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ALL_TASKS (-1)
#define OURSELVES 0
#define NO_TASK 999999999 /* beyond pid_max: its owner cannot be found */

static struct rec_event clock_event(bool kernel_only)
{
	struct rec_event e = { .name = (char *)"cpu-clock",
			       .kernel_only = kernel_only };

	e.attr.type = PERF_TYPE_SOFTWARE;
	return e;
}

static const struct row {
	int errnum;
	pid_t tid;
	int64_t paranoid;
	bool perfmon, kernel_only;
	int code;
	const char *says[3]; /* each is somewhere in the text */
} rows[] = {
	{ EACCES, ALL_TASKS, 2, false, false, ERR_DENIED,
	  { "cannot record system-wide: perf_event_paranoid is 2",
	    "needs 0 or less", "without -a" } },
	{ EPERM, ALL_TASKS, 1, false, false, ERR_DENIED,
	  { "perf_event_paranoid is 1" } },
	{ EPERM, ALL_TASKS, 2, true, false, ERR_DENIED,
	  { "cannot record system-wide", "though this user is privileged" } },
	{ EACCES, OURSELVES, 3, false, false, ERR_DENIED,
	  { "cannot open perf events: perf_event_paranoid is 3",
	    "sysctl kernel.perf_event_paranoid=2", "cap_perfmon" } },
	{ EACCES, OURSELVES, 4, false, false, ERR_DENIED,
	  { "perf_event_paranoid is 4" } },
	{ EPERM, OURSELVES, 2, true, false, ERR_DENIED,
	  { "cannot open perf events", "seccomp" } },
	{ ENOSYS, OURSELVES, 2, false, false, ERR_UNSUPPORTED,
	  { "this kernel has no perf events" } },
	{ EACCES, NO_TASK, 2, false, true, ERR_DENIED,
	  { "cannot record 'cpu-clock'", "of 1 or less", "it is 2" } },
	{ EACCES, NO_TASK, 2, false, false, ERR_DENIED,
	  { "'cpu-clock' on process 999999999", "perf_event_paranoid is 2" } },
	{ EACCES, 1, 2, false, false, ERR_DENIED,
	  { "cannot record process 1 '", "it belongs to user 0, you are user "
	    "4242" } },
	{ ESRCH, NO_TASK, 2, false, false, ERR_USAGE,
	  { "no such process: 999999999" } },
	{ EMFILE, NO_TASK, 2, false, false, ERR_LIMIT,
	  { "the recording takes 1234 more", "ulimit -n" } },
	{ ENFILE, NO_TASK, 2, false, false, ERR_LIMIT, { "fs.file-max" } },
	{ ENODEV, ALL_TASKS, 2, false, false, ERR_IO,
	  { "CPU 5", "not online" } },
	{ ENOENT, ALL_TASKS, 2, false, false, ERR_UNSUPPORTED,
	  { "event 'cpu-clock' is not supported by this machine" } },
	{ EBUSY, ALL_TASKS, 2, false, false, ERR_IO, { "exclusive" } },
	{ ENOSPC, ALL_TASKS, 2, false, false, ERR_LIMIT, { "CPU 5" } },
	{ EINVAL, ALL_TASKS, 2, false, false, ERR_IO,
	  { "the kernel refuses event 'cpu-clock': Invalid argument" } },
};

static void each_refusal_says_what_and_why(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *row = &rows[i];
		const struct rec_event event = clock_event(row->kernel_only);
		const struct rec_perf_facts facts = {
			.paranoid_known = true, .paranoid = row->paranoid,
			.perfmon = row->perfmon, .uid = 4242 };
		const struct rec_refusal r = {
			.errnum = row->errnum, .event = &event,
			.tid = row->tid, .cpu = 5, .n_needed = 1234,
			.facts = &facts, .root = "" };
		struct err err = { 0 };

		assert_int_equal(rec_perf_refused(&r, &err), row->code);
		for (size_t j = 0; j < ARRAY_LEN(row->says); j++)
			if (row->says[j] && !strstr(err.text, row->says[j]))
				fail_msg("'%s' lacks '%s'", err.text,
					 row->says[j]);
	}
}

static void the_side_band_has_no_event_to_name(void **state)
{
	const struct rec_perf_facts facts = { .paranoid_known = true,
					      .paranoid = 2 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct rec_refusal r = {
			.errnum = rows[i].errnum, .tid = rows[i].tid,
			.facts = &facts, .root = "" };
		struct err err = { 0 };

		assert_true(rec_perf_refused(&r, &err) < 0);
		assert_true(err.text[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_refusal_says_what_and_why),
		cmocka_unit_test(the_side_band_has_no_event_to_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
