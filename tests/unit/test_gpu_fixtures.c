/* What no machine at hand can make: rates, counts that jump or wrap, rows out of
 * order. Rows go through the writer; times are in ns, and what is expected is
 * worked out beside each. */
#include "analyze/gpu/gap.h"
#include "analyze/gpu/stall.h"
#include "analyze/gpu/waits.h"
#include "analyze/timeline/provider.h"
#include "tests/support/failalloc.h"
#include "tests/unit/test_gpu_build.h"

#include <inttypes.h>
#include <setjmp.h>

#include <cmocka.h>

#define START 1000000000ull
#define CLIENT 0xffff888000c0ull

struct fixture {
	struct buf lines;
	struct gb_trace trace;
	struct an_gpu gpu;
};

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	buf_init(&f->lines, 0);
	gb_say(&f->lines, "thread 0 0 swapper\nthread 10 10 game\n"
	       "thread 11 11 video\nthread 40 40 kworker/0:1");
}

static void open_it(struct fixture *f)
{
	struct err err = { 0 };

	gb_open(&f->trace, (const char *)f->lines.p);
	assert_int_equal(an_gpu_make(&f->gpu, f->trace.trace,
				     AN_CLIENT_IDLE_NS, &err), 0);
}

static void end(struct fixture *f)
{
	an_gpu_fini(&f->gpu);
	gb_close(&f->trace);
	buf_fini(&f->lines);
}

static void delivered(struct fixture *f, uint64_t time, uint32_t seq)
{
	gb_say(&f->lines, "%" PRIu64 " 0 0 drm:drm_vblank_event_delivered "
	       "file=%llu crtc=0 seq=%" PRIu32, time + 20000, CLIENT, seq);
}

/* With `shown` a frame of the client comes with it. */
static void vblank(struct fixture *f, uint64_t time, uint32_t seq, bool shown)
{
	if (shown)
		delivered(f, time, seq);
	gb_say(&f->lines, "%" PRIu64 " 0 0 drm:drm_vblank_event crtc=0 seq=%"
	       PRIu32 " time=%" PRIu64 " high_prec=1", time + 30000, seq, time);
}

/* n vblanks; the frames that would have come with those listed are lost. */
static void run_at(struct fixture *f, double hz, uint32_t first, unsigned n,
		   const unsigned *lost, size_t n_lost)
{
	size_t next = 0;

	for (unsigned i = 0; i < n; i++) {
		bool skip = next < n_lost && lost[next] == i;

		next += skip;
		vblank(f, START + (uint64_t)(i * (1e9 / hz) + 0.5), first + i,
		       !skip);
	}
}

/* "seq:missed" of each late frame, with blanks. */
static void late_are(const struct fixture *f, const char *want)
{
	char text[512] = "";
	size_t n = 0;

	for (size_t i = 0; i < f->gpu.clients.n; i++) {
		const struct an_delivery *d = &f->gpu.clients.v[i];

		if (d->missed)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
				"%s%" PRIu32 ":%" PRIu32, n ? " " : "", d->seq,
				d->missed);
	}
	assert_string_equal(text, want);
}

static const struct an_head *only_head(const struct fixture *f)
{
	assert_int_equal(f->gpu.heads.n_heads, 1);
	return &f->gpu.heads.heads[0];
}

/* Of 300 frames those at 50, at 51 and 52, and at 200 are lost: the next ones
 * come one, then two vblanks late, and one again, at any rate. */
static void frames_are_late_at_any_rate(void **state)
{
	static const unsigned lost[] = { 50, 100, 101, 200 };
	static const double rates[] = { 24, 59.94, 60, 75, 144, 240 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		struct fixture f;

		begin(&f);
		run_at(&f, rates[i], 1000, 300, lost, ARRAY_LEN(lost));
		open_it(&f);
		late_are(&f, "1051:1 1102:2 1201:1");
		/* 59.94 and 60 Hz are 0.1 % apart. */
		assert_true(1e9 / only_head(&f)->period_ns > rates[i] * 0.9999);
		assert_true(1e9 / only_head(&f)->period_ns < rates[i] * 1.0001);
		assert_false(only_head(&f)->vrr);
		end(&f);
	}
}

