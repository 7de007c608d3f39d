/* Heads are named after the cards that their clients have open. Card 0 has 60 Hz
 * and counts from 100, card 1 has 75 Hz and counts from 5000; both call their
 * pipe 0. */
#include "analyze/gpu/model.h"
#include "tests/unit/test_gpu_build.h"

#include <setjmp.h>

#include <cmocka.h>

#define START 1000000000ull

struct fixture {
	struct buf lines;
	struct gb_trace trace;
	struct an_gpu gpu;
};

static void head(struct fixture *f, int tid, unsigned first, double hz,
		 unsigned file)
{
	for (unsigned i = 0; i < 60; i++) {
		uint64_t time = START + first * 1000 +
				(uint64_t)(i * (1e9 / hz));
		unsigned seq = first + i;

		gb_say(&f->lines, "%llu 0 %d drm:drm_vblank_event_queued "
		       "file=%u crtc=0 seq=%u", (unsigned long long)time - 5000,
		       tid, file, seq);
		gb_say(&f->lines, "%llu 0 0 drm:drm_vblank_event_delivered "
		       "file=%u crtc=0 seq=%u", (unsigned long long)time + 1000,
		       file, seq);
		gb_say(&f->lines, "%llu 0 0 drm:drm_vblank_event crtc=0 seq=%u "
		       "time=%llu high_prec=1",
		       (unsigned long long)time + 2000, seq,
		       (unsigned long long)time);
	}
}

/* A job of thread 10, whose hardware's fence is of a driver. */
static void job(struct fixture *f, const char *driver, unsigned seqno)
{
	gb_say(&f->lines, "%u 0 10 gpu_scheduler:drm_sched_job_queue name=gfx "
	       "dev=d fence_context=30 fence_seqno=%u", seqno * 1000, seqno);
	gb_say(&f->lines, "%u 0 40 gpu_scheduler:drm_sched_job_run name=gfx "
	       "dev=d fence_context=30 fence_seqno=%u", seqno * 1000 + 1,
	       seqno);
	gb_say(&f->lines, "%u 0 40 dma_fence:dma_fence_init driver=%s "
	       "timeline=gfx context=4 seqno=%u", seqno * 1000 + 2, driver,
	       seqno);
	gb_say(&f->lines, "%u 0 40 dma_fence:dma_fence_signaled "
	       "driver=drm_sched timeline=gfx context=29 seqno=%u",
	       seqno * 1000 + 3, seqno);
}

static void names_are(const char *facts, const char *driver,
		      const char *other_driver, const char *first,
		      const char *second)
{
	struct fixture f = { 0 };
	struct err err = { 0 };
	char name[AN_HEAD_NAME];

	buf_init(&f.lines, 0);
	gb_say(&f.lines, "thread 10 10 game\nthread 11 11 shell\n%s", facts);
	if (driver)
		job(&f, driver, 1);
	if (other_driver)
		job(&f, other_driver, 2);
	head(&f, 10, 100, 60, 0xc0);
	head(&f, 11, 5000, 75, 0xd0);
	gb_open(&f.trace, (const char *)f.lines.p);
	assert_int_equal(an_gpu_make(&f.gpu, f.trace.trace, AN_CLIENT_IDLE_NS,
				     &err), 0);
	assert_int_equal(f.gpu.heads.n_heads, 2);
	an_head_name(&f.gpu.heads, 0, name);
	assert_string_equal(name, first);
	an_head_name(&f.gpu.heads, 1, name);
	assert_string_equal(name, second);
	an_gpu_fini(&f.gpu);
	gb_close(&f.trace);
	buf_fini(&f.lines);
}

static void heads_of_unknown_cards_have_numbers(void **state)
{
	(void)state;
	names_are("", "mockgpu", NULL, "crtc0#1", "crtc0#2");
}

static void heads_are_named_after_the_card_of_their_client(void **state)
{
	(void)state;
	names_are("fact gpu.file.10.3 /dev/dri/card0\n"
		  "fact gpu.file.10.7 /dev/dri/card0\n"
		  "fact gpu.file.11.4 /dev/dri/card1\n"
		  "fact gpu.file.11.5 /dev/dri/renderD128", "mockgpu", NULL,
		  "card0/mockgpu crtc0", "card1 crtc0");
}

static void one_card_that_is_known_leaves_the_other_its_number(void **state)
{
	(void)state;
	names_are("fact gpu.file.11.4 /dev/dri/card1", NULL, NULL, "crtc0",
		  "card1 crtc0");
}

/* Of two cards that a process has open it may show on either; of two drivers
 * that its jobs run on either may drive the display. */
