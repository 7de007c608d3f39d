/* Jobs and rings, of each generation of events. Times are in ns; what is
 * expected follows from the rows by hand: a job begins when it was handed over
 * or when the one before on its ring ended, whichever is later. */
#include "analyze/gpu/gap.h"
#include "analyze/gpu/model.h"
#include "tests/unit/test_gpu_build.h"

#include <inttypes.h>
#include <setjmp.h>

#include <cmocka.h>

struct fixture {
	struct gb_trace trace;
	struct an_gpu gpu;
};

static const char threads[] =
	"thread 0 0 swapper\nthread 10 10 game\nthread 11 11 video\n"
	"thread 40 40 gfx\nthread 41 41 gfx\nthread 42 42 kworker/0:1\n";

static void begin(struct fixture *f, const char *rows)
{
	char lines[16384];
	struct err err = { 0 };

	memset(f, 0, sizeof(*f));
	snprintf(lines, sizeof(lines), "%s%s", threads, rows);
	gb_open(&f->trace, lines);
	assert_int_equal(an_gpu_make(&f->gpu, f->trace.trace,
				     AN_CLIENT_IDLE_NS, &err), 0);
}

static void end(struct fixture *f)
{
	an_gpu_fini(&f->gpu);
	gb_close(&f->trace);
}

/* "ring context:seqno submit run start end by TID", a job each, with ';'. */
static void jobs_are(struct fixture *f, const char *want)
{
	char text[2048] = "";
	size_t n = 0;

	for (size_t i = 0; i < f->gpu.jobs.n; i++) {
		const struct an_job *j = &f->gpu.jobs.v[i];

		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"%s%s %u:%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %"
			PRIu64 " by %d", n ? "; " : "",
			f->gpu.jobs.rings[j->ring].name, j->context, j->seqno,
			j->submit, j->run, j->start, j->end,
			an_task_tid(&f->gpu.tasks, j->task));
	}
	assert_string_equal(text, want);
}

static void busy_is(struct fixture *f, const char *ring, uint64_t ns)
{
	for (size_t i = 0; i < f->gpu.jobs.n_rings; i++)
		if (strcmp(f->gpu.jobs.rings[i].name, ring) == 0) {
			assert_int_equal(f->gpu.jobs.rings[i].busy_ns, ns);
			return;
		}
	fail_msg("no ring '%s'", ring);
}

#define FENCE(time, tid, event, driver, timeline, context, seqno)              \
	#time " 0 " #tid " dma_fence:dma_fence_" #event " driver=" #driver     \
	" timeline=" #timeline " context=" #context " seqno=" #seqno "\n"
#define OLD(time, tid, event, entity, id, fence)                               \
	#time " 0 " #tid " gpu_scheduler:drm_" #event " entity=" #entity       \
	" fence=" #fence " name=gfx id=" #id " job_count=0 hw_job_count=0\n"
#define OLD_DONE(time, fence)                                                  \
	#time " 0 0 gpu_scheduler:drm_sched_process_job fence=" #fence "\n"
#define NEW(time, tid, event, ring, dev, context, seqno, client)               \
	#time " 0 " #tid " gpu_scheduler:drm_sched_job_" #event " name=" #ring \
	" job_count=0 hw_job_count=0 dev=" #dev " fence_context=" #context     \
	" fence_seqno=" #seqno " client_id=" #client "\n"
#define NEW_DONE(time, context, seqno)                                         \
	#time " 0 0 gpu_scheduler:drm_sched_job_done fence_context=" #context  \
	" fence_seqno=" #seqno "\n"

/* 6.1: jobs are known by the address of their fence, which comes again; which
 * fence it is says the pair that its submitter has just made. */
