/* Fences and waits for them. Times are in ns; what is expected follows from the
 * rows by hand. */
#include "analyze/gpu/waits.h"
#include "tests/unit/test_gpu_build.h"

#include <inttypes.h>
#include <setjmp.h>

#include <cmocka.h>

struct fixture {
	struct gb_trace trace;
	struct an_gpu gpu;
	struct an_wait_groups groups;
};

static const char threads[] =
	"thread 0 0 swapper\nthread 10 10 game\nthread 11 10 render\n"
	"thread 20 20 producer\nthread 30 30 kworker/0:1\n";

static void begin(struct fixture *f, const char *rows)
{
	char lines[16384];
	struct err err = { 0 };

	memset(f, 0, sizeof(*f));
	snprintf(lines, sizeof(lines), "%s%s", threads, rows);
	gb_open(&f->trace, lines);
	assert_int_equal(an_gpu_make(&f->gpu, f->trace.trace,
				     AN_CLIENT_IDLE_NS, &err), 0);
	assert_int_equal(an_wait_groups_make(&f->groups, &f->gpu, NULL, &err),
			 0);
}

static void end(struct fixture *f)
{
	an_wait_groups_fini(&f->groups);
	an_gpu_fini(&f->gpu);
	gb_close(&f->trace);
}

#define FENCE(time, tid, event, driver, timeline, context, seqno)              \
	#time " 0 " #tid " dma_fence:dma_fence_" #event " driver=" #driver     \
	" timeline=" #timeline " context=" #context " seqno=" #seqno "\n"

static const struct an_fence *fence(struct fixture *f, uint64_t context,
				    uint64_t seqno, uint64_t time)
{
	uint32_t id = an_fences_find(&f->gpu.fences,
				     an_gpu_key(context, seqno), time);

	assert_int_not_equal(id, AN_NONE);
	return &f->gpu.fences.v[id];
}

static const struct an_wait *wait_at(struct fixture *f, size_t i)
{
	assert_true(i < f->gpu.fences.n_waits);
	return &f->gpu.fences.waits[i];
}

static void a_fence_lives_from_its_making_to_its_signal(void **state)
{
	struct fixture f;
	const struct an_fence *v;

	(void)state;
	begin(&f, FENCE(100, 20, init, vgem, unbound, 7, 1)
		  FENCE(150, 10, wait_start, vgem, unbound, 7, 1)
		  FENCE(300, 20, signaled, vgem, unbound, 7, 1)
		  FENCE(320, 10, wait_end, vgem, unbound, 7, 1));
	v = fence(&f, 7, 1, 320);
	assert_int_equal(v->made, 100);
	assert_int_equal(v->signaled, 300);
	assert_int_equal(an_task_tid(&f.gpu.tasks, v->maker), 20);
	assert_int_equal(f.gpu.fences.n_waits, 1);
	assert_int_equal(wait_at(&f, 0)->from, 150);
	assert_int_equal(wait_at(&f, 0)->to, 320);
	assert_int_equal(an_task_tid(&f.gpu.tasks, wait_at(&f, 0)->task), 10);
	end(&f);
}

/* A kernel after 6.12 says so of a fence that is signalled. */
static void names_are_remembered_from_before_the_signal(void **state)
{
	struct fixture f;
	const struct an_fence *v;

	(void)state;
	begin(&f, FENCE(100, 20, init, i915, render, 7, 1)
		  FENCE(300, 20, signaled, i915, render, 7, 1)
		  FENCE(310, 10, wait_start, detached-driver,
			signaled-timeline, 7, 1)
		  FENCE(320, 10, wait_end, detached-driver, signaled-timeline,
			7, 1)
		  FENCE(330, 20, destroy, detached-driver, signaled-timeline,
			7, 1));
	v = fence(&f, 7, 1, 320);
	assert_string_equal(an_text(f.trace.trace, v->driver), "i915");
	assert_string_equal(an_text(f.trace.trace, v->timeline), "render");
	assert_int_equal(f.groups.n, 1);
	assert_int_equal(f.groups.v[0].driver, v->driver);
	end(&f);
}

