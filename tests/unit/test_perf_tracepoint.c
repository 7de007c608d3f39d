#include "format/base/mem.h"
#include "record/perf/event.h"
#include "record/perf/filter.h"
#include "record/perf/open.h"
#include "tests/support/failalloc.h"
#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define EVENTS "/sys/kernel/tracing/events/"

struct place {
	struct filetree tree;
	struct rec_events e;
	struct err err;
};

static void add_id(const struct filetree *t, const char *event, int id)
{
	char path[256], text[16];

	snprintf(path, sizeof(path), EVENTS "%s/id", event);
	snprintf(text, sizeof(text), "%d\n", id);
	filetree_text(t, path, text);
}

static int set_up(void **state)
{
	static const struct {
		const char *event;
		int id;
	} events[] = {
		{ "sched/sched_switch", 372 },
		{ "sched/sched_wakeup", 373 },
		{ "sched/sched_process_exec", 364 },
		{ "irq_vectors/irq_work_exit", 156 },
		{ "irq_vectors/irq_work_entry", 157 },
		{ "task/task_newtask", 133 },
		{ "ftrace/function", 1 },
		{ "raw_syscalls/sys_enter", 21 },
		{ "raw_syscalls/sys_exit", 20 },
		{ "syscalls/sys_enter_openat", 600 },
		{ "syscalls/sys_exit_openat", 599 },
		{ "syscalls/sys_enter_openat2", 602 },
		{ "syscalls/sys_exit_openat2", 601 },
		{ "syscalls/sys_enter_close", 604 },
		{ "syscalls/sys_exit_close", 603 },
		{ "syscalls/sys_enter_nobody_knows", 606 },
	};
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	filetree_init(&p->tree);
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		add_id(&p->tree, events[i].event, events[i].id);
	filetree_text(&p->tree, EVENTS "sched/enable", "0\n");
	filetree_text(&p->tree, EVENTS "sched/filter", "none\n");
	p->e.root = p->tree.root;
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;

	rec_events_fini(&p->e);
	filetree_fini(&p->tree);
	free(p);
	return 0;
}

static void accept(struct place *p, const char *text)
{
	rec_events_fini(&p->e);
	p->e.root = p->tree.root;
	if (rec_events_add(&p->e, text, &p->err))
		fail_msg("%s: %s", text, p->err.text);
}

static void refuse(struct place *p, const char *text, int code,
		   const char *says)
{
	rec_events_fini(&p->e);
	p->e.root = p->tree.root;
	p->err = (struct err){ 0 };
	assert_int_equal(rec_events_add(&p->e, text, &p->err), code);
	assert_string_equal(p->err.text, says);
	assert_int_equal(p->e.n, 0);
}

static void check(const struct place *p, size_t i, const char *name,
		  const char *tracepoint, uint64_t id)
{
	const struct rec_event *e = &p->e.items[i];

	assert_true(i < p->e.n);
	assert_string_equal(e->name, name);
	assert_string_equal(e->tracepoint, tracepoint);
	assert_int_equal(e->attr.type, 2);
	assert_int_equal(e->attr.config, id);
	assert_int_equal(e->attr.sample_period, 1);
}

static void a_name_is_one_tracepoint(void **state)
{
	struct place *p = *state;

	accept(p, "sched:sched_switch");
	assert_int_equal(p->e.n, 1);
	check(p, 0, "sched:sched_switch", "sched_switch", 372);
	assert_string_equal(p->e.items[0].system, "sched");
	accept(p, "sched:sched_switch:u,task:task_newtask/call-graph=no/k");
	check(p, 0, "sched:sched_switch:u", "sched_switch", 372);
	assert_true(p->e.items[0].user_only);
	check(p, 1, "task:task_newtask/call-graph=no/k", "task_newtask", 133);
	assert_int_equal(p->e.items[1].chain, REC_CHAIN_NONE);
	assert_true(p->e.items[1].kernel_only);
}

static void a_pattern_is_all_that_match_by_name(void **state)
{
	struct place *p = *state;

	accept(p, "sched:*");
	assert_int_equal(p->e.n, 3);
	check(p, 0, "sched:sched_process_exec", "sched_process_exec", 364);
	check(p, 1, "sched:sched_switch", "sched_switch", 372);
	check(p, 2, "sched:sched_wakeup", "sched_wakeup", 373);
	accept(p, "*:*switch*");
	assert_int_equal(p->e.n, 1);
	accept(p, "{sched:sched_[sw]*}:k");
	assert_int_equal(p->e.n, 2);
	check(p, 0, "sched:sched_switch:k", "sched_switch", 372);
	assert_int_equal(p->e.items[1].leader, 0);
	accept(p, "t?sk:task_newtask");
	assert_int_equal(p->e.n, 1);
}

static void patterns_leave_out_what_cannot_be_sampled(void **state)
{
	struct place *p = *state;

	accept(p, "irq_vectors:*");
	assert_int_equal(p->e.n, 1);
	check(p, 0, "irq_vectors:irq_work_entry", "irq_work_entry", 157);
	accept(p, "irq_vectors:irq_work_exit");
	check(p, 0, "irq_vectors:irq_work_exit", "irq_work_exit", 156);
	refuse(p, "ftrace:*", ERR_USAGE, "no tracepoint matches 'ftrace:*'");
}

static void what_is_not_there_is_named(void **state)
{
	struct place *p = *state;

	refuse(p, "sched:sched_swich", ERR_USAGE, "no tracepoint "
	       "'sched:sched_swich' (try: rec list 'sched:*')");
	refuse(p, "sched:z*", ERR_USAGE, "no tracepoint matches 'sched:z*'");
	refuse(p, "nosuch:thing", ERR_USAGE, "unknown event 'nosuch:thing'");
	refuse(p, "sched:enable", ERR_USAGE, "no tracepoint 'sched:enable' "
	       "(try: rec list 'sched:*')");
}