static void a_job_until_6_15(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(100, 10, init, drm_sched, gfx, 29, 1)
		  FENCE(101, 10, init, drm_sched, gfx, 30, 1)
		  OLD(102, 10, sched_job, 0x1000, 7, 0xf000)
		  OLD(110, 40, run_job, 0x1000, 7, 0xf000)
		  FENCE(111, 40, init, mockgpu, gfx, 4, 1)
		  FENCE(112, 40, signaled, drm_sched, gfx, 29, 1)
		  FENCE(400, 0, signaled, mockgpu, gfx, 4, 1)
		  OLD_DONE(401, 0xf000)
		  FENCE(402, 0, signaled, drm_sched, gfx, 30, 1)
		  FENCE(500, 10, init, drm_sched, gfx, 29, 2)
		  FENCE(501, 10, init, drm_sched, gfx, 30, 2)
		  OLD(502, 10, sched_job, 0x1000, 8, 0xf000)
		  OLD(510, 40, run_job, 0x1000, 8, 0xf000)
		  OLD_DONE(701, 0xf000)
		  FENCE(702, 0, signaled, drm_sched, gfx, 30, 2));
	jobs_are(&f, "gfx 30:1 102 111 111 400 by 10; "
		     "gfx 30:2 502 510 510 701 by 10");
	busy_is(&f, "gfx", 289 + 191);
	/* Also the hardware's fence is that job's. */
	assert_int_equal(f.gpu.fences.v[an_fences_find(&f.gpu.fences,
					an_gpu_key(4, 1), 1000)].job, 0);
	assert_int_equal(f.gpu.fences.v[an_fences_find(&f.gpu.fences,
					an_gpu_key(30, 2), 1000)].job, 1);
	end(&f);
}

/* Its row says that another thread handed it over: there is still one ring. */
static void a_ring_has_its_own_thread(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, OLD(102, 10, sched_job, 0x1000, 7, 0xf000)
		  OLD(110, 11, run_job, 0x1000, 7, 0xf000)
		  OLD_DONE(401, 0xf000)
		  OLD(502, 10, sched_job, 0x1000, 8, 0xf000)
		  OLD(510, 40, run_job, 0x1000, 8, 0xf000)
		  OLD_DONE(701, 0xf000));
	assert_int_equal(f.gpu.jobs.n_rings, 1);
	jobs_are(&f, "gfx 0:0 102 110 110 401 by 10; "
		     "gfx 0:0 502 510 510 701 by 10");
	assert_int_equal(f.gpu.contraries.runners, 1);
	assert_true(an_lossy_in(&f.gpu.lossy, 100, 110));
	assert_false(an_lossy_in(&f.gpu.lossy, 500, 700));
	end(&f);
}

/* A row of its submission is of another thread than its fence. */
static void a_job_is_submitted_by_who_made_its_fence(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(100, 10, init, drm_sched, gfx, 29, 1)
		  FENCE(101, 10, init, drm_sched, gfx, 30, 1)
		  OLD(102, 11, sched_job, 0x1000, 7, 0xf000)
		  OLD(110, 40, run_job, 0x1000, 7, 0xf000)
		  OLD_DONE(401, 0xf000)
		  FENCE(402, 0, signaled, drm_sched, gfx, 30, 1));
	jobs_are(&f, "gfx 30:1 102 110 110 401 by 11");
	assert_int_equal(f.gpu.contraries.submitters, 1);
	assert_true(an_lossy_in(&f.gpu.lossy, 100, 110));
	end(&f);
}

/* One fence of the pair is not in the trace: that job is not taken for another
 * one's, nor for one that ended when it was handed over. */