/* vgem uses a new context for each fence, others come round. */
static void numbers_that_are_used_again_are_another_fence(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(100, 20, init, a, one, 7, 1)
		  FENCE(200, 20, signaled, a, one, 7, 1)
		  FENCE(300, 20, init, b, two, 7, 1)
		  FENCE(310, 10, wait_start, b, two, 7, 1)
		  FENCE(400, 20, signaled, b, two, 7, 1)
		  FENCE(410, 10, wait_end, b, two, 7, 1));
	assert_int_equal(fence(&f, 7, 1, 250)->signaled, 200);
	assert_int_equal(fence(&f, 7, 1, 500)->signaled, 400);
	assert_string_equal(an_text(f.trace.trace, f.groups.v[0].driver), "b");
	end(&f);
}

/* dma_fence keeps the low halves only; the scheduler has 64 bits. */
static void the_low_halves_of_numbers_are_joined(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(100, 20, init, a, one, 4294967290, 4294967295)
		  FENCE(200, 20, signaled, a, one, 4294967290, 4294967295)
		  FENCE(210, 20, init, a, one, 4294967290, 0)
		  FENCE(300, 20, signaled, a, one, 4294967290, 0));
	/* One more than 2^32 - 1 is 0 in the row. */
	assert_int_equal(fence(&f, 0x1fffffffa, 0x1ffffffff, 500)->signaled,
			 200);
	assert_int_equal(fence(&f, 0x1fffffffa, 0x200000000, 500)->signaled,
			 300);
	end(&f);
}

static void edges_of_the_recording_are_told(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(100, 10, wait_end, a, one, 1, 1)    /* began before */
		  FENCE(200, 20, init, a, one, 1, 2)
		  FENCE(210, 10, wait_start, a, one, 1, 2)  /* no end */
		  FENCE(500, 20, init, a, one, 1, 3));
	assert_int_equal(f.groups.n, 1);
	assert_int_equal(f.groups.v[0].waits, 0);
	assert_int_equal(f.groups.v[0].no_begin, 1);
	assert_int_equal(f.groups.v[0].in_flight, 1);
	assert_int_equal(f.groups.v[0].unsignaled, 1);
	/* From 210 to the last row. */
	assert_int_equal(f.groups.v[0].total_ns, 290);
	end(&f);
}

/* It waited for longer before. */
static void a_wait_that_the_end_of_the_trace_cut_does_not(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(100, 10, wait_start, a, long, 1, 1)
		  FENCE(9000, 20, signaled, a, long, 1, 1)
		  FENCE(9001, 10, wait_end, a, long, 1, 1)
		  FENCE(9002, 11, wait_start, a, brief, 2, 1)
		  FENCE(9100, 20, signaled, a, brief, 2, 1)
		  FENCE(9101, 11, wait_end, a, brief, 2, 1)
		  FENCE(9410, 11, wait_start, a, brief, 2, 2)
		  "9500 0 20 sched:sched_switch prev_pid=20 prev_state=0 "
		  "next_pid=0\n");
	assert_int_equal(f.groups.n, 2);
	assert_int_equal(f.groups.v[0].total_ns, 8901);
	assert_int_equal(f.groups.v[1].unsignaled, 1);
	assert_int_equal(f.groups.v[1].open_ns, 90);
	end(&f);
}

static void never_signalled_comes_first(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(100, 10, wait_start, a, long, 1, 1)
		  FENCE(9000, 20, signaled, a, long, 1, 1)
		  FENCE(9001, 10, wait_end, a, long, 1, 1)
		  FENCE(9002, 11, wait_start, a, hung, 2, 1)
		  /* The GPU says nothing more, but the trace goes on. */
		  "9500 0 20 sched:sched_switch prev_pid=20 prev_state=0 "
		  "next_pid=0\n");
	assert_int_equal(f.groups.n, 2);
	assert_int_equal(f.groups.v[0].total_ns, 498);
	assert_int_equal(f.groups.v[0].unsignaled, 1);
	assert_string_equal(an_text(f.trace.trace, f.groups.v[0].timeline),
			    "hung");
	assert_int_equal(f.groups.v[1].total_ns, 8901);
	end(&f);
}

/* Rings are written one after another: the signal may stand first. */
static void the_order_in_the_file_says_nothing(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(300, 20, signaled, a, one, 1, 1)
		  FENCE(310, 10, wait_end, a, one, 1, 1)
		  FENCE(200, 10, wait_start, a, one, 1, 1)
		  FENCE(100, 20, init, a, one, 1, 1));
	assert_int_equal(f.gpu.fences.n, 1);
	assert_int_equal(fence(&f, 1, 1, 400)->made, 100);
	assert_int_equal(f.gpu.fences.n_waits, 1);
	assert_int_equal(f.groups.v[0].total_ns, 110);
	end(&f);
}

