/* States of threads. Times are in ns; what is expected follows from the rows by
 * hand. */
#include "analyze/sched/letters.h"
#include "analyze/sched/sched.h"
#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/tracepoints.h"
#include "tests/unit/test_gpu_build.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SWITCH(time, cpu, prev, state, next)                                   \
	#time " " #cpu " " #prev " sched:sched_switch prev_pid=" #prev         \
	" prev_state=" #state " next_pid=" #next
#define WAKING(time, cpu, by, who)                                             \
	#time " " #cpu " " #by " sched:sched_waking pid=" #who

static const char threads[] =
	"thread 0 0 swapper\nthread 10 10 cat\nthread 11 11 dog\n"
	"thread 12 12 rival\n";

struct fixture {
	struct gb_trace g;
	struct an_tasks tasks;
	struct an_sched *sched;
	struct err err;
};

static void begin(struct fixture *f, const char *rows)
{
	char lines[8192];

	memset(f, 0, sizeof(*f));
	snprintf(lines, sizeof(lines), "%s%s", threads, rows);
	gb_open(&f->g, lines);
	assert_int_equal(an_tasks_init(&f->tasks, f->g.trace, &f->err), 0);
	assert_int_equal(an_sched_new(&f->sched, f->g.trace, &f->tasks,
				      &f->err), 0);
	assert_non_null(f->sched);
}

static void end(struct fixture *f)
{
	an_sched_free(f->sched);
	an_tasks_fini(&f->tasks);
	gb_close(&f->g);
}

/* "100-200 running 0, 200-300 blocked S by 11 …" */
static void states_are(struct fixture *f, int tid, uint64_t from, uint64_t to,
		       const char *want)
{
	struct an_state_walk w;
	struct an_stretch i;
	char text[1024] = "";
	size_t n = 0;

	an_state_walk(&w, f->sched, an_tasks_find(&f->tasks, 0, tid), from, to);
	while (an_state_next(&w, &i)) {
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"%s%" PRIu64 "-%" PRIu64 " ", n ? ", " : "", i.from,
			i.to);
		if (i.state == AN_STATE_RUNNING)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "running %u", i.cpu);
		else if (i.state == AN_STATE_WAITING)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
				"%s for %u", i.preempted ? "preempted" :
				"woken", i.cpu);
		else if (i.state == AN_STATE_BLOCKED)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
				"blocked %c", i.letter);
		else
			n += (size_t)snprintf(text + n, sizeof(text) - n, "?");
		if (i.waker != AN_NONE)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
				" by %d%s", an_task_tid(&f->tasks, i.waker),
				i.by_interrupt ? " interrupted" : "");
	}
	assert_string_equal(text, want);
}

static const char usual[] =
	SWITCH(100, 0, 0, 0, 10) "\n"     /* cat runs on 0 */
	SWITCH(200, 0, 10, 0, 12) "\n"    /* rival takes its place */
	SWITCH(500, 0, 12, 1, 10) "\n"
	SWITCH(600, 0, 10, 1, 0) "\n"     /* cat sleeps */
	WAKING(700, 1, 11, 10) "\n"       /* dog wakes it */
	SWITCH(750, 0, 0, 0, 10) "\n"
	SWITCH(800, 0, 10, 2, 0) "\n"
	SWITCH(900, 1, 11, 0, 0) "\n";

static void a_thread_runs_waits_and_blocks(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, usual);
	states_are(&f, 10, 100, 900,
		   "100-200 running 0, 200-500 preempted for 0, "
		   "500-600 running 0, 600-700 blocked S by 11, "
		   "700-750 woken for 0 by 11, 750-800 running 0, "
		   "800-900 blocked D");
	end(&f);
}

static void a_walk_may_begin_and_end_anywhere(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, usual);
	states_are(&f, 10, 650, 720, "650-700 blocked S by 11, "
				     "700-720 woken for 0 by 11");
	states_are(&f, 10, 300, 400, "300-400 preempted for 0");
	states_are(&f, 10, 400, 400, "");
	end(&f);
}

static void edges_are_unknown(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, usual);
	states_are(&f, 10, 50, 150, "50-100 ?, 100-150 running 0");
	states_are(&f, 12, 100, 300, "100-200 ?, 200-300 running 0");
	states_are(&f, 10, 850, 1000, "850-900 blocked D, 900-1000 ?");
	/* It was taken off a CPU, so it was on that before. */
	states_are(&f, 11, 100, 900, "100-900 running 1");
	states_are(&f, 4711, 100, 900, "100-900 ?");
	end(&f);
}