static void a_job_whose_fence_is_missing_has_no_other(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(100, 10, init, drm_sched, gfx, 29, 1)
		  OLD(102, 10, sched_job, 0x1000, 7, 0xf000)
		  OLD(110, 40, run_job, 0x1000, 7, 0xf000)
		  FENCE(112, 40, signaled, drm_sched, gfx, 29, 1)
		  OLD_DONE(401, 0xf000)
		  FENCE(500, 10, init, drm_sched, gfx, 29, 2)
		  FENCE(501, 10, init, drm_sched, gfx, 30, 2)
		  OLD(502, 10, sched_job, 0x1000, 8, 0xf000)
		  OLD(510, 40, run_job, 0x1000, 8, 0xf000)
		  OLD(602, 10, sched_job, 0x1000, 9, 0xf001)
		  OLD(610, 40, run_job, 0x1000, 9, 0xf001)
		  OLD_DONE(701, 0xf000)
		  FENCE(702, 0, signaled, drm_sched, gfx, 30, 2)
		  OLD_DONE(801, 0xf001));
	jobs_are(&f, "gfx 0:0 102 110 110 401 by 10; "
		     "gfx 30:2 502 510 510 701 by 10; "
		     "gfx 0:0 602 610 701 801 by 10");
	end(&f);
}

/* The scheduler's thread was held up before it called the driver, and whoever
 * signalled the hardware's fence before it told of that. What else that thread
 * makes later, and a second fence, change nothing. */
static void a_job_lasts_from_its_hardware_fence_to_its_signal(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, FENCE(100, 10, init, drm_sched, gfx, 29, 1)
		  FENCE(101, 10, init, drm_sched, gfx, 30, 1)
		  OLD(102, 10, sched_job, 0x1000, 7, 0xf000)
		  OLD(110, 40, run_job, 0x1000, 7, 0xf000)
		  FENCE(210, 40, init, mockgpu, gfx, 4, 1)
		  FENCE(211, 40, init, dma_fence_array, unbound, 9, 1)
		  FENCE(212, 40, signaled, drm_sched, gfx, 29, 1)
		  FENCE(213, 40, init, mockgpu, gfx, 5, 1)
		  FENCE(300, 0, signaled, dma_fence_array, unbound, 9, 1)
		  FENCE(400, 0, signaled, mockgpu, gfx, 4, 1)
		  OLD_DONE(450, 0xf000)
		  FENCE(451, 0, signaled, drm_sched, gfx, 30, 1));
	jobs_are(&f, "gfx 30:1 102 210 210 400 by 10");
	busy_is(&f, "gfx", 190);
	end(&f);
}

/* Without the making of fences in the trace the signal behind the end tells. */
static void the_signal_tells_the_fence_of_an_old_job(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, OLD(102, 10, sched_job, 0x1000, 7, 0xf000)
		  OLD(110, 40, run_job, 0x1000, 7, 0xf000)
		  OLD_DONE(401, 0xf000)
		  FENCE(402, 0, signaled, drm_sched, gfx, 30, 1));
	jobs_are(&f, "gfx 30:1 102 110 110 401 by 10");
	end(&f);
}

static void a_job_since_6_16(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, NEW(100, 10, queue, gfx, 0000:03:00.0, 30, 5, 7)
		  NEW(120, 42, run, gfx, 0000:03:00.0, 30, 5, 7)
		  NEW_DONE(300, 30, 5));
	jobs_are(&f, "0000:03:00.0 gfx 30:5 100 120 120 300 by 10");
	assert_int_equal(f.gpu.jobs.v[0].client, 7);
	end(&f);
}

/* Two were handed over before the first was done. */
static void a_ring_does_one_job_after_another(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, NEW(100, 10, queue, gfx, d, 30, 1, 7)
		  NEW(110, 42, run, gfx, d, 30, 1, 7)
		  NEW(120, 11, queue, gfx, d, 32, 1, 8)
		  NEW(130, 42, run, gfx, d, 32, 1, 8)
		  NEW_DONE(500, 30, 1)
		  NEW_DONE(600, 32, 1)
		  NEW(700, 10, queue, gfx, d, 30, 2, 7)
		  NEW(710, 42, run, gfx, d, 30, 2, 7)
		  NEW_DONE(800, 30, 2));
	jobs_are(&f, "d gfx 30:1 100 110 110 500 by 10; "
		     "d gfx 32:1 120 130 500 600 by 11; "
		     "d gfx 30:2 700 710 710 800 by 10");
	assert_int_equal(f.gpu.jobs.v[1].ahead, 0);
	assert_int_equal(f.gpu.jobs.v[2].ahead, AN_NONE);
	busy_is(&f, "d gfx", 390 + 100 + 90);
	assert_int_equal(an_ring_busy(&f.gpu.jobs, 0, 200, 750), 300 + 100 +
			 40);
	end(&f);
}