/* Vblanks wait for pictures: between 48 and 144 Hz the time to the next one is
 * 6.944 to 20.833 ms, and none is missed until the client skips one. */
static void a_variable_rate_misses_by_the_count_alone(void **state)
{
	struct fixture f;
	uint64_t time = START;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 400; i++) {
		vblank(&f, time, 1 + i, i != 300);
		time += 6944444 + i * i * 7919 % 13888888;
	}
	open_it(&f);
	assert_true(only_head(&f)->vrr);
	late_are(&f, "302:1");
	end(&f);
}

/* Interrupts are off while nobody waits; the client shows nothing for 1.7 s, from
 * vblank 49 to 151. */
static void a_hole_in_vblanks_is_no_missed_frame(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 300; i++)
		if (i < 50 || i > 150)
			vblank(&f, START + i * 16666667ull, i, true);
	open_it(&f);
	late_are(&f, "");
	assert_int_equal(only_head(&f)->not_seen, 101);
	assert_int_equal(f.gpu.clients.clients[0].pauses, 1);
	end(&f);
}

/* The row of vblank 40 is lost, that of the delivery is not. */
static void a_lost_row_of_a_vblank_is_no_missed_frame(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 100; i++) {
		if (i == 40) {
			delivered(&f, START + i * 16666667ull, i);
			continue;
		}
		vblank(&f, START + i * 16666667ull, i, true);
	}
	open_it(&f);
	late_are(&f, "");
	assert_int_equal(f.gpu.clients.n_clients, 1);
	assert_int_equal(only_head(&f)->not_seen, 1);
	end(&f);
}

/* 32 bits: frames come with 2^32 - 1, then 2: 0 and 1 are missed. */
static void a_count_wraps_without_missing_more(void **state)
{
	static const unsigned lost[] = { 30, 31 };
	struct fixture f;

	(void)state;
	begin(&f);
	run_at(&f, 60, UINT32_MAX - 29, 60, lost, ARRAY_LEN(lost));
	open_it(&f);
	late_are(&f, "2:2");
	assert_int_equal(only_head(&f)->restarts, 0);
	end(&f);
}

/* A mode set lasts 0.3 s and leaves another count, lower or higher by far: no
 * display misses 4,840 vblanks in that time. */
static void a_count_that_jumps_misses_nothing(void **state)
{
	static const uint32_t next[] = { 3, 5000, 90 };

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(next); k++) {
		struct fixture f;

		begin(&f);
		for (unsigned i = 0; i < 60; i++)
			vblank(&f, START + i * 16666667ull, 100 + i, true);
		for (unsigned i = 0; i < 60; i++)
			vblank(&f, START + 1300000000 + i * 16666667ull,
			       next[k] + i, true);
		open_it(&f);
		late_are(&f, "");
		assert_int_equal(only_head(&f)->restarts, 1);
		end(&f);
	}
}

/* Flip and vblank wait of one client are both told at one vblank. */
static void two_deliveries_at_one_vblank_miss_nothing(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 60; i++) {
		if (i % 7 == 3)
			delivered(&f, START + i * 16666667ull - 1000, i);
		vblank(&f, START + i * 16666667ull, i, i != 20);
	}
	open_it(&f);
	late_are(&f, "21:1");
	end(&f);
}

static void fence(struct fixture *f, uint64_t time, unsigned tid,
		  const char *event, uint32_t context, uint32_t seqno)
{
	gb_say(&f->lines, "%" PRIu64 " 0 %u dma_fence:dma_fence_%s "
	       "driver=drm_sched timeline=gfx context=%" PRIu32 " seqno=%"
	       PRIu32, time, tid, event, context, seqno);
}