static void without_tracefs_the_mount_is_told(void **state)
{
	struct place *p = *state;
	struct filetree empty;
	struct rec_events e = { 0 };

	filetree_init(&empty);
	e.root = empty.root;
	assert_int_equal(rec_events_add(&e, "sched:sched_switch", &p->err),
			 ERR_UNSUPPORTED);
	assert_string_equal(p->err.text, "tracepoints: tracefs is not mounted "
			    "(try: mount -t tracefs nodev "
			    "/sys/kernel/tracing)");
	filetree_text(&empty,
		      "/sys/kernel/debug/tracing/events/sched/sched_switch/id",
		      "7\n");
	assert_int_equal(rec_events_add(&e, "sched:sched_switch", &p->err), 0);
	assert_int_equal(e.items[0].attr.config, 7);
	rec_events_fini(&e);
	filetree_fini(&empty);
}

#if defined(__x86_64__)
/* openat is 257, openat2 437, close 3: arch/x86/entry/syscalls. */
static void patterns_of_system_calls_are_two_events_at_most(void **state)
{
	struct place *p = *state;

	accept(p, "syscalls:sys_enter_open*");
	assert_int_equal(p->e.n, 1);
	check(p, 0, "syscalls:sys_enter_*", "sys_enter", 21);
	assert_string_equal(p->e.items[0].system, "raw_syscalls");
	assert_true(p->e.items[0].by_key);
	assert_string_equal(p->e.items[0].filter, "!(id==3)");
	accept(p, "syscalls:*close");
	assert_int_equal(p->e.n, 2);
	check(p, 0, "syscalls:sys_enter_*", "sys_enter", 21);
	check(p, 1, "syscalls:sys_exit_*", "sys_exit", 20);
	assert_string_equal(p->e.items[0].filter, "id==3");
	assert_string_equal(p->e.items[1].filter, "id==3");
	accept(p, "sys*:sys_exit_*");
	assert_int_equal(p->e.n, 1);
	assert_null(p->e.items[0].filter);
	/* What is in no table is recorded under its own name. */
	accept(p, "syscalls:*");
	assert_int_equal(p->e.n, 3);
	check(p, 0, "syscalls:sys_enter_nobody_knows",
	      "sys_enter_nobody_knows", 606);
	assert_false(p->e.items[0].by_key);
	assert_true(p->e.items[1].by_key && !p->e.items[1].filter);
	/* As is what was named. */
	accept(p, "syscalls:sys_enter_openat");
	check(p, 0, "syscalls:sys_enter_openat", "sys_enter_openat", 600);
	assert_false(p->e.items[0].by_key);
}
#endif

static void filters_add_up(void **state)
{
	struct place *p = *state;

	accept(p, "sched:sched_switch");
	assert_int_equal(rec_filter_add(&p->e.items[0].filter, "a > 1", &p->err), 0);
	assert_string_equal(p->e.items[0].filter, "a > 1");
	assert_int_equal(rec_filter_add(&p->e.items[0].filter, "b || c", &p->err), 0);
	assert_string_equal(p->e.items[0].filter, "(a > 1) && (b || c)");
}

static void a_refused_filter_tells_the_fields(void **state)
{
	struct perf_event_attr dummy = rec_perf_dummy();
	int fd = rec_perf_call(&dummy, 0, -1);
	struct place *p = *state;

	if (fd < 0)
		skip();
	filetree_text(&p->tree, EVENTS "sched/sched_switch/format",
		      "name: sched_switch\nID: 372\nformat:\n"
		      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;"
		      "\tsigned:0;\n\n"
		      "\tfield:char prev_comm[16];\toffset:8;\tsize:16;"
		      "\tsigned:0;\n"
		      "\tfield:const char * name;\toffset:24;\tsize:8;"
		      "\tsigned:0;\n"
		      "\nprint fmt: \"x\"\n");
	accept(p, "sched:sched_switch");
	assert_int_equal(rec_filter_add(&p->e.items[0].filter, "no_such == 1",
					&p->err), 0);
	/* An event that is no tracepoint takes no filter at all: EINVAL. */
	assert_int_equal(rec_filter_set(&p->e.items[0], fd, p->tree.root,
					&p->err), ERR_USAGE);
	assert_string_equal(p->err.text, "the kernel refuses the filter "
			    "'no_such == 1' for 'sched:sched_switch' (fields: "
			    "common_type, prev_comm, name)");
	close(fd);
}

static void running_out_of_memory_changes_nothing(void **state)
{
	struct place *p = *state;
	bool done = false;

	for (long n = 1; !done; n++) {
		int rc;

		rec_events_fini(&p->e);
		p->e.root = p->tree.root;
		failalloc_at(n);
		rc = rec_events_add(&p->e, "sched:*,syscalls:*close,"
					   "task:task_newtask:u", &p->err);
		failalloc_off();
		done = !failalloc_hit();
		assert_int_equal(rc, done ? 0 : ERR_NOMEM);
		assert_true(n < 500);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_name_is_one_tracepoint,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_pattern_is_all_that_match_by_name, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			patterns_leave_out_what_cannot_be_sampled, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(what_is_not_there_is_named,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			without_tracefs_the_mount_is_told, set_up, tear_down),
#if defined(__x86_64__)
		cmocka_unit_test_setup_teardown(
			patterns_of_system_calls_are_two_events_at_most,
			set_up, tear_down),
#endif
		cmocka_unit_test_setup_teardown(filters_add_up, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			a_refused_filter_tells_the_fields, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			running_out_of_memory_changes_nothing, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