/* Credits let several jobs be in flight, and they may end in any order: busy is
 * their union, not their sum. */
static void busy_is_the_union_of_jobs(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, NEW(100, 10, queue, gfx, d, 30, 1, 7)
		  NEW(100, 42, run, gfx, d, 30, 1, 7)
		  NEW(200, 10, queue, gfx, d, 30, 2, 7)
		  NEW(200, 42, run, gfx, d, 30, 2, 7)
		  NEW_DONE(300, 30, 2)
		  NEW_DONE(400, 30, 1));
	busy_is(&f, "d gfx", 300);
	end(&f);
}

static void a_job_without_an_end_is_left_out(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, NEW(100, 10, queue, gfx, d, 30, 1, 7)
		  NEW(110, 42, run, gfx, d, 30, 1, 7)
		  NEW(200, 10, queue, gfx, d, 30, 2, 7)
		  NEW(210, 42, run, gfx, d, 30, 2, 7)
		  NEW_DONE(300, 30, 1));
	assert_int_equal(f.gpu.jobs.rings[0].n_jobs, 1);
	busy_is(&f, "d gfx", 190);
	end(&f);
}

static void rings_of_two_cards_have_one_name(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, NEW(100, 10, queue, gfx, 0000:03:00.0, 30, 1, 7)
		  NEW(110, 42, run, gfx, 0000:03:00.0, 30, 1, 7)
		  NEW(120, 10, queue, gfx, 0000:04:00.0, 40, 1, 3)
		  NEW(130, 42, run, gfx, 0000:04:00.0, 40, 1, 3)
		  NEW_DONE(500, 30, 1)
		  NEW_DONE(600, 40, 1));
	assert_int_equal(f.gpu.jobs.n_rings, 2);
	busy_is(&f, "0000:03:00.0 gfx", 390);
	busy_is(&f, "0000:04:00.0 gfx", 470);
	end(&f);
}

/* Before, only the thread of the ring tells them apart. */
static void threads_of_rings_tell_old_cards_apart(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, OLD(100, 10, sched_job, 0x1000, 1, 0xf000)
		  OLD(110, 40, run_job, 0x1000, 1, 0xf000)
		  OLD(120, 10, sched_job, 0x2000, 1, 0xe000)
		  OLD(130, 41, run_job, 0x2000, 1, 0xe000)
		  OLD_DONE(500, 0xf000)
		  OLD_DONE(600, 0xe000));
	assert_int_equal(f.gpu.jobs.n_rings, 2);
	busy_is(&f, "gfx#1", 390);
	busy_is(&f, "gfx#2", 470);
	end(&f);
}

/* amdgpu says again what the scheduler does; alone it is enough. */
static void amdgpu_with_and_without_the_scheduler(void **state)
{
	static const char alone[] =
		"100 0 10 amdgpu:amdgpu_cs_ioctl timeline=gfx_0.0.0 context=30 "
		"seqno=5 fence=0xf000 ring=gfx_0.0.0 num_ibs=1\n"
		"150 0 42 amdgpu:amdgpu_sched_run_job timeline=gfx_0.0.0 "
		"context=30 seqno=5 ring=gfx_0.0.0 num_ibs=1\n"
		FENCE(400, 0, signaled, drm_sched, gfx_0.0.0, 30, 5);
	static const char both[] =
		"100 0 10 amdgpu:amdgpu_cs_ioctl sched_job_id=9 "
		"timeline=gfx_0.0.0 context=30 seqno=5 fence=0xf000 ring=gfx "
		"num_ibs=1\n"
		OLD(101, 10, sched_job, 0x1000, 9, 0xf000)
		OLD(150, 40, run_job, 0x1000, 9, 0xf000)
		"151 0 40 amdgpu:amdgpu_sched_run_job sched_job_id=9 "
		"timeline=gfx context=30 seqno=5 ring=gfx num_ibs=1\n"
		OLD_DONE(400, 0xf000)
		FENCE(401, 0, signaled, drm_sched, gfx, 30, 5);
	struct fixture f;

	(void)state;
	begin(&f, alone);
	jobs_are(&f, "gfx_0.0.0 30:5 100 150 150 400 by 10");
	end(&f);
	begin(&f, both);
	jobs_are(&f, "gfx 30:5 100 151 151 400 by 10");
	end(&f);
}

