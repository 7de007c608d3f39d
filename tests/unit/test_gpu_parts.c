/* What had a part in a late display frame or in a gap, beside the cause that is
 * named. A display frame is 10 ms long: parts are those of 5 ms or more. */
#include "analyze/gpu/gap.h"
#include "analyze/gpu/late.h"
#include "tests/unit/test_gpu_client.h"

#include <inttypes.h>

/* Frame 1, flipped at 42 ms and shown at 50 ms, whose client did what the lines
 * say from 10.04 ms on. */
static void late_frame(struct fixture *f, struct an_stall *s)
{
	char text[512];

	flip(f, START + 42 * MS);
	wake_up(f, 5);
	SWITCH(f, START + 60 * MS, 10, 1, 0);
	open_it(f, AN_CLIENT_IDLE_NS);
	explain(f, s, text, sizeof(text));
}

static void begin_late(struct fixture *f)
{
	begin(f);
	vblanks(f, 10);
	one_in_time(f, 0);
	wake_up(f, 1);
}

static void assert_part(const struct fixture *f, const struct an_why *w,
			enum an_cause cause, int32_t tid, uint64_t ns)
{
	assert_int_equal(w->cause, cause);
	assert_int_equal(w->ns, ns);
	if (tid)
		assert_int_equal(an_task_tid(&f->gpu.tasks, w->who), tid);
	else
		assert_int_equal(w->who, AN_NONE);
}

static void what_took_half_a_period_is_a_part(void **state)
{
	struct fixture f;
	struct an_stall s;
	struct buf said;

	(void)state;
	begin_late(&f);
	SWITCH(&f, START + 11 * MS, 10, 0, 12);
	SWITCH(&f, START + 30 * MS, 12, 1, 10);
	CALL(&f, START + 31 * MS, "enter", "futex", " op=0");
	SWITCH(&f, START + 31 * MS, 10, 1, 0);
	WAKING(&f, START + 39 * MS, 12, 10);
	SWITCH(&f, START + 39 * MS, 0, 0, 10);
	late_frame(&f, &s);
	assert_int_equal(s.why.cause, AN_CAUSE_RUNQ);
	assert_int_equal(s.parts.n, 2);
	assert_part(&f, &s.parts.v[0], AN_CAUSE_RUNQ, 12, 19 * MS);
	assert_true(an_part_is(&s.parts.v[0], &s.why));
	assert_part(&f, &s.parts.v[1], AN_CAUSE_BLOCKED, 12, 8 * MS);
	assert_false(an_part_is(&s.parts.v[1], &s.why));
	buf_init(&said, 0);
	an_stall_part_text(&s.parts.v[1], &f.gpu, &s, &said);
	buf_u8(&said, 0);
	assert_string_equal((char *)said.p, "game/10 was blocked for 8.000 ms "
			    "in futex, woken by rival/12");
	buf_fini(&said);
	an_stall_fini(&s);
	end(&f);
}

/* It waited once, and they had its CPU one after the other. */
static void each_rival_of_one_wait_is_a_part(void **state)
{
	struct fixture f;
	struct an_stall s;

	(void)state;
	begin_late(&f);
	SWITCH(&f, START + 11 * MS, 10, 0, 30);
	SWITCH(&f, START + 20 * MS, 30, 1, 12);
	SWITCH(&f, START + 41 * MS, 12, 1, 10);
	late_frame(&f, &s);
	assert_int_equal(s.why.cause, AN_CAUSE_RUNQ);
	assert_int_equal(an_task_tid(&f.gpu.tasks, s.why.who), 12);
	assert_int_equal(s.parts.n, 2);
	assert_part(&f, &s.parts.v[0], AN_CAUSE_RUNQ, 12, 21 * MS);
	assert_part(&f, &s.parts.v[1], AN_CAUSE_RUNQ, 30, 9 * MS);
	an_stall_fini(&s);
	end(&f);
}

#define JOB(f, time, tid, event, context)                                      \
	gb_say(&(f)->lines, "%llu 0 " #tid " gpu_scheduler:drm_sched_job_"     \
	       event " name=gfx dev=d fence_context=" #context                 \
	       " fence_seqno=1 client_id=1", (unsigned long long)(time))