/* Who was on the CPU before is known: when dog came is not in the trace. A thread
 * that is woken first of all was not running, and what it did is not known. */
static void a_thread_whose_coming_is_missing_did_not_run_all_the_time(
	void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, SWITCH(100, 0, 0, 0, 10) "\n" SWITCH(200, 0, 10, 1, 0) "\n"
		  SWITCH(300, 0, 11, 1, 12) "\n" SWITCH(400, 1, 0, 0, 10) "\n");
	states_are(&f, 11, 100, 400, "100-300 ?, 300-400 blocked S");
	end(&f);
	begin(&f, SWITCH(100, 0, 0, 0, 10) "\n" WAKING(200, 0, 10, 11) "\n"
		  SWITCH(300, 0, 10, 1, 11) "\n" SWITCH(400, 0, 11, 1, 0) "\n");
	states_are(&f, 11, 100, 400, "100-200 ?, "
		   "200-300 woken for 0 by 10, 300-400 running 0");
	end(&f);
}

static void a_thread_that_is_awake_is_not_woken(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, SWITCH(100, 0, 0, 0, 10) "\n" WAKING(150, 1, 11, 10) "\n"
		  SWITCH(200, 0, 10, 0, 12) "\n" WAKING(250, 1, 11, 10) "\n"
		  SWITCH(300, 0, 12, 1, 10) "\n");
	states_are(&f, 10, 100, 300, "100-200 running 0, "
				     "200-300 preempted for 0");
	end(&f);
}

static void an_interrupt_that_wakes_is_told_apart(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, SWITCH(100, 0, 10, 1, 11) "\n"
		  "200 0 11 sched:sched_waking pid=10 flags=8\n"
		  SWITCH(300, 0, 11, 0, 10) "\n");
	states_are(&f, 10, 100, 300, "100-200 blocked S by 11 interrupted, "
				     "200-300 woken for 0 by 11 interrupted");
	end(&f);
}

static void the_stacks_of_sleeper_and_waker_are_kept(void **state)
{
	struct fixture f;
	struct an_state_walk w;
	struct an_stretch i;
	uint32_t frame;

	(void)state;
	begin(&f, SWITCH(100, 0, 10, 1, 11) " | read;pipe_read;schedule\n"
		  WAKING(200, 0, 11, 10) " | write;pipe_write\n"
		  SWITCH(300, 0, 11, 0, 10) "\n");
	an_state_walk(&w, f.sched, an_tasks_find(&f.tasks, 0, 10), 100, 300);
	assert_true(an_state_next(&w, &i));
	frame = an_node_of(f.g.trace, i.kstack)->frame;
	assert_memory_equal(an_frame_name(f.g.trace, frame).p, "schedule", 8);
	frame = an_node_of(f.g.trace, i.waker_kstack)->frame;
	assert_memory_equal(an_frame_name(f.g.trace, frame).p, "pipe_write",
			    10);
	end(&f);
}

static void nothing_is_sure_behind_a_loss_until_the_next_row(void **state)
{
	struct fixture f;
	char rows[2048];

	(void)state;
	/* The last row of CPU 0 before 450 is that of 200. */
	snprintf(rows, sizeof(rows), "%sloss 450 0 3\n", usual);
	begin(&f, rows);
	states_are(&f, 10, 100, 700,
		   "100-200 running 0, 200-500 ?, 500-600 running 0, "
		   "600-700 blocked S by 11");
	end(&f);
}

/* A row is missing here and there without a word: rival was never seen to come,
 * and cat not to leave. */
static void what_contradicts_itself_is_unknown(void **state)
{
	struct an_cpu_interval i;
	struct an_cpu_walk w;
	struct fixture f;

	(void)state;
	begin(&f, SWITCH(100, 0, 0, 0, 10) "\n" WAKING(150, 1, 11, 12) "\n"
		  SWITCH(300, 0, 12, 1, 10) "\n" SWITCH(400, 0, 10, 1, 0) "\n"
		  SWITCH(900, 1, 11, 0, 0) "\n");
	states_are(&f, 12, 100, 900, "100-150 ?, 150-300 ?, 300-900 blocked S");
	states_are(&f, 10, 100, 900, "100-300 ?, 300-400 running 0, "
				     "400-900 blocked S");
	an_cpu_walk(&w, f.sched, 0, 100, 400);
	assert_true(an_cpu_next(&w, &i));
	assert_int_equal(i.task, AN_NONE);
	assert_int_equal(i.to, 300);
	end(&f);
}

