/* Late display frames, and waits across vblanks. Times are in ns; a display
 * frame is 10 ms long here but where a rate is named. */
#include "analyze/command.h"
#include "tests/support/failalloc.h"
#include "tests/unit/test_gpu_client.h"

#include <inttypes.h>

/* "perf with gpu", scenario A: 60 Hz for 10 s, and a game that waits for its
 * fence in each frame. At seven frames the wait begins 2 ms before a vblank and
 * ends behind it; elsewhere it fits in. */
static void exactly_the_waits_across_a_vblank_are_listed(void **state)
{
	static const unsigned at[] = { 17, 60, 61, 233, 300, 418, 599 };
	static const uint64_t period = 16667000;
	struct fixture f;
	struct an_crossings all;
	struct an_crossing c;
	struct err err = { 0 };
	size_t n = 0, next = 0;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 601; i++) {
		uint64_t time = START + i * period;
		bool crosses = next < ARRAY_LEN(at) && at[next] == i;
		uint64_t from = time + (crosses ? period - 2 * MS : 4 * MS);
		uint64_t to = from + 5 * MS;

		next += crosses;
		vblank(&f, time, 100 + i);
		if (i == 600)
			break;
		gb_say(&f.lines, "%llu 0 10 dma_fence:dma_fence_wait_start "
		       "driver=i915 timeline=x context=1 seqno=%u",
		       (unsigned long long)from, i + 1);
		gb_say(&f.lines, "%llu 0 10 dma_fence:dma_fence_wait_end "
		       "driver=i915 timeline=x context=1 seqno=%u",
		       (unsigned long long)to, i + 1);
	}
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(f.gpu.fences.n_waits, 600);
	assert_int_equal(an_crossings_init(&all, &f.gpu, &err), 0);
	while (an_crossings_next(&all, &c)) {
		const struct an_wait *w = &f.gpu.fences.waits[c.wait];

		assert_true(n < ARRAY_LEN(at));
		assert_int_equal(w->from, START + (at[n] + 1) * period -
					  2 * MS);
		assert_int_equal(c.first, START + (at[n] + 1) * period);
		assert_int_equal(c.vblanks, 1);
		assert_false(c.lost);
		n++;
	}
	assert_int_equal(n, ARRAY_LEN(at));
	an_crossings_fini(&all);
	end(&f);
}

static uint32_t late(const struct fixture *f, uint32_t *missed)
{
	uint32_t n = 0;

	*missed = 0;
	for (size_t i = 0; i < f->gpu.clients.n; i++) {
		n += f->gpu.clients.v[i].missed > 0;
		*missed += f->gpu.clients.v[i].missed;
	}
	return n;
}

static void a_frame_is_late_that_skips_a_vblank(void **state)
{
	static const uint32_t seqs[] = { 0, 1, 2, 5, 6, 8, 9 };
	struct fixture f;
	uint32_t missed;

	(void)state;
	begin(&f);
	vblanks(&f, 12);
	for (size_t i = 0; i < ARRAY_LEN(seqs); i++)
		delivered(&f, START + seqs[i] * 10 * MS, 0xc0, seqs[i]);
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(late(&f, &missed), 2);
	assert_int_equal(missed, 3);
	assert_int_equal(f.gpu.clients.clients[0].frames, 7);
	assert_int_equal(f.gpu.clients.clients[0].cadence, 1);
	assert_int_equal(f.gpu.clients.v[3].steps, 3);
	assert_int_equal(f.gpu.clients.v[5].steps, 2);
	end(&f);
}

/* Mode sets, and a framebuffer console. */
static void deliveries_without_a_client_are_the_kernels_own(void **state)
{
	struct fixture f;
	uint32_t missed;

	(void)state;
	begin(&f);
	vblanks(&f, 12);
	delivered(&f, START, 0, 0);
	delivered(&f, START + 90 * MS, 0, 9);
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(late(&f, &missed), 0);
	assert_int_equal(f.gpu.clients.n_clients, 0);
	assert_int_equal(f.gpu.clients.own, 2);
	end(&f);
}

/* Who asks for the next vblank but seven shows nothing in it. */
static void a_vblank_that_was_asked_for_is_no_frame(void **state)
{
	struct fixture f;
	uint32_t missed;

	(void)state;
	begin(&f);
	vblanks(&f, 20);
	delivered(&f, START, 0xc0, 0);
	delivered(&f, START + 10 * MS, 0xc0, 1);
	gb_say(&f.lines, "%llu 0 10 drm:drm_vblank_event_queued file=0xc0 "
	       "crtc=0 seq=8", (unsigned long long)(START + 11 * MS));
	delivered(&f, START + 80 * MS, 0xc0, 8);
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(late(&f, &missed), 0);
	assert_int_equal(f.gpu.clients.clients[0].frames, 2);
	assert_int_equal(f.gpu.clients.clients[0].asked, 1);
	assert_int_equal(an_task_tid(&f.gpu.tasks,
				     f.gpu.clients.clients[0].task), 10);
	end(&f);
}