#define DONE(f, time, context)                                                 \
	gb_say(&(f)->lines, "%llu 0 0 gpu_scheduler:drm_sched_job_done "       \
	       "fence_context=" #context " fence_seqno=1",                     \
	       (unsigned long long)(time));                                    \
	gb_say(&(f)->lines, "%llu 0 0 dma_fence:dma_fence_signaled "           \
	       "driver=drm_sched timeline=gfx context=" #context " seqno=1",   \
	       (unsigned long long)(time))

/* The job of another is on the ring from 11 to 22 ms, then its own until 40. */
static void a_wait_is_for_the_ring_and_for_the_job(void **state)
{
	struct fixture f;
	struct an_stall s;

	(void)state;
	begin_late(&f);
	JOB(&f, START + 11 * MS, 12, "queue", 40);
	JOB(&f, START + 11 * MS, 30, "run", 40);
	JOB(&f, START + 12 * MS, 10, "queue", 30);
	JOB(&f, START + 12 * MS, 30, "run", 30);
	gb_say(&f.lines, "%llu 0 10 dma_fence:dma_fence_wait_start "
	       "driver=drm_sched timeline=gfx context=30 seqno=1",
	       (unsigned long long)(START + 12 * MS));
	SWITCH(&f, START + 12 * MS, 10, 2, 0);
	DONE(&f, START + 22 * MS, 40);
	DONE(&f, START + 40 * MS, 30);
	gb_say(&f.lines, "%llu 0 0 sched:sched_waking pid=10",
	       (unsigned long long)(START + 40 * MS));
	SWITCH(&f, START + 40 * MS, 0, 0, 10);
	gb_say(&f.lines, "%llu 0 10 dma_fence:dma_fence_wait_end "
	       "driver=drm_sched timeline=gfx context=30 seqno=1",
	       (unsigned long long)(START + 40 * MS + 1000));
	late_frame(&f, &s);
	assert_int_equal(s.why.cause, AN_CAUSE_GPU);
	assert_int_equal(s.parts.n, 2);
	assert_part(&f, &s.parts.v[0], AN_CAUSE_GPU, 10, 18 * MS);
	assert_part(&f, &s.parts.v[1], AN_CAUSE_QUEUE, 12, 10 * MS);
	assert_int_equal(s.parts.v[1].fence, s.why.fence);
	an_stall_fini(&s);
	end(&f);
}

/* Its flip of 18 ms is in time for the vblank of 20 ms; what the client did does
 * not count. */
static void of_a_frame_in_time_only_the_display_has_a_part(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	begin_late(&f);
	JOB(&f, START + 17 * MS, 10, "queue", 30);
	JOB(&f, START + 17 * MS, 30, "run", 30);
	flip(&f, START + 18 * MS);
	DONE(&f, START + 45 * MS, 30);
	wake_up(&f, 5);
	SWITCH(&f, START + 60 * MS, 10, 1, 0);
	open_it(&f, AN_CLIENT_IDLE_NS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.why.cause, AN_CAUSE_SCANOUT);
	assert_int_equal(s.parts.n, 1);
	assert_part(&f, &s.parts.v[0], AN_CAUSE_SCANOUT, 10, 28 * MS);
	an_stall_fini(&s);
	end(&f);
}

/* Late by itself first, then by its picture: the job ends at 65 ms. */
static void a_late_client_and_a_late_display_are_both_parts(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	begin_late(&f);
	JOB(&f, START + 41 * MS, 10, "queue", 30);
	JOB(&f, START + 41 * MS, 30, "run", 30);
	flip(&f, START + 42 * MS);
	DONE(&f, START + 65 * MS, 30);
	wake_up(&f, 7);
	SWITCH(&f, START + 75 * MS, 10, 1, 0);
	open_it(&f, AN_CLIENT_IDLE_NS);
	explain(&f, &s, text, sizeof(text));
	/* 3 periods by the client, 2 by the display. */
	assert_int_equal(s.why.cause, AN_CAUSE_CPU);
	assert_int_equal(s.parts.n, 2);
	/* From its wake-up at 10.04 ms on. */
	assert_part(&f, &s.parts.v[0], AN_CAUSE_CPU, 0, 31960000);
	assert_part(&f, &s.parts.v[1], AN_CAUSE_SCANOUT, 10, 24 * MS);
	an_stall_fini(&s);
	end(&f);
}