/* i915's own wait lies inside the general one; alone it counts by itself. */
static void a_wait_inside_a_wait_counts_once(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(100, 10, wait_start, i915, x, 5, 9)
		  "110 0 10 i915:i915_request_wait_begin dev=0 ctx=5 class=0 "
		  "instance=0 seqno=9 flags=0\n"
		  "190 0 10 i915:i915_request_wait_end dev=0 ctx=5 class=0 "
		  "instance=0 seqno=9 tail=0\n"
		  FENCE(200, 10, wait_end, i915, x, 5, 9)
		  "310 0 10 i915:i915_request_wait_begin dev=0 ctx=5 class=0 "
		  "instance=0 seqno=10 flags=0\n"
		  "390 0 10 i915:i915_request_wait_end dev=0 ctx=5 class=0 "
		  "instance=0 seqno=10 tail=0\n");
	assert_int_equal(f.gpu.fences.n_waits, 2);
	assert_int_equal(an_wait_ns(wait_at(&f, 0)), 100);
	assert_int_equal(wait_at(&f, 0)->kind, AN_WAIT_EVENTS);
	assert_int_equal(an_wait_ns(wait_at(&f, 1)), 80);
	assert_int_equal(wait_at(&f, 1)->kind, AN_WAIT_DRIVER);
	end(&f);
}

#define SWITCH(time, prev, state, next)                                        \
	#time " 0 " #prev " sched:sched_switch prev_pid=" #prev                \
	" prev_state=" #state " next_pid=" #next

/* drm_syncobj emits no wait events: its function is in the stack. */
static void sleeping_in_a_wait_function_is_a_wait(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, SWITCH(100, 10, 1, 0) " | sys_ioctl;drm_ioctl;"
		  "drm_syncobj_wait_ioctl;drm_syncobj_array_wait_timeout;"
		  "schedule\n"
		  "900 0 0 sched:sched_waking pid=10\n"
		  SWITCH(950, 0, 0, 10) "\n"
		  SWITCH(1000, 10, 1, 0) " | sys_read;pipe_read;schedule\n"
		  SWITCH(1500, 0, 0, 10) "\n");
	assert_int_equal(f.gpu.fences.n_waits, 1);
	assert_int_equal(wait_at(&f, 0)->kind, AN_WAIT_CALL);
	assert_int_equal(wait_at(&f, 0)->from, 100);
	assert_int_equal(wait_at(&f, 0)->to, 900);
	assert_int_equal(wait_at(&f, 0)->fence, AN_NONE);
	end(&f);
}

/* Nor does poll() on a sync file: what wakes it is the signal. */
static void being_woken_by_a_signal_is_a_wait(void **state)
{
	struct fixture f;
	const struct an_wait *w;

	(void)state;
	begin(&f, FENCE(50, 10, init, drm_sched, gfx, 7, 1)
		  SWITCH(100, 10, 1, 0) "\n"
		  FENCE(800, 0, signaled, drm_sched, gfx, 7, 1)
		  "805 0 0 sched:sched_waking pid=10 flags=8\n"
		  SWITCH(850, 0, 0, 10) "\n"
		  SWITCH(1000, 10, 1, 0) "\n"
		  /* A timer, long after the signal. */
		  "900805 0 0 sched:sched_waking pid=10 flags=8\n"
		  SWITCH(900850, 0, 0, 10) "\n");
	assert_int_equal(f.gpu.fences.n_waits, 1);
	w = wait_at(&f, 0);
	assert_int_equal(w->kind, AN_WAIT_SIGNAL);
	assert_int_equal(w->from, 100);
	assert_int_equal(w->to, 805);
	assert_int_equal(f.gpu.fences.v[w->fence].context, 7);
	end(&f);
}

/* The work that the kernel does for a signal is no wait for it. */
static void workers_do_not_wait_for_fences_that_wake_them(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(50, 10, init, drm_sched, gfx, 7, 1)
		  SWITCH(100, 30, 1, 0) "\n"
		  FENCE(800, 0, signaled, drm_sched, gfx, 7, 1)
		  "805 0 0 sched:sched_waking pid=30 flags=8\n"
		  SWITCH(850, 0, 0, 30) "\n");
	assert_int_equal(f.gpu.fences.n_waits, 0);
	end(&f);
}