/* Rows of the scheduler have 64 bits, those of fences 32. `dev` is the card. */
static void handed(struct fixture *f, uint64_t time, unsigned tid,
		   const char *event, const char *dev, uint64_t context,
		   uint64_t seqno)
{
	gb_say(&f->lines, "%" PRIu64 " 0 %u gpu_scheduler:drm_sched_job_%s "
	       "name=gfx dev=%s fence_context=%" PRIu64 " fence_seqno=%" PRIu64
	       " client_id=1", time, tid, event, dev, context, seqno);
}

static void done(struct fixture *f, uint64_t time, uint64_t context,
		 uint64_t seqno)
{
	gb_say(&f->lines, "%" PRIu64 " 0 0 gpu_scheduler:drm_sched_job_done "
	       "fence_context=%" PRIu64 " fence_seqno=%" PRIu64, time, context,
	       seqno);
}

static const struct an_ring *ring(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->gpu.jobs.n_rings; i++)
		if (strcmp(f->gpu.jobs.rings[i].name, name) == 0)
			return &f->gpu.jobs.rings[i];
	fail_msg("no ring '%s'", name);
	return NULL;
}

/* Jobs 2^32 - 2 to 2^32 + 1 in a row; each is waited for by what a row of fences
 * keeps of its number, and runs for 400. */
static void a_wait_finds_its_job_across_the_wrap(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (uint64_t i = 0; i < 4; i++) {
		uint64_t at = 1000 + i * 1000, seqno = UINT32_MAX - 1ull + i;

		fence(&f, at, 10, "init", 30, (uint32_t)seqno);
		handed(&f, at + 10, 10, "queue", "d", 30, seqno);
		handed(&f, at + 20, 40, "run", "d", 30, seqno);
		fence(&f, at + 30, 10, "wait_start", 30, (uint32_t)seqno);
		done(&f, at + 420, 30, seqno);
		fence(&f, at + 421, 0, "signaled", 30, (uint32_t)seqno);
		fence(&f, at + 430, 10, "wait_end", 30, (uint32_t)seqno);
	}
	open_it(&f);
	assert_int_equal(f.gpu.fences.n_waits, 4);
	for (uint32_t i = 0; i < 4; i++) {
		const struct an_wait *w = &f.gpu.fences.waits[i];

		assert_int_equal(w->to - w->from, 400);
		assert_int_equal(f.gpu.fences.v[w->fence].job, i);
	}
	assert_int_equal(ring(&f, "d gfx")->busy_ns, 4 * 400);
	end(&f);
}

/* Rings of two CPUs are written one after the other: the end of a job stands
 * before its hand-over and its submission. */
static void the_end_may_stand_before_the_beginning(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	done(&f, 900, 30, 1);
	fence(&f, 901, 0, "signaled", 30, 1);
	handed(&f, 300, 40, "run", "d", 30, 1);
	fence(&f, 950, 10, "wait_end", 30, 1);
	fence(&f, 190, 10, "init", 30, 1);
	handed(&f, 200, 10, "queue", "d", 30, 1);
	fence(&f, 250, 10, "wait_start", 30, 1);
	open_it(&f);
	assert_int_equal(f.gpu.jobs.n, 1);
	assert_int_equal(f.gpu.jobs.v[0].submit, 200);
	assert_int_equal(f.gpu.jobs.v[0].start, 300);
	assert_int_equal(f.gpu.jobs.v[0].end, 900);
	assert_int_equal(f.gpu.fences.n_waits, 1);
	assert_int_equal(f.gpu.fences.waits[0].to -
			 f.gpu.fences.waits[0].from, 700);
	assert_int_equal(f.gpu.fences.v[f.gpu.fences.waits[0].fence].made, 190);
	end(&f);
}

/* Context 20 was waited for during 3 * 8 ms, 30 from 21.5 ms to the end of the
 * recording at 29 ms. */