static void a_client_that_pauses_is_not_late(void **state)
{
	struct fixture f;
	uint32_t missed;

	(void)state;
	begin(&f);
	vblanks(&f, 60);
	delivered(&f, START, 0xc0, 0);
	delivered(&f, START + 10 * MS, 0xc0, 1);
	delivered(&f, START + 500 * MS, 0xc0, 50);
	open_it(&f, 100 * MS);
	assert_int_equal(late(&f, &missed), 0);
	assert_int_equal(f.gpu.clients.clients[0].pauses, 1);
	an_gpu_fini(&f.gpu);
	gb_close(&f.trace);
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(late(&f, &missed), 1);
	assert_int_equal(missed, 48);
	end(&f);
}

static void counts_that_wrap_or_come_twice_miss_nothing(void **state)
{
	static const uint32_t seqs[] = { UINT32_MAX - 1, UINT32_MAX, 0, 0, 1 };
	struct fixture f;
	uint32_t missed;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 12; i++)
		vblank(&f, START + i * 10 * MS, UINT32_MAX - 3 + i);
	for (size_t i = 0; i < ARRAY_LEN(seqs); i++)
		delivered(&f, START + (2 + i - (i > 2)) * 10 * MS + i, 0xc0,
			  seqs[i]);
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(late(&f, &missed), 0);
	end(&f);
}

/* A machine stands still from 20 to 320 ms; its timer makes up for 29 vblanks in
 * 0.3 ms, and the client comes 31 behind its last frame, 10 ms later. Where the
 * count jumped that far without them it began anew. */
static void vblanks_that_come_in_a_hurry_are_missed_as_well(void **state)
{
	(void)state;
	for (int told = 0; told < 2; told++) {
		struct fixture f;
		uint32_t missed;

		begin(&f);
		vblanks(&f, 3);
		for (unsigned i = 0; i < 29 && told; i++)
			vblank(&f, START + 320 * MS + i * 10000, 3 + i);
		for (unsigned i = 0; i < 60; i++)
			vblank(&f, START + (330 + i * 10) * MS, 33 + i);
		delivered(&f, START + 10 * MS, 0xc0, 1);
		delivered(&f, START + 320 * MS, 0xc0, 3);
		delivered(&f, START + 330 * MS, 0xc0, 33);
		open_it(&f, AN_CLIENT_IDLE_NS);
		assert_int_equal(f.gpu.heads.n_heads, 1);
		assert_int_equal(late(&f, &missed), told ? 2 : 1);
		assert_int_equal(missed, told ? 1 + 29 : 1);
		end(&f);
	}
}

/* virtio_gpu of 6.1 has none: its deliveries say 0. */
static void without_vblanks_nothing_is_late(void **state)
{
	struct fixture f;
	uint32_t missed;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 10; i++)
		delivered(&f, START + i * i * 10 * MS, 0xc0, 0);
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(late(&f, &missed), 0);
	assert_int_equal(f.gpu.clients.clients[0].frames, 10);
	end(&f);
}

/* A GPU that hangs for three seconds makes no client idle. */
static void a_client_that_is_held_up_has_not_paused(void **state)
{
	struct fixture f;
	uint32_t missed;

	(void)state;
	begin(&f);
	vblanks(&f, 320);
	one_in_time(&f, 0);
	wake_up(&f, 1);
	gb_say(&f.lines, "%llu 0 10 dma_fence:dma_fence_wait_start driver=a "
	       "timeline=b context=1 seqno=1",
	       (unsigned long long)(START + 12 * MS));
	SWITCH(&f, START + 13 * MS, 10, 2, 0);
	gb_say(&f.lines, "%llu 0 0 sched:sched_waking pid=10",
	       (unsigned long long)(START + 3000 * MS));
	SWITCH(&f, START + 3001 * MS, 0, 0, 10);
	gb_say(&f.lines, "%llu 0 10 dma_fence:dma_fence_wait_end driver=a "
	       "timeline=b context=1 seqno=1",
	       (unsigned long long)(START + 3002 * MS));
	flip(&f, START + 3003 * MS);
	wake_up(&f, 301);
	SWITCH(&f, START + 3060 * MS, 10, 1, 0);
	open_it(&f, AN_CLIENT_IDLE_NS);
	assert_int_equal(late(&f, &missed), 1);
	assert_int_equal(missed, 299);
	assert_int_equal(f.gpu.clients.clients[0].pauses, 0);
	end(&f);
}