/* Nor is one that events tell of found twice. */
static void a_wait_with_events_is_not_found_again(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(50, 20, init, a, one, 7, 1)
		  FENCE(90, 10, wait_start, a, one, 7, 1)
		  SWITCH(100, 10, 1, 0) " | dma_fence_default_wait;schedule\n"
		  FENCE(800, 0, signaled, a, one, 7, 1)
		  "805 0 0 sched:sched_waking pid=10 flags=8\n"
		  SWITCH(850, 0, 0, 10) "\n"
		  FENCE(860, 10, wait_end, a, one, 7, 1));
	assert_int_equal(f.gpu.fences.n_waits, 1);
	assert_int_equal(wait_at(&f, 0)->kind, AN_WAIT_EVENTS);
	end(&f);
}

/* An end alone: it lasted since the thread was blocked, if the signal of this
 * fence ended that, else nothing is known of it. */
static void a_wait_without_a_begin_is_as_long_as_known(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(50, 10, init, a, one, 7, 1)
		  FENCE(60, 10, init, a, one, 7, 2)
		  /* asleep for something else */
		  SWITCH(100, 10, 1, 0) "\n"
		  "500 0 0 sched:sched_waking pid=10 flags=8\n"
		  SWITCH(510, 0, 0, 10) "\n"
		  FENCE(520, 20, signaled, a, one, 7, 1)
		  FENCE(530, 10, wait_end, a, one, 7, 1)
		  /* for the fence */
		  SWITCH(600, 10, 1, 0) "\n"
		  FENCE(900, 0, signaled, a, one, 7, 2)
		  "905 0 0 sched:sched_waking pid=10 flags=8\n"
		  SWITCH(910, 0, 0, 10) "\n"
		  FENCE(920, 10, wait_end, a, one, 7, 2));
	assert_int_equal(f.gpu.fences.n_waits, 2);
	assert_int_equal(an_wait_ns(wait_at(&f, 0)), 0);
	assert_int_equal(wait_at(&f, 1)->since, 600);
	assert_int_equal(an_wait_ns(wait_at(&f, 1)), 320);
	end(&f);
}

/* A begin alone: until the signal, or as long as the trace if nothing else is
 * known of a thread whose waits have ends. */
static void a_wait_without_an_end_is_as_long_as_known(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(50, 10, init, a, one, 7, 1)
		  FENCE(100, 10, wait_start, a, one, 7, 1)
		  FENCE(300, 0, signaled, a, one, 7, 1)
		  FENCE(400, 10, wait_start, a, one, 7, 2)
		  FENCE(450, 10, wait_start, a, one, 7, 3)
		  FENCE(500, 10, wait_end, a, one, 7, 3)
		  FENCE(600, 10, wait_start, a, one, 7, 4)
		  FENCE(900, 20, init, a, one, 7, 9));
	assert_int_equal(f.gpu.fences.n_waits, 4);
	assert_int_equal(wait_at(&f, 0)->until, 300);
	assert_int_equal(wait_at(&f, 1)->until, 400);
	assert_int_equal(wait_at(&f, 2)->until, 500);
	assert_int_equal(wait_at(&f, 3)->until, 900);
	end(&f);
}

/* Of 1, 2, ... 100 µs: the nearest ranks. */
static void quantiles_are_nearest_ranks(void **state)
{
	struct fixture f;
	struct buf lines;
	struct err err = { 0 };

	(void)state;
	memset(&f, 0, sizeof(f));
	buf_init(&lines, 0);
	gb_say(&lines, "thread 10 10 game");
	for (unsigned i = 1; i <= 100; i++) {
		unsigned us = i * 37 % 101; /* each of 1..100 once */

		gb_say(&lines, "%u 0 10 dma_fence:dma_fence_wait_start "
		       "driver=a timeline=b context=1 seqno=%u", i * 1000000,
		       i);
		gb_say(&lines, "%u 0 10 dma_fence:dma_fence_wait_end "
		       "driver=a timeline=b context=1 seqno=%u",
		       i * 1000000 + us * 1000, i);
	}
	gb_open(&f.trace, (const char *)lines.p);
	assert_int_equal(an_gpu_make(&f.gpu, f.trace.trace,
				     AN_CLIENT_IDLE_NS, &err), 0);
	assert_int_equal(an_wait_groups_make(&f.groups, &f.gpu, NULL, &err),
			 0);
	assert_int_equal(f.groups.n, 1);
	assert_int_equal(f.groups.v[0].waits, 100);
	assert_int_equal(f.groups.v[0].p50_ns, 50000);
	assert_int_equal(f.groups.v[0].p95_ns, 95000);
	assert_int_equal(f.groups.v[0].p99_ns, 99000);
	assert_int_equal(f.groups.v[0].max_ns, 100000);
	assert_int_equal(f.groups.v[0].total_ns, 5050000);
	end(&f);
	buf_fini(&lines);
}