#define I915(time, tid, event, more)                                           \
	#time " 0 " #tid " i915:i915_request_" #event " dev=0 ctx=5 class=2 "  \
	"instance=1 seqno=9 " more "\n"

/* Distributions leave out the events of the hardware: it is then not known when
 * a job really began. */
static void i915_with_and_without_low_level_events(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, I915(100, 10, queue, "flags=0") I915(110, 10, add, "tail=0")
		  FENCE(400, 0, signaled, i915, x, 5, 9)
		  I915(900, 42, retire, "tail=0"));
	jobs_are(&f, "card0 video1 5:9 100 100 100 400 by 10");
	assert_true(f.gpu.jobs.v[0].guessed_run);
	end(&f);
	begin(&f, I915(100, 10, queue, "flags=0") I915(110, 10, add, "tail=0")
		  I915(150, 0, in, "port=0 prio=0")
		  /* Preempted, and put back later. */
		  I915(200, 0, out, "completed=0")
		  I915(390, 0, out, "completed=1")
		  FENCE(400, 0, signaled, i915, x, 5, 9));
	jobs_are(&f, "card0 video1 5:9 100 150 150 390 by 10");
	end(&f);
}

#define XE_JOB(time, tid, event)                                               \
	#time " 0 " #tid " xe:xe_sched_job_" #event " dev=0000:00:02.0 "       \
	"seqno=3 lrc_seqno=3 gt_id=0 guc_id=4 guc_state=0 flags=0 error=0 "    \
	"fence=0xf000 batch_addr=0\n"
#define XE_FENCE(time, tid, event)                                             \
	#time " 0 " #tid " xe:xe_hw_fence_" #event " dev=0000:00:02.0 ctx=8 "  \
	"seqno=3 fence=0xf000\n"

static void xe_alone_and_by_the_scheduler(void **state)
{
	static const char alone[] =
		XE_FENCE(90, 10, create) XE_JOB(100, 10, exec)
		XE_JOB(150, 42, run) XE_FENCE(400, 0, signal);
	static const char both[] =
		XE_FENCE(90, 10, create) XE_JOB(100, 10, exec)
		NEW(101, 10, queue, rcs0, 0000:00:02.0, 30, 3, 7)
		NEW(149, 42, run, rcs0, 0000:00:02.0, 30, 3, 7)
		XE_JOB(150, 42, run) XE_FENCE(400, 0, signal)
		NEW_DONE(401, 30, 3);
	struct fixture f;

	(void)state;
	begin(&f, alone);
	jobs_are(&f, "0000:00:02.0 gt0 queue4 8:3 100 150 150 400 by 10");
	end(&f);
	begin(&f, both);
	jobs_are(&f, "0000:00:02.0 rcs0 30:3 101 149 149 401 by 10");
	end(&f);
}