static void what_leaves_a_choice_names_nothing(void **state)
{
	(void)state;
	names_are("fact gpu.file.10.3 /dev/dri/card0\n"
		  "fact gpu.file.10.4 /dev/dri/card1\n"
		  "fact gpu.file.11.4 /dev/dri/card1", NULL, NULL, "crtc0",
		  "card1 crtc0");
	names_are("fact gpu.file.10.3 /dev/dri/card0", "mockgpu", "amdgpu",
		  "card0 crtc0", "crtc0");
}

/* A flip of a client on one of two heads: it is delivered, the vblank follows. */
static void pipe_is_done(struct fixture *f, uint64_t time, const char *driver,
			 const char *device, int cpu)
{
	gb_say(&f->lines, "%llu %d 0 %s:intel_crtc_flip_done dev=%s "
	       "pipe_name=65 frame=7 scanline=1", (unsigned long long)time,
	       cpu, driver, device);
}

static void assert_named(struct fixture *f, const char *first,
			 const char *second)
{
	struct err err = { 0 };
	char name[AN_HEAD_NAME];

	gb_open(&f->trace, (const char *)f->lines.p);
	assert_int_equal(an_gpu_make(&f->gpu, f->trace.trace, AN_CLIENT_IDLE_NS,
				     &err), 0);
	assert_int_equal(f->gpu.heads.n_heads, second ? 2 : 1);
	an_head_name(&f->gpu.heads, 0, name);
	assert_string_equal(name, first);
	if (second) {
		an_head_name(&f->gpu.heads, 1, name);
		assert_string_equal(name, second);
	}
	an_gpu_fini(&f->gpu);
	gb_close(&f->trace);
	buf_fini(&f->lines);
}

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	buf_init(&f->lines, 0);
	gb_say(&f->lines, "thread 10 10 game\nthread 11 11 shell");
}

static void the_only_head_of_a_pipe_is_of_who_names_that(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	head(&f, 10, 100, 60, 0xc0);
	gb_say(&f.lines, "%llu 0 10 xe:intel_pipe_update_end dev=0000:03:00.0 "
	       "pipe_name=65 frame=7", (unsigned long long)START + 700000);
	gb_say(&f.lines, "%llu 0 10 xe:intel_pipe_update_end dev=0000:04:00.0 "
	       "pipe_name=66 frame=7", (unsigned long long)START + 800000);
	assert_named(&f, "0000:03:00.0/xe crtc0", NULL);
	begin(&f);
	gb_say(&f.lines, "fact gpu.file.10.3 /dev/dri/card1");
	head(&f, 10, 100, 60, 0xc0);
	pipe_is_done(&f, START + 102000, "i915", "0000:00:02.0", 0);
	assert_named(&f, "card1/i915 crtc0", NULL);
}

/* Head 0 is delivered 101 us behind START and then each 1/60 s, head 1 5001 us
 * behind it and then each 1/75 s. */
static void of_two_cards_the_flips_tell_which_head_is_whose(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	head(&f, 10, 100, 60, 0xc0);
	head(&f, 11, 5000, 75, 0xd0);
	pipe_is_done(&f, START + 101500, "xe", "0000:03:00.0", 0);
	pipe_is_done(&f, START + 5001500, "i915", "0000:00:02.0", 0);
	assert_named(&f, "0000:03:00.0/xe crtc0", "0000:00:02.0/i915 crtc0");
}

/* On another CPU it is no flip of that delivery; of two devices none is it. */
static void flips_that_leave_a_choice_name_nothing(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	head(&f, 10, 100, 60, 0xc0);
	head(&f, 11, 5000, 75, 0xd0);
	pipe_is_done(&f, START + 101500, "xe", "0000:03:00.0", 1);
	pipe_is_done(&f, START + 5001500, "i915", "0000:00:02.0", 0);
	pipe_is_done(&f, START + 5001600, "xe", "0000:03:00.0", 0);
	assert_named(&f, "crtc0#1", "crtc0#2");
}

/* 6.1 has no device in them; a letter that is no pipe's is none. */
static void rows_without_a_device_name_nothing(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	head(&f, 10, 100, 60, 0xc0);
	gb_say(&f.lines, "%llu 0 10 i915:intel_pipe_update_end pipe=0 frame=7",
	       (unsigned long long)START + 700000);
	gb_say(&f.lines, "%llu 0 10 xe:intel_pipe_update_end dev=a "
	       "pipe_name=255", (unsigned long long)START + 700000);
	assert_named(&f, "crtc0", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_of_unknown_cards_have_numbers),
		cmocka_unit_test(heads_are_named_after_the_card_of_their_client),
		cmocka_unit_test(
			one_card_that_is_known_leaves_the_other_its_number),
		cmocka_unit_test(what_leaves_a_choice_names_nothing),
		cmocka_unit_test(the_only_head_of_a_pipe_is_of_who_names_that),
		cmocka_unit_test(of_two_cards_the_flips_tell_which_head_is_whose),
		cmocka_unit_test(flips_that_leave_a_choice_name_nothing),
		cmocka_unit_test(rows_without_a_device_name_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