static void stacks_part_groups(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "100 0 10 dma_fence:dma_fence_wait_start driver=a timeline=b "
		  "context=1 seqno=1 | draw;wait\n"
		  FENCE(200, 10, wait_end, a, b, 1, 1)
		  "300 0 10 dma_fence:dma_fence_wait_start driver=a timeline=b "
		  "context=1 seqno=2 | upload;wait\n"
		  FENCE(350, 10, wait_end, a, b, 1, 2)
		  "400 0 10 dma_fence:dma_fence_wait_start driver=a timeline=b "
		  "context=1 seqno=3 | draw;wait\n"
		  FENCE(450, 10, wait_end, a, b, 1, 3));
	assert_int_equal(f.groups.n, 2);
	assert_int_equal(f.groups.v[0].waits, 2);
	assert_int_equal(f.groups.v[0].total_ns, 150);
	assert_int_equal(f.groups.v[1].total_ns, 50);
	end(&f);
}

static void event_counts_are_shares_of_rows(void **state)
{
	struct fixture f;
	struct an_fence_counts c;
	struct err err = { 0 };

	(void)state;
	begin(&f, FENCE(100, 20, init, a, b, 1, 1)
		  FENCE(110, 10, wait_start, a, b, 1, 1)
		  FENCE(120, 10, wait_start, a, b, 1, 2)
		  FENCE(130, 10, wait_end, a, b, 1, 2));
	assert_int_equal(an_fence_counts_make(&c, &f.gpu, NULL, &err), 0);
	assert_int_equal(c.total, 4);
	assert_int_equal(c.n, 3);
	assert_int_equal(c.v[0].role, AN_GPU_FENCE_WAIT_START);
	assert_int_equal(c.v[0].rows, 2);
	an_fence_counts_fini(&c);
	end(&f);
}

/* rec writes down which event a stand-in's is. */
static void an_alias_has_the_role_of_what_it_stands_for(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "fact alias.mine:begin dma_fence:dma_fence_wait_start\n"
		  "fact alias.mine:end dma_fence:dma_fence_wait_end\n"
		  "100 0 10 mine:begin context=3 seqno=4\n"
		  "170 0 10 mine:end context=3 seqno=4\n");
	assert_int_equal(f.gpu.fences.n_waits, 1);
	assert_int_equal(f.groups.v[0].total_ns, 70);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fence_lives_from_its_making_to_its_signal),
		cmocka_unit_test(names_are_remembered_from_before_the_signal),
		cmocka_unit_test(numbers_that_are_used_again_are_another_fence),
		cmocka_unit_test(the_low_halves_of_numbers_are_joined),
		cmocka_unit_test(edges_of_the_recording_are_told),
		cmocka_unit_test(never_signalled_comes_first),
		cmocka_unit_test(a_wait_that_the_end_of_the_trace_cut_does_not),
		cmocka_unit_test(the_order_in_the_file_says_nothing),
		cmocka_unit_test(a_wait_inside_a_wait_counts_once),
		cmocka_unit_test(sleeping_in_a_wait_function_is_a_wait),
		cmocka_unit_test(being_woken_by_a_signal_is_a_wait),
		cmocka_unit_test(workers_do_not_wait_for_fences_that_wake_them),
		cmocka_unit_test(a_wait_with_events_is_not_found_again),
		cmocka_unit_test(a_wait_without_a_begin_is_as_long_as_known),
		cmocka_unit_test(a_wait_without_an_end_is_as_long_as_known),
		cmocka_unit_test(quantiles_are_nearest_ranks),
		cmocka_unit_test(stacks_part_groups),
		cmocka_unit_test(event_counts_are_shares_of_rows),
		cmocka_unit_test(an_alias_has_the_role_of_what_it_stands_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