/* Nor one that its CPU is taken from; one that sleeps is idle. */
static void a_client_without_a_cpu_has_not_paused(void **state)
{
	static const int states[] = { 0, 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		struct fixture f;
		uint32_t missed;

		begin(&f);
		vblanks(&f, 320);
		one_in_time(&f, 0);
		wake_up(&f, 1);
		gb_say(&f.lines, "%llu 0 10 sched:sched_switch prev_pid=10 "
		       "prev_state=%d next_pid=12",
		       (unsigned long long)(START + 13 * MS), states[i]);
		if (states[i])
			gb_say(&f.lines, "%llu 0 12 sched:sched_waking pid=10",
			       (unsigned long long)(START + 3000 * MS));
		SWITCH(&f, START + 3001 * MS, 12, 1, 10);
		flip(&f, START + 3003 * MS);
		wake_up(&f, 301);
		SWITCH(&f, START + 3060 * MS, 10, 1, 0);
		open_it(&f, AN_CLIENT_IDLE_NS);
		assert_int_equal(late(&f, &missed), !states[i]);
		assert_int_equal(f.gpu.clients.clients[0].pauses, states[i]);
		end(&f);
	}
}

/* A trace with a bit of everything. */
static void everything(struct fixture *f)
{
	begin(f);
	vblanks(f, 10);
	one_in_time(f, 0);
	wake_up(f, 1);
	gb_say(&f->lines, "%llu 0 10 gpu_scheduler:drm_sched_job_queue "
	       "name=gfx dev=d fence_context=30 fence_seqno=1 client_id=1",
	       (unsigned long long)(START + 11 * MS));
	gb_say(&f->lines, "%llu 0 30 gpu_scheduler:drm_sched_job_run name=gfx "
	       "dev=d fence_context=30 fence_seqno=1 client_id=1",
	       (unsigned long long)(START + 12 * MS));
	gb_say(&f->lines, "%llu 0 10 dma_fence:dma_fence_wait_start "
	       "driver=drm_sched timeline=gfx context=30 seqno=1 | draw;wait",
	       (unsigned long long)(START + 13 * MS));
	SWITCH(f, START + 13 * MS + 1000, 10, 2, 0);
	gb_say(&f->lines, "%llu 0 0 gpu_scheduler:drm_sched_job_done "
	       "fence_context=30 fence_seqno=1",
	       (unsigned long long)(START + 40 * MS));
	gb_say(&f->lines, "%llu 0 0 dma_fence:dma_fence_signaled "
	       "driver=drm_sched timeline=gfx context=30 seqno=1",
	       (unsigned long long)(START + 40 * MS + 1000));
	gb_say(&f->lines, "%llu 0 0 sched:sched_waking pid=10",
	       (unsigned long long)(START + 40 * MS + 2000));
	SWITCH(f, START + 40 * MS + 10000, 0, 0, 10);
	gb_say(&f->lines, "%llu 0 10 dma_fence:dma_fence_wait_end "
	       "driver=drm_sched timeline=gfx context=30 seqno=1",
	       (unsigned long long)(START + 40 * MS + 20000));
	gb_say(&f->lines, "%llu 0 10 gpu_scheduler:drm_sched_job_queue "
	       "name=gfx dev=d fence_context=30 fence_seqno=2 client_id=1",
	       (unsigned long long)(START + 42 * MS));
	gb_say(&f->lines, "%llu 0 30 gpu_scheduler:drm_sched_job_run name=gfx "
	       "dev=d fence_context=30 fence_seqno=2 client_id=1",
	       (unsigned long long)(START + 43 * MS));
	gb_say(&f->lines, "%llu 0 0 gpu_scheduler:drm_sched_job_done "
	       "fence_context=30 fence_seqno=2",
	       (unsigned long long)(START + 44 * MS));
	flip(f, START + 45 * MS);
	wake_up(f, 5);
	SWITCH(f, START + 60 * MS, 10, 1, 0);
}

static void a_long_job_is_late_by_the_gpu(void **state)
{
	struct fixture f;
	struct an_stall s;
	char text[512];

	(void)state;
	everything(&f);
	open_it(&f, AN_CLIENT_IDLE_NS);
	explain(&f, &s, text, sizeof(text));
	assert_int_equal(s.why.cause, AN_CAUSE_GPU);
	assert_non_null(strstr(text, "fence drm_sched gfx 30:1, whose job of "
			       "game/10 ran for 28.000 ms on ring d gfx"));
	an_stall_fini(&s);
	end(&f);
}