static void who_ran_on_a_cpu(void **state)
{
	static const int want[] = { 0, 10, 12, 10, 0, 10, 0 };
	static const uint64_t until[] = { 100, 200, 500, 600, 750, 800, 900 };
	struct fixture f;
	struct an_cpu_interval i;
	struct an_cpu_walk w;
	size_t n = 1;

	(void)state;
	begin(&f, usual);
	for (an_cpu_walk(&w, f.sched, 0, 100, 900); an_cpu_next(&w, &i); n++) {
		assert_int_equal(an_task_tid(&f.tasks, i.task), want[n]);
		assert_int_equal(i.from, until[n - 1]);
		assert_int_equal(i.to, until[n]);
	}
	assert_int_equal(n, ARRAY_LEN(want));
	end(&f);
}

static void he_who_ran_longest_is_the_rival(void **state)
{
	struct fixture f;
	uint64_t ns;

	(void)state;
	begin(&f, usual);
	assert_int_equal(an_task_tid(&f.tasks, an_sched_behind(f.sched, 0, 150,
							       600, &ns)), 12);
	assert_int_equal(ns, 300);
	assert_int_equal(an_sched_behind(f.sched, 7, 100, 600, &ns), AN_NONE);
	end(&f);
}

static void wake_ups_that_woke_nobody_do_not_count(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, SWITCH(100, 0, 10, 1, 11) "\n"
		  "200 0 11 sched:sched_wakeup pid=10 success=0\n"
		  "250 0 11 sched:sched_wakeup pid=10 success=1\n"
		  SWITCH(300, 0, 11, 0, 10) "\n");
	states_are(&f, 10, 100, 300, "100-250 blocked S by 11, "
				     "250-300 woken for 0 by 11");
	end(&f);
}

/* print fmt of 4.9 and of 6.1, shortened to what matters. */
static const char format_4_9[] =
	"prev_state & (1024-1) ? __print_flags(REC->prev_state & (1024-1), "
	"\"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, "
	"{ 16, \"Z\" }, { 32, \"X\" }) : \"R\"";
static const char format_6_1[] =
	"__print_flags(REC->prev_state, \"|\", { 0x00000001, \"S\" }, "
	"{ 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, "
	"{ 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, "
	"{ 0x00000080, \"I\" }) : \"R\"";

/* Who is woken may have been running, or waiting, or asleep before. */
static void without_switches_no_state_is_known(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, WAKING(100, 0, 11, 10) "\n" WAKING(300, 1, 12, 10) "\n"
		  WAKING(500, 0, 10, 11) "\n");
	assert_false(an_sched_has_switches(f.sched));
	states_are(&f, 10, 0, 600, "0-100 ?, 100-600 ?");
	end(&f);
}

/* sched_wakeup comes where the wake-up is done: on a CPU that was asked to do
 * it by an interrupt whoever runs there has nothing to do with it. */
static void without_sched_waking_an_interrupted_one_is_no_waker(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, SWITCH(100, 0, 10, 1, 12) "\n"
		  "200 0 12 sched:sched_wakeup pid=10 flags=8\n"
		  SWITCH(300, 0, 12, 1, 10) "\n"
		  SWITCH(400, 0, 10, 1, 12) "\n"
		  "500 0 12 sched:sched_wakeup pid=10\n"
		  SWITCH(600, 0, 12, 1, 10) "\n");
	assert_false(an_sched_has_wakings(f.sched));
	states_are(&f, 10, 100, 600,
		   "100-200 blocked S, 200-300 woken for 0, 300-400 running 0, "
		   "400-500 blocked S by 12, 500-600 woken for 0 by 12");
	end(&f);
}

static void letters_are_those_of_the_format(void **state)
{
	struct an_letters old, new, none;

	(void)state;
	an_letters_make(&old, span_of(format_4_9, sizeof(format_4_9) - 1));
	an_letters_make(&new, span_of(format_6_1, sizeof(format_6_1) - 1));
	an_letters_make(&none, span_of("", 0));
	assert_int_equal(an_letter_of(&old, 16), 'Z');
	assert_int_equal(an_letter_of(&new, 16), 'X');
	assert_int_equal(an_letter_of(&none, 0x80), 'I');
	assert_int_equal(an_letter_of(&new, 0), 'R');
	assert_int_equal(an_letter_of(&new, 2), 'D');
	/* Preempted while it was about to sleep: it is still in the queue. */
	assert_int_equal(an_letter_of(&new, 0x100), 'R');
	assert_int_equal(an_letter_of(&old, 1024 | 1), 'R');
}

