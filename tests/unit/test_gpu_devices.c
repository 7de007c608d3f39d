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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_of_unknown_cards_have_numbers),
		cmocka_unit_test(heads_are_named_after_the_card_of_their_client),
		cmocka_unit_test(
			one_card_that_is_known_leaves_the_other_its_number),
		cmocka_unit_test(what_leaves_a_choice_names_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
