/* Why late display frames were late. */
#include "tests/unit/test_gpu_client.h"

#include <inttypes.h>

/* The flip of frame 1 is at 32 ms: its first chance is the vblank of 40 ms. */
static void a_client_that_computes_is_late_by_the_cpu(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	begin(&f);
	vblanks(&f, 10);
	one_in_time(&f, 0);
	wake_up(&f, 1);
	flip(&f, START + 42 * MS);
	wake_up(&f, 5);
	SWITCH(&f, START + 60 * MS, 10, 1, 0);
	open_it(&f, AN_CLIENT_IDLE_NS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.deadline, START + 20 * MS);
	assert_int_equal(s.submit, START + 42 * MS);
	assert_int_equal(s.why.cause, AN_CAUSE_CPU);
	assert_int_equal(s.why.confidence, AN_HIGH);
	/* From its wake-up at 10.04 ms. */
	assert_int_equal(s.why.ns, 31960000);
	assert_string_equal(text, "the frame of game/10 at vblank 5 of crtc0 missed 3 "
		"vblanks: game/10 computed for 31.960 ms (confidence high)");
	an_stall_fini(&s);
	end(&f);
}

static void a_client_whose_cpu_is_taken_is_late_by_the_rival(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	begin(&f);
	vblanks(&f, 10);
	one_in_time(&f, 0);
	wake_up(&f, 1);
	SWITCH(&f, START + 11 * MS, 10, 0, 12);
	SWITCH(&f, START + 41 * MS, 12, 1, 10);
	flip(&f, START + 42 * MS);
	wake_up(&f, 5);
	SWITCH(&f, START + 60 * MS, 10, 1, 0);
	open_it(&f, AN_CLIENT_IDLE_NS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.why.cause, AN_CAUSE_RUNQ);
	assert_int_equal(an_task_tid(&f.gpu.tasks, s.why.who), 12);
	/* And 15 us from its wake-up on, when its CPU was idle. */
	assert_int_equal(s.why.ns, 30 * MS + 15000);
	assert_int_equal(s.why.most_ns, 30 * MS);
	assert_non_null(strstr(text, "waited 30.015 ms for a CPU behind rival/12, "
			       "which had taken it"));
	an_stall_fini(&s);
	end(&f);
}

/* The one that is named did not do it alone. */
static void of_several_rivals_the_share_of_the_worst_is_told(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	begin(&f);
	vblanks(&f, 10);
	one_in_time(&f, 0);
	wake_up(&f, 1);
	SWITCH(&f, START + 11 * MS, 10, 0, 30);
	SWITCH(&f, START + 21 * MS, 30, 1, 10);
	SWITCH(&f, START + 22 * MS, 10, 0, 12);
	SWITCH(&f, START + 41 * MS, 12, 1, 10);
	flip(&f, START + 42 * MS);
	wake_up(&f, 5);
	SWITCH(&f, START + 60 * MS, 10, 1, 0);
	open_it(&f, AN_CLIENT_IDLE_NS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.why.cause, AN_CAUSE_RUNQ);
	assert_int_equal(s.why.ns, 29 * MS + 15000);
	assert_int_equal(s.why.most_ns, 19 * MS);
	assert_non_null(strstr(text, "waited 29.015 ms for a CPU, 19.000 ms of "
			       "it behind rival/12, which had taken it"));
	an_stall_fini(&s);
	end(&f);
}

static void a_client_that_is_blocked_names_who_wakes_it(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	begin(&f);
	vblanks(&f, 10);
	one_in_time(&f, 0);
	wake_up(&f, 1);
	CALL(&f, START + 11 * MS, "enter", "futex", " op=0");
	SWITCH(&f, START + 11 * MS + 1000, 10, 1, 12);
	WAKING(&f, START + 41 * MS, 12, 10);
	SWITCH(&f, START + 41 * MS + 1000, 12, 1, 10);
	CALL(&f, START + 41 * MS + 2000, "exit", "futex", " ret=0");
	flip(&f, START + 42 * MS);
	wake_up(&f, 5);
	SWITCH(&f, START + 60 * MS, 10, 1, 0);
	open_it(&f, AN_CLIENT_IDLE_NS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.why.cause, AN_CAUSE_BLOCKED);
	assert_int_equal(an_task_tid(&f.gpu.tasks, s.why.who), 12);
	assert_non_null(strstr(text, "in futex, woken by rival/12"));
	an_stall_fini(&s);
	end(&f);
}