/* Ring gfx is idle from 5 to 40 ms: its client computes for 12 ms, sleeps for
 * 20 in read until rival/12 wakes it, and submits. */
static void a_gap_has_parts_as_well(void **state)
{
	struct fixture f;
	struct an_gap gap;
	struct err err = { 0 };
	size_t at = 0;

	(void)state;
	begin(&f);
	SWITCH(&f, START, 0, 0, 10);
	JOB(&f, START + 1 * MS, 10, "queue", 30);
	JOB(&f, START + 1 * MS, 30, "run", 30);
	DONE(&f, START + 5 * MS, 30);
	CALL(&f, START + 17 * MS, "enter", "read", " fd=3");
	SWITCH(&f, START + 17 * MS, 10, 1, 0);
	WAKING(&f, START + 37 * MS, 12, 10);
	SWITCH(&f, START + 37 * MS + 1000, 0, 0, 10);
	JOB(&f, START + 40 * MS, 10, "queue", 32);
	JOB(&f, START + 40 * MS, 30, "run", 32);
	DONE(&f, START + 44 * MS, 32);
	SWITCH(&f, START + 50 * MS, 10, 1, 0);
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_true(an_gap_next(&f.gpu, MS, &at, &gap));
	assert_int_equal(an_gap_explain(&gap, &f.gpu, &err), 0);
	assert_int_equal(gap.why.cause, AN_CAUSE_BLOCKED);
	assert_int_equal(gap.parts.n, 2);
	assert_part(&f, &gap.parts.v[0], AN_CAUSE_BLOCKED, 12, 20 * MS);
	assert_part(&f, &gap.parts.v[1], AN_CAUSE_CPU, 0, 15 * MS - 1000);
	an_gap_fini(&gap);
	end(&f);
}

/* Deliveries of vblanks 0, 1, 50, 52, and 302 behind 2.5 s asleep. */
static void pauses(struct fixture *f)
{
	static const uint32_t seqs[] = { 0, 1, 50, 52, 302 };

	begin(f);
	vblanks(f, 310);
	for (size_t i = 0; i < ARRAY_LEN(seqs); i++)
		delivered(f, START + seqs[i] * 10 * MS, 0xc0, seqs[i]);
}

static void a_late_frame_has_one_number_whatever_idle_is(void **state)
{
	static const struct { uint64_t idle_ns; uint32_t late, of[3]; } t[] = {
		{ 100 * MS, 1, { 2 } },
		{ AN_CLIENT_IDLE_NS, 2, { 1, 2 } },
		{ 60 * 1000 * MS, 3, { 1, 2, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct fixture f;
		uint32_t n = 0;

		pauses(&f);
		open_it(&f, t[i].idle_ns);
		for (size_t k = 0; k < f.gpu.clients.n; k++)
			if (f.gpu.clients.v[k].missed) {
				assert_true(n < t[i].late);
				assert_int_equal(f.gpu.clients.v[k].number,
						 t[i].of[n++]);
			}
		assert_int_equal(n, t[i].late);
		end(&f);
	}
}

static void a_late_frame_is_found_by_its_number(void **state)
{
	struct fixture f;
	struct an_late late;
	struct err err = { 0 };
	uint64_t n = 0;

	(void)state;
	pauses(&f);
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(an_late_find(&late, &n, f.trace.trace, 2, &err), 0);
	assert_int_equal(late.from, START + 500 * MS + 20000);
	assert_int_equal(late.to, START + 520 * MS + 20000);
	assert_int_equal(an_late_find(&late, &n, f.trace.trace, 3, &err), 1);
	assert_int_equal(n, 2);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_took_half_a_period_is_a_part),
		cmocka_unit_test(each_rival_of_one_wait_is_a_part),
		cmocka_unit_test(a_wait_is_for_the_ring_and_for_the_job),
		cmocka_unit_test(of_a_frame_in_time_only_the_display_has_a_part),
		cmocka_unit_test(a_late_client_and_a_late_display_are_both_parts),
		cmocka_unit_test(a_gap_has_parts_as_well),
		cmocka_unit_test(a_late_frame_has_one_number_whatever_idle_is),
		cmocka_unit_test(a_late_frame_is_found_by_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