static int run(struct gb_trace *t, const char *name, const char *option,
	       char **out)
{
	static _Alignas(max_align_t) char args[4096];
	char *argv[] = { (char *)(uintptr_t)name, (char *)(uintptr_t)option,
			 NULL };
	const struct an_command *cmd = NULL;
	struct log quiet = { .to = fopen("/dev/null", "w"), .prog = "test" };
	struct an_env env = { .log = &quiet, .path = "-", .trace = t->trace };
	struct err err = { 0 };
	size_t size;
	int n, rc;

	memset(args, 0, sizeof(args));
	for (size_t i = 0; an_commands[i]; i++)
		if (strcmp(an_commands[i]->name, name) == 0)
			cmd = an_commands[i];
	assert_non_null(cmd);
	if (cmd->defaults)
		cmd->defaults(args);
	assert_int_equal(opt_parse(cmd->opts, OPT_ANYWHERE, args,
				   option ? 2 : 1, argv, &n, &err), 0);
	env.out = open_memstream(out, &size);
	assert_non_null(env.out);
	rc = cmd->run(&env, args, &err);
	fclose(env.out);
	fclose(quiet.to);
	return rc;
}

static const char *const commands[] = { "fences", "frames", "stalls", "gaps" };
static const char *const formats[] = { NULL, "--csv", "--json" };

static void each_command_speaks_each_format(void **state)
{
	struct fixture f;

	(void)state;
	everything(&f);
	gb_open(&f.trace, (const char *)f.lines.p);
	for (size_t c = 0; c < ARRAY_LEN(commands); c++)
		for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
			char *out = NULL;

			assert_int_equal(run(&f.trace, commands[c], formats[i],
					     &out), AN_EXIT_DONE);
			assert_true(strlen(out) > 20);
			free(out);
		}
	gb_close(&f.trace);
	buf_fini(&f.lines);
}

static void a_trace_without_a_gpu_is_inconclusive(void **state)
{
	struct gb_trace t;

	(void)state;
	gb_open(&t, "100 0 10 sched:sched_switch prev_pid=10 prev_state=0 "
		    "next_pid=0\n");
	for (size_t c = 0; c < ARRAY_LEN(commands); c++) {
		char *out = NULL;

		assert_int_equal(run(&t, commands[c], NULL, &out),
				 AN_EXIT_INCONCLUSIVE);
		free(out);
	}
	gb_close(&t);
}

/* The stream that results go to is not ours to test: its memory comes first. */
static void each_allocation_may_fail(void **state)
{
	struct fixture f;
	bool failed = true;

	(void)state;
	everything(&f);
	gb_open(&f.trace, (const char *)f.lines.p);
	for (long n = 1; failed; n++) {
		struct an_gpu gpu = { 0 };
		struct an_stall s = { 0 };
		struct err err = { 0 };
		int rc;

		failalloc_at(n);
		rc = an_gpu_make(&gpu, f.trace.trace, AN_CLIENT_IDLE_NS, &err);
		if (!rc)
			rc = an_stall_explain(&s, &gpu,
					      (uint32_t)gpu.clients.n - 1,
					      &err);
		failed = failalloc_hit();
		failalloc_off();
		assert_int_equal(rc, failed ? ERR_NOMEM : 0);
		an_stall_fini(&s);
		an_gpu_fini(&gpu);
	}
	gb_close(&f.trace);
	buf_fini(&f.lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exactly_the_waits_across_a_vblank_are_listed),
		cmocka_unit_test(a_frame_is_late_that_skips_a_vblank),
		cmocka_unit_test(deliveries_without_a_client_are_the_kernels_own),
		cmocka_unit_test(a_vblank_that_was_asked_for_is_no_frame),
		cmocka_unit_test(a_client_that_pauses_is_not_late),
		cmocka_unit_test(a_client_that_is_held_up_has_not_paused),
		cmocka_unit_test(a_client_without_a_cpu_has_not_paused),
		cmocka_unit_test(counts_that_wrap_or_come_twice_miss_nothing),
		cmocka_unit_test(
			vblanks_that_come_in_a_hurry_are_missed_as_well),
		cmocka_unit_test(without_vblanks_nothing_is_late),
		cmocka_unit_test(a_long_job_is_late_by_the_gpu),
		cmocka_unit_test(each_command_speaks_each_format),
		cmocka_unit_test(a_trace_without_a_gpu_is_inconclusive),
		cmocka_unit_test(each_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