/* In time with its flip, but its job was not: nobody was seen to wait for it. */
static void a_picture_that_is_not_ready_is_shown_late(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	begin(&f);
	vblanks(&f, 10);
	one_in_time(&f, 0);
	wake_up(&f, 1);
	gb_say(&f.lines, "%llu 0 10 gpu_scheduler:drm_sched_job_queue "
	       "name=gfx dev=d fence_context=30 fence_seqno=1 client_id=1",
	       (unsigned long long)(START + 11 * MS));
	gb_say(&f.lines, "%llu 0 30 gpu_scheduler:drm_sched_job_run name=gfx "
	       "dev=d fence_context=30 fence_seqno=1 client_id=1",
	       (unsigned long long)(START + 12 * MS));
	flip(&f, START + 13 * MS);
	gb_say(&f.lines, "%llu 0 0 gpu_scheduler:drm_sched_job_done "
	       "fence_context=30 fence_seqno=1",
	       (unsigned long long)(START + 45 * MS));
	wake_up(&f, 5);
	SWITCH(&f, START + 60 * MS, 10, 1, 0);
	open_it(&f, AN_CLIENT_IDLE_NS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.why.cause, AN_CAUSE_SCANOUT);
	assert_int_equal(s.why.job, 0);
	assert_int_equal(s.why.ns, 33 * MS);
	an_stall_fini(&s);
	end(&f);
}

/* The worker that programs the display waits for its CPU. */
static void a_worker_that_is_held_up_shows_late(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];
	uint64_t time = START + 12 * MS;

	(void)state;
	begin(&f);
	vblanks(&f, 10);
	one_in_time(&f, 0);
	wake_up(&f, 1);
	CALL(&f, time, "enter", "ioctl", " cmd=0xc01864b0");
	WAKING(&f, time + 50000, 10, 30);
	CALL(&f, time + 100000, "exit", "ioctl", " ret=0");
	CALL(&f, time + 110000, "enter", "poll", " nfds=1");
	SWITCH(&f, time + 120000, 10, 1, 12);
	SWITCH(&f, START + 25 * MS, 12, 0, 30);
	SWITCH(&f, START + 26 * MS, 30, 1, 0);
	wake_up(&f, 3);
	SWITCH(&f, START + 40 * MS, 10, 1, 0);
	open_it(&f, AN_CLIENT_IDLE_NS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.why.cause, AN_CAUSE_COMMIT);
	assert_int_equal(an_task_tid(&f.gpu.tasks, s.why.task), 30);
	assert_non_null(strstr(text, "kworker/0:1/30, which shows it, waited"));
	assert_non_null(strstr(text, "behind rival/12"));
	an_stall_fini(&s);
	end(&f);
}

static void a_frame_that_was_ready_says_so(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	begin(&f);
	vblanks(&f, 10);
	one_in_time(&f, 0);
	one_in_time(&f, 1);
	wake_up(&f, 3);
	SWITCH(&f, START + 40 * MS, 10, 1, 0);
	open_it(&f, AN_CLIENT_IDLE_NS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.why.cause, AN_CAUSE_READY);
	assert_int_equal(s.why.confidence, AN_LOW);
	an_stall_fini(&s);
	end(&f);
}

/* Only vblanks and deliveries were recorded. */
static void unknown_is_an_honest_answer(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	begin(&f);
	vblanks(&f, 10);
	delivered(&f, START, 0xc0, 0);
	delivered(&f, START + 10 * MS, 0xc0, 1);
	delivered(&f, START + 40 * MS, 0xc0, 4);
	open_it(&f, AN_CLIENT_IDLE_NS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.why.cause, AN_CAUSE_UNKNOWN);
	assert_string_equal(text, "the frame of an unknown thread at vblank 4 of crtc0 "
			    "missed 2 vblanks: why is not known (confidence "
			    "low)");
	an_stall_fini(&s);
	end(&f);
}