static void a_fence_that_is_never_signalled_comes_first(void **state)
{
	struct fixture f;
	struct an_wait_groups groups;
	struct err err = { 0 };

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 3; i++) {
		fence(&f, 1000000 + i * 10000000ull, 11, "wait_start", 20, i);
		fence(&f, 9000000 + i * 10000000ull, 0, "signaled", 20, i);
		fence(&f, 9000001 + i * 10000000ull, 11, "wait_end", 20, i);
	}
	fence(&f, 21400000, 10, "init", 30, 7);
	fence(&f, 21500000, 10, "wait_start", 30, 7);
	open_it(&f);
	assert_int_equal(an_wait_groups_make(&groups, &f.gpu, NULL, &err), 0);
	assert_int_equal(groups.n, 2);
	assert_int_equal(groups.v[0].unsignaled, 1);
	assert_int_equal(groups.v[0].total_ns, 29000001 - 21500000);
	assert_int_equal(groups.v[1].total_ns, 3 * 8000001);
	an_wait_groups_fini(&groups);
	end(&f);
}

/* The signal of "scheduled" is lost; the worker that handed a job over makes a
 * fence for somebody else when that has long ended. */
static void a_later_fence_of_the_worker_is_not_of_the_job(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	handed(&f, 200, 10, "queue", "d", 30, 1);
	handed(&f, 300, 40, "run", "d", 30, 1);
	done(&f, 900, 30, 1);
	gb_say(&f.lines, "5000 0 40 dma_fence:dma_fence_init driver=vgem "
	       "timeline=unbound context=90 seqno=1");
	open_it(&f);
	assert_int_equal(ring(&f, "d gfx")->busy_ns, 600);
	assert_int_equal(f.gpu.fences.v[an_fences_find(&f.gpu.fences,
					an_gpu_key(90, 1), 6000)].job, AN_NONE);
	end(&f);
}

/* Both call it gfx, and jobs of one run while the other's do: 400 and 300, with
 * a gap of 100 on the second alone. */
static void rings_of_two_cards_have_gaps_of_their_own(void **state)
{
	struct fixture f;
	struct an_gap gap;
	size_t at = 0;

	(void)state;
	begin(&f);
	handed(&f, 1000, 10, "queue", "a", 30, 1);
	handed(&f, 1000, 40, "run", "a", 30, 1);
	handed(&f, 1100, 11, "queue", "b", 50, 1);
	handed(&f, 1100, 40, "run", "b", 50, 1);
	done(&f, 1200, 50, 1);
	handed(&f, 1250, 11, "queue", "b", 50, 2);
	handed(&f, 1300, 40, "run", "b", 50, 2);
	done(&f, 1400, 30, 1);
	done(&f, 1500, 50, 2);
	open_it(&f);
	assert_int_equal(ring(&f, "a gfx")->busy_ns, 400);
	assert_int_equal(ring(&f, "b gfx")->busy_ns, 100 + 200);
	assert_true(an_gap_next(&f.gpu, 1, &at, &gap));
	assert_string_equal(f.gpu.jobs.rings[gap.ring].name, "b gfx");
	assert_int_equal(gap.from, 1200);
	assert_int_equal(gap.to, 1300);
	an_gap_fini(&gap);
	assert_false(an_gap_next(&f.gpu, 1, &at, &gap));
	end(&f);
}

/* The interrupt that signals goes on to wake a thread of the kernel: it does not
 * use the GPU, so it did not wait for it. "game" does. */
static void who_does_not_use_the_gpu_does_not_wait_for_it(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	gb_say(&f.lines, "thread 15 15 rcu_preempt");
	fence(&f, 50, 10, "init", 30, 1);
	for (unsigned tid = 10; tid <= 15; tid += 5)
		gb_say(&f.lines, "%u 0 %u sched:sched_switch prev_pid=%u "
		       "prev_state=1 next_pid=0", 100 + tid, tid, tid);
	fence(&f, 800, 0, "signaled", 30, 1);
	for (unsigned tid = 10; tid <= 15; tid += 5)
		gb_say(&f.lines, "%u 0 0 sched:sched_waking pid=%u", 810 + tid,
		       tid);
	gb_say(&f.lines, "900 0 0 sched:sched_switch prev_pid=0 prev_state=0 "
	       "next_pid=10");
	open_it(&f);
	assert_int_equal(f.gpu.fences.n_waits, 1);
	assert_int_equal(an_task_tid(&f.gpu.tasks,
				     f.gpu.fences.waits[0].task), 10);
	assert_int_equal(f.gpu.fences.waits[0].to -
			 f.gpu.fences.waits[0].from, 820 - 110);
	end(&f);
}