/* Commands without a fence have no number, and nobody waits for them. */
static void virtio_gpu_commands_with_fences_are_jobs(void **state)
{
	static const char old[] =
		FENCE(99, 10, emit, virtio_gpu, controlq, 3, 77)
		"100 0 10 virtio_gpu:virtio_gpu_cmd_queue dev=0 vq=0 "
		"name=18446744071 type=519 flags=1 fence_id=77 ctx_id=1\n"
		"120 0 10 virtio_gpu:virtio_gpu_cmd_queue dev=0 vq=0 "
		"name=18446744071 type=260 flags=0 fence_id=0 ctx_id=0\n"
		"300 0 42 virtio_gpu:virtio_gpu_cmd_response dev=0 vq=0 "
		"name=18446744071 type=4352 flags=1 fence_id=77 ctx_id=1\n";
	static const char new[] =
		"100 0 10 virtio_gpu:virtio_gpu_cmd_queue dev=0 vq=0 "
		"name=control type=519 flags=1 fence_id=77 ctx_id=1 "
		"num_free=60 seqno=5\n"
		"300 0 42 virtio_gpu:virtio_gpu_cmd_response dev=0 vq=0 "
		"name=control type=4352 flags=1 fence_id=77 ctx_id=1 "
		"num_free=60 seqno=5\n";
	struct fixture f;

	(void)state;
	begin(&f, old);
	jobs_are(&f, "card0 control 3:77 100 100 100 300 by 10");
	end(&f);
	begin(&f, new);
	jobs_are(&f, "card0 control 0:0 100 100 100 300 by 10");
	end(&f);
}

/* Fences of both rings, and a job that waits for the other's. */
#define DEPENDS                                                                \
	NEW(1000, 10, queue, gfx, d, 30, 1, 7)                                 \
	NEW(1000, 42, run, gfx, d, 30, 1, 7)                                   \
	NEW_DONE(2000, 30, 1)                                                  \
	NEW(2100, 11, queue, compute, d, 50, 1, 8)                             \
	NEW(2100, 42, run, compute, d, 50, 1, 8)                               \
	FENCE(2105, 11, init, drm_sched, compute, 50, 1)                       \
	NEW(2200, 10, queue, gfx, d, 30, 2, 7)                                 \
	"2201 0 10 gpu_scheduler:drm_sched_job_add_dep "                       \
	"fence_context=30 fence_seqno=2 ctx=50 seqno=1\n"                      \
	NEW_DONE(9000, 50, 1)                                                  \
	FENCE(9001, 0, signaled, drm_sched, compute, 50, 1)                    \
	NEW(9010, 42, run, gfx, d, 30, 2, 7)                                   \
	NEW_DONE(9500, 30, 2)

static void a_gap_by_a_dependency_names_it(void **state)
{
	struct fixture f;
	struct an_gap gap;
	struct err err = { 0 };
	struct buf text;
	size_t at = 0;

	(void)state;
	begin(&f, DEPENDS);
	assert_true(an_gap_next(&f.gpu, 1000, &at, &gap));
	assert_int_equal(gap.from, 2000);
	assert_int_equal(gap.to, 9010);
	assert_int_equal(an_gap_explain(&gap, &f.gpu, &err), 0);
	assert_int_equal(gap.why.cause, AN_CAUSE_DEPENDENCY);
	assert_int_equal(gap.why.confidence, AN_HIGH);
	assert_int_equal(an_task_tid(&f.gpu.tasks, gap.why.who), 11);
	buf_init(&text, 0);
	an_gap_text(&gap, &f.gpu, &text);
	buf_u8(&text, 0);
	assert_non_null(strstr((const char *)text.p, "compute 50:1"));
	buf_fini(&text);
	an_gap_fini(&gap);
	assert_false(an_gap_next(&f.gpu, 1000, &at, &gap));
	end(&f);
}

/* The job of another that kept the ring busy may be what was lost. */
static void a_gap_in_which_something_was_lost_is_not_sure(void **state)
{
	static const struct {
		char lines[2048];
		enum an_confidence want;
	} cases[] = {
		{ DEPENDS "loss 5000 0 1 8\n", AN_LOW },
		{ DEPENDS "loss 5000 0 1\n", AN_LOW },
		{ DEPENDS "fact import.undated_losses 1\n", AN_LOW },
		/* Behind the last row, at 9500. */
		{ DEPENDS "loss 60000000000 0 1 8\n", AN_HIGH },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct an_gap gap;
		struct err err = { 0 };
		size_t at = 0;

		begin(&f, cases[i].lines);
		assert_true(an_gap_next(&f.gpu, 1000, &at, &gap));
		assert_int_equal(an_gap_explain(&gap, &f.gpu, &err), 0);
		assert_int_equal(gap.why.confidence, cases[i].want);
		an_gap_fini(&gap);
		end(&f);
	}
}