/* Its job is queued at 11 ms, given to the ring at `run` and done at 41 ms. It
 * computes until `wait`, then it waits for it. */
static void own_job(struct fixture *f, uint64_t run, uint64_t wait)
{
	uint64_t done = START + 41 * MS;

	begin(f);
	vblanks(f, 10);
	one_in_time(f, 0);
	wake_up(f, 1);
	gb_say(&f->lines, "%llu 0 10 gpu_scheduler:drm_sched_job_queue "
	       "name=gfx dev=d fence_context=30 fence_seqno=1 client_id=1",
	       (unsigned long long)(START + 11 * MS));
	gb_say(&f->lines, "%llu 1 30 gpu_scheduler:drm_sched_job_run name=gfx "
	       "dev=d fence_context=30 fence_seqno=1 client_id=1",
	       (unsigned long long)(START + run));
	gb_say(&f->lines, "%llu 0 10 dma_fence:dma_fence_wait_start "
	       "driver=drm_sched timeline=gfx context=30 seqno=1",
	       (unsigned long long)(START + wait));
	SWITCH(f, START + wait + 1000, 10, 2, 0);
	gb_say(&f->lines, "%llu 0 0 gpu_scheduler:drm_sched_job_done "
	       "fence_context=30 fence_seqno=1", (unsigned long long)done);
	gb_say(&f->lines, "%llu 0 0 dma_fence:dma_fence_signaled "
	       "driver=drm_sched timeline=gfx context=30 seqno=1",
	       (unsigned long long)done);
	WAKING(f, done, 0, 10);
	SWITCH(f, done + 10000, 0, 0, 10);
	gb_say(&f->lines, "%llu 0 10 dma_fence:dma_fence_wait_end "
	       "driver=drm_sched timeline=gfx context=30 seqno=1",
	       (unsigned long long)done + 20000);
	flip(f, START + 42 * MS);
	wake_up(f, 5);
	SWITCH(f, START + 60 * MS, 10, 1, 0);
	open_it(f, AN_CLIENT_IDLE_NS);
}

static void what_it_does_while_its_job_runs_is_no_cause(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	own_job(&f, 11 * MS, 31 * MS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.why.cause, AN_CAUSE_GPU);
	assert_int_equal(s.why.ns, 30 * MS);
	assert_non_null(strstr(text, "waited 10.000 ms for fence drm_sched gfx "
			       "30:1, whose job of game/10 ran for 30.000 ms"));
	an_stall_fini(&s);
	end(&f);
}

/* The GPU did not have it yet: it computed from 10.04 to 30 ms, and from 41.01 to
 * 42. */
static void what_it_does_before_its_job_runs_may_be_one(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	own_job(&f, 30 * MS, 31 * MS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.why.cause, AN_CAUSE_CPU);
	assert_int_equal(s.why.ns, 19960000 + 990000);
	an_stall_fini(&s);
	end(&f);
}

static void a_job_that_is_given_to_its_ring_late_names_who_did(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	own_job(&f, 36 * MS, 12 * MS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.why.cause, AN_CAUSE_QUEUE);
	assert_int_equal(an_task_tid(&f.gpu.tasks, s.why.who), 30);
	assert_non_null(strstr(text, "whose job was not given to ring d gfx for "
			       "25.000 ms by kworker/0:1/30"));
	an_stall_fini(&s);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_client_that_computes_is_late_by_the_cpu),
		cmocka_unit_test(
			a_client_whose_cpu_is_taken_is_late_by_the_rival),
		cmocka_unit_test(
			of_several_rivals_the_share_of_the_worst_is_told),
		cmocka_unit_test(a_client_that_is_blocked_names_who_wakes_it),
		cmocka_unit_test(a_picture_that_is_not_ready_is_shown_late),
		cmocka_unit_test(a_worker_that_is_held_up_shows_late),
		cmocka_unit_test(a_frame_that_was_ready_says_so),
		cmocka_unit_test(unknown_is_an_honest_answer),
		cmocka_unit_test(what_it_does_while_its_job_runs_is_no_cause),
		cmocka_unit_test(what_it_does_before_its_job_runs_may_be_one),
		cmocka_unit_test(
			a_job_that_is_given_to_its_ring_late_names_who_did),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