/* xe makes the fence of the hardware itself: it lives from its creation to its
 * signal also where no general row tells of it. */
static void a_fence_of_xe_is_told_by_its_own_rows(void **state)
{
	static const char own[] = "dev=0000:00:02.0 ctx=8 seqno=3 fence=0xf000";
	struct fixture f;
	uint32_t id;

	(void)state;
	begin(&f);
	gb_say(&f.lines, "100 0 10 xe:xe_hw_fence_create %s", own);
	gb_say(&f.lines, "110 0 10 xe:xe_sched_job_exec dev=0000:00:02.0 "
	       "seqno=3 gt_id=0 guc_id=4 fence=0xf000");
	gb_say(&f.lines, "400 0 0 xe:xe_hw_fence_signal %s", own);
	open_it(&f);
	id = an_fences_find(&f.gpu.fences, an_gpu_key(8, 3), 1000);
	assert_int_not_equal(id, AN_NONE);
	assert_int_equal(f.gpu.fences.v[id].made, 100);
	assert_int_equal(f.gpu.fences.v[id].signaled, 400);
	assert_int_equal(f.gpu.fences.v[id].job, 0);
	end(&f);
}

static int draw(struct an_timeline *tl, const struct gb_trace *t,
		struct err *err)
{
	static const struct an_selection all = { .t_max = UINT64_MAX };
	struct an_timeline_input in = { .t = t->trace, .sel = &all };
	int rc = an_timeline_init(tl, err);

	if (!rc)
		rc = an_providers_fill(tl, &in, "displays", err);
	if (!rc)
		assert_int_equal(in.late, 1);
	an_input_fini(&in);
	return rc;
}

/* One frame of ten is late, and drawn with its reason. */
static void a_late_frame_is_drawn_or_its_failure_reported(void **state)
{
	static const unsigned lost[] = { 5 };
	struct fixture f;
	bool hit = true;

	(void)state;
	begin(&f);
	run_at(&f, 60, 100, 10, lost, 1);
	open_it(&f);
	for (long n = 1; hit; n++) {
		struct an_timeline tl = { 0 };
		struct err err = { 0 };
		int rc;

		failalloc_at(n);
		rc = draw(&tl, &f.trace, &err);
		hit = failalloc_hit();
		failalloc_off();
		assert_int_equal(rc, hit ? ERR_NOMEM : 0);
		an_timeline_fini(&tl);
	}
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_late_at_any_rate),
		cmocka_unit_test(a_variable_rate_misses_by_the_count_alone),
		cmocka_unit_test(a_hole_in_vblanks_is_no_missed_frame),
		cmocka_unit_test(a_lost_row_of_a_vblank_is_no_missed_frame),
		cmocka_unit_test(a_count_wraps_without_missing_more),
		cmocka_unit_test(a_count_that_jumps_misses_nothing),
		cmocka_unit_test(two_deliveries_at_one_vblank_miss_nothing),
		cmocka_unit_test(a_wait_finds_its_job_across_the_wrap),
		cmocka_unit_test(the_end_may_stand_before_the_beginning),
		cmocka_unit_test(a_fence_that_is_never_signalled_comes_first),
		cmocka_unit_test(a_later_fence_of_the_worker_is_not_of_the_job),
		cmocka_unit_test(rings_of_two_cards_have_gaps_of_their_own),
		cmocka_unit_test(who_does_not_use_the_gpu_does_not_wait_for_it),
		cmocka_unit_test(a_late_frame_is_drawn_or_its_failure_reported),
		cmocka_unit_test(a_fence_of_xe_is_told_by_its_own_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