#define SWITCHED(time, prev, state, next)                                      \
	#time " 1 " #prev " sched:sched_switch prev_pid=" #prev                \
	" prev_state=" #state " next_pid=" #next "\n"

/* The job depends on nothing: the thread that hands it over is ready at 2110 and
 * gets its CPU at 8000. */
static void a_gap_by_the_thread_of_the_ring_names_who_had_its_cpu(void **state)
{
	struct fixture f;
	struct an_gap gap;
	struct err err = { 0 };
	struct buf text;
	size_t at = 0;

	(void)state;
	begin(&f, SWITCHED(900, 0, 0, 40)
		  NEW(1000, 10, queue, gfx, d, 30, 1, 7)
		  NEW(1000, 40, run, gfx, d, 30, 1, 7)
		  SWITCHED(1100, 40, 1, 11)
		  NEW_DONE(2000, 30, 1)
		  NEW(2100, 10, queue, gfx, d, 30, 2, 7)
		  "2110 0 10 sched:sched_waking pid=40\n"
		  SWITCHED(8000, 11, 1, 40)
		  NEW(8010, 40, run, gfx, d, 30, 2, 7)
		  NEW_DONE(9000, 30, 2)
		  SWITCHED(9100, 40, 1, 0));
	assert_true(an_gap_next(&f.gpu, 1000, &at, &gap));
	assert_int_equal(an_gap_explain(&gap, &f.gpu, &err), 0);
	assert_int_equal(gap.why.cause, AN_CAUSE_RUNQ);
	assert_int_equal(gap.why.ns, 8000 - 2110);
	assert_int_equal(an_task_tid(&f.gpu.tasks, gap.why.task), 40);
	assert_int_equal(an_task_tid(&f.gpu.tasks, gap.why.who), 11);
	buf_init(&text, 0);
	an_gap_text(&gap, &f.gpu, &text);
	buf_u8(&text, 0);
	assert_non_null(strstr((const char *)text.p, ", which hands it over, "
			       "waited 5.890 us for a CPU behind "));
	buf_fini(&text);
	an_gap_fini(&gap);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_until_6_15),
		cmocka_unit_test(a_job_whose_fence_is_missing_has_no_other),
		cmocka_unit_test(a_ring_has_its_own_thread),
		cmocka_unit_test(a_job_is_submitted_by_who_made_its_fence),
		cmocka_unit_test(
			a_job_lasts_from_its_hardware_fence_to_its_signal),
		cmocka_unit_test(the_signal_tells_the_fence_of_an_old_job),
		cmocka_unit_test(a_job_since_6_16),
		cmocka_unit_test(a_ring_does_one_job_after_another),
		cmocka_unit_test(busy_is_the_union_of_jobs),
		cmocka_unit_test(a_job_without_an_end_is_left_out),
		cmocka_unit_test(rings_of_two_cards_have_one_name),
		cmocka_unit_test(threads_of_rings_tell_old_cards_apart),
		cmocka_unit_test(amdgpu_with_and_without_the_scheduler),
		cmocka_unit_test(i915_with_and_without_low_level_events),
		cmocka_unit_test(xe_alone_and_by_the_scheduler),
		cmocka_unit_test(virtio_gpu_commands_with_fences_are_jobs),
		cmocka_unit_test(a_gap_by_a_dependency_names_it),
		cmocka_unit_test(
			a_gap_in_which_something_was_lost_is_not_sure),
		cmocka_unit_test(
			a_gap_by_the_thread_of_the_ring_names_who_had_its_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