/* PERF_RECORD_SWITCH says less: who left, who came, and whether he had to. */
static void rows_of_switch_do_as_well(void **state)
{
	static const struct tp_thread who[] = { { 0, 0, "swapper" },
						{ 10, 10, "cat" },
						{ 12, 12, "rival" } };
	static const struct tp_switch rows[] = {
		{ 100, 0, 1, 0, 1 },
		{ 200, 0, 1, TF_SWITCH_OUT | TF_SWITCH_PREEMPT, 13 },
		{ 201, 0, 2, 0, 11 },
		{ 500, 0, 2, TF_SWITCH_OUT, 11 },
		{ 501, 0, 1, 0, 13 },
		{ 600, 0, 1, TF_SWITCH_OUT, 1 },
		{ 700, 0, 0, TF_SWITCH_OUT, 11 },
		{ 700, 0, 1, 0, 1 },
	};
	const struct tp_trace t = {
		.threads = who, .n_threads = ARRAY_LEN(who),
		.switches = rows, .n_switches = ARRAY_LEN(rows),
	};
	struct fixture f = { 0 };
	struct tf_source *source;

	(void)state;
	buf_init(&f.g.bytes, 0);
	f.g.log = (struct log){ .to = stderr, .prog = "test" };
	assert_int_equal(tp_build(&t, &f.g.bytes, &f.err), 0);
	assert_int_equal(tf_source_memory(&source, span_of(f.g.bytes.p,
			 f.g.bytes.n), &f.err), 0);
	assert_int_equal(an_trace_from(&f.g.trace, source, &f.g.log, &f.err),
			 0);
	assert_int_equal(an_tasks_init(&f.tasks, f.g.trace, &f.err), 0);
	assert_int_equal(an_sched_new(&f.sched, f.g.trace, &f.tasks, &f.err),
			 0);
	states_are(&f, 10, 100, 700,
		   "100-200 running 0, 200-500 preempted for 0, "
		   "500-600 running 0, 600-700 blocked ?");
	end(&f);
}

static void each_allocation_may_fail(void **state)
{
	struct fixture f;
	bool failed = true;

	(void)state;
	begin(&f, usual);
	for (long n = 1; failed; n++) {
		struct an_tasks tasks = { 0 };
		struct an_sched *sched = NULL;
		struct err err = { 0 };
		int rc;

		failalloc_at(n);
		rc = an_tasks_init(&tasks, f.g.trace, &err);
		if (!rc)
			rc = an_sched_new(&sched, f.g.trace, &tasks, &err);
		failed = failalloc_hit();
		failalloc_off();
		if (failed)
			assert_int_equal(rc, ERR_NOMEM);
		else
			assert_int_equal(rc, 0);
		an_sched_free(sched);
		an_tasks_fini(&tasks);
	}
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_runs_waits_and_blocks),
		cmocka_unit_test(a_walk_may_begin_and_end_anywhere),
		cmocka_unit_test(edges_are_unknown),
		cmocka_unit_test(
			a_thread_whose_coming_is_missing_did_not_run_all_the_time),
		cmocka_unit_test(a_thread_that_is_awake_is_not_woken),
		cmocka_unit_test(an_interrupt_that_wakes_is_told_apart),
		cmocka_unit_test(the_stacks_of_sleeper_and_waker_are_kept),
		cmocka_unit_test(nothing_is_sure_behind_a_loss_until_the_next_row),
		cmocka_unit_test(what_contradicts_itself_is_unknown),
		cmocka_unit_test(who_ran_on_a_cpu),
		cmocka_unit_test(he_who_ran_longest_is_the_rival),
		cmocka_unit_test(wake_ups_that_woke_nobody_do_not_count),
		cmocka_unit_test(without_switches_no_state_is_known),
		cmocka_unit_test(
			without_sched_waking_an_interrupted_one_is_no_waker),
		cmocka_unit_test(letters_are_those_of_the_format),
		cmocka_unit_test(rows_of_switch_do_as_well),
		cmocka_unit_test(each_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
