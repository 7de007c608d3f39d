/* Rows in any order, with any numbers: every command ends, and says something or
 * that there is nothing to say. Worth most with sanitizers. */
#include "analyze/command.h"
#include "analyze/gpu/gap.h"
#include "analyze/gpu/stall.h"
#include "tests/unit/test_gpu_build.h"

#include <setjmp.h>

#include <cmocka.h>

/* Names and their fields: numbers, or texts with a star. */
static const struct { const char *name, *fields; } events[] = {
	{ "drm:drm_vblank_event", "crtc seq time high_prec" },
	{ "drm:drm_vblank_event_queued", "file crtc seq" },
	{ "drm:drm_vblank_event_delivered", "file crtc seq" },
	{ "dma_fence:dma_fence_init", "*driver *timeline context seqno" },
	{ "dma_fence:dma_fence_emit", "*driver *timeline context seqno" },
	{ "dma_fence:dma_fence_signaled", "*driver *timeline context seqno" },
	{ "dma_fence:dma_fence_wait_start", "*driver *timeline context seqno" },
	{ "dma_fence:dma_fence_wait_end", "*driver *timeline context seqno" },
	{ "gpu_scheduler:drm_sched_job", "entity fence *name id" },
	{ "gpu_scheduler:drm_run_job", "entity fence *name id" },
	{ "gpu_scheduler:drm_sched_process_job", "fence" },
	{ "gpu_scheduler:drm_sched_job_wait_dep", "*name id fence ctx seqno" },
	{ "gpu_scheduler:drm_sched_job_queue",
	  "*name *dev fence_context fence_seqno client_id" },
	{ "gpu_scheduler:drm_sched_job_run",
	  "*name *dev fence_context fence_seqno client_id" },
	{ "gpu_scheduler:drm_sched_job_done", "fence_context fence_seqno" },
	{ "gpu_scheduler:drm_sched_job_add_dep",
	  "fence_context fence_seqno ctx seqno" },
	{ "amdgpu:amdgpu_cs_ioctl", "*timeline context seqno fence *ring" },
	{ "amdgpu:amdgpu_sched_run_job", "*timeline context seqno *ring" },
	{ "i915:i915_request_queue", "dev ctx class instance seqno" },
	{ "i915:i915_request_in", "dev ctx class instance seqno" },
	{ "i915:i915_request_out", "dev ctx class instance seqno completed" },
	{ "i915:i915_request_wait_begin", "dev ctx class instance seqno" },
	{ "i915:i915_request_wait_end", "dev ctx class instance seqno" },
	{ "xe:xe_hw_fence_create", "*dev ctx seqno fence" },
	{ "xe:xe_hw_fence_signal", "*dev ctx seqno fence" },
	{ "xe:xe_sched_job_exec", "*dev seqno gt_id guc_id fence" },
	{ "xe:xe_sched_job_run", "*dev seqno gt_id guc_id fence" },
	{ "virtio_gpu:virtio_gpu_cmd_queue", "dev vq *name fence_id ctx_id" },
	{ "virtio_gpu:virtio_gpu_cmd_response", "dev vq *name fence_id" },
	{ "sched:sched_switch", "prev_pid prev_state next_pid" },
	{ "sched:sched_waking", "pid" },
	{ "sched:sched_wakeup_new", "pid" },
	{ "syscalls:sys_enter_ioctl", "cmd" },
	{ "syscalls:sys_exit_ioctl", "ret" },
	{ "syscalls:sys_enter_poll", "nfds" },
	{ "syscalls:sys_exit_poll", "ret" },
};

/* Numerical Recipes' generator: the same rows on every machine. */
static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static uint64_t number(uint32_t *state)
{
	static const uint64_t odd[] = {
		0, UINT32_MAX, UINT64_MAX, 1ull << 32, INT64_MAX, INT32_MAX,
		0xc01864b0, 1ull << 63,
	};
	uint32_t kind = next(state) % 16;

	if (kind < 12)
		return next(state) % 6;
	if (kind < 14)
		return 1000000000 + next(state) % 100 * 1000000;
	return odd[next(state) % ARRAY_LEN(odd)];
}

static const char *text(uint32_t *state)
{
	static const char *const texts[] = {
		"drm_sched", "gfx", "virtio_gpu", "detached-driver",
		"signaled-timeline", "\x1b[31m", "\xff\xfe", "a",
	};

	return texts[next(state) % ARRAY_LEN(texts)];
}

static uint64_t time_of(uint32_t *state, uint64_t *now)
{
	*now += next(state) % 3000000;
	return next(state) % 8 ? *now : *now - next(state) % 2000000;
}

static void say_row(struct buf *lines, uint32_t *state, uint64_t *now)
{
	size_t e = next(state) % ARRAY_LEN(events);
	char row[400], fields[128], *save;
	int n = snprintf(row, sizeof(row), "%llu %u %u %s",
			 (unsigned long long)time_of(state, now),
			 next(state) % 3, next(state) % 5, events[e].name);

	snprintf(fields, sizeof(fields), "%s", events[e].fields);
	for (char *f = strtok_r(fields, " ", &save); f;
	     f = strtok_r(NULL, " ", &save)) {
		size_t room = sizeof(row) - (size_t)n;

		if (*f == '*')
			n += snprintf(row + n, room, " %s=%s", f + 1,
				      text(state));
		else
			n += snprintf(row + n, room, " %s=%llu", f,
				      (unsigned long long)number(state));
	}
	if (next(state) % 10 == 0)
		snprintf(row + n, sizeof(row) - (size_t)n, " | "
			 "drm_syncobj_array_wait_timeout;schedule");
	gb_say(lines, "%s", row);
	if (next(state) % 100 == 0)
		gb_say(lines, "loss %llu %u 3", (unsigned long long)*now,
		       next(state) % 3);
}

static void run_command(struct gb_trace *t, const struct an_command *cmd,
			const char *option)
{
	_Alignas(max_align_t) char args[4096] = { 0 };
	char *argv[] = { (char *)(uintptr_t)cmd->name,
			 (char *)(uintptr_t)option, NULL };
	struct log quiet = { .to = fopen("/dev/null", "w"), .prog = "test" };
	struct an_env env = { .log = &quiet, .path = "-", .trace = t->trace,
			      .out = quiet.to };
	struct err err = { 0 };
	int n, rc;

	if (cmd->defaults)
		cmd->defaults(args);
	assert_int_equal(opt_parse(cmd->opts, OPT_ANYWHERE, args,
				   option ? 2 : 1, argv, &n, &err), 0);
	rc = cmd->run(&env, args, &err);
	assert_true(rc == AN_EXIT_DONE || rc == AN_EXIT_INCONCLUSIVE);
	fclose(quiet.to);
}

static void run_all(struct gb_trace *t)
{
	static const char *const names[] = { "fences", "frames", "stalls",
					     "gaps" };
	static const char *const options[] = { NULL, "--csv", "--json",
					       "--time=10%,90%" };

	for (size_t i = 0; an_commands[i]; i++)
		for (size_t k = 0; k < ARRAY_LEN(names); k++)
			if (strcmp(an_commands[i]->name, names[k]) == 0)
				for (size_t o = 0; o < ARRAY_LEN(options); o++)
					run_command(t, an_commands[i],
						    options[o]);
}

static void any_rows_are_survived(void **state)
{
	uint32_t seed = 20261130;

	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		struct gb_trace t;
		struct buf lines;
		uint64_t now = 1000000000;

		buf_init(&lines, 0);
		gb_say(&lines, "thread 0 0 swapper\nthread 1 1 game\n"
		       "thread 2 1 gfx\nthread 3 3 gfx\nthread 4 4 kworker/0:1");
		for (unsigned i = 0; i < 40 + round * 8; i++)
			say_row(&lines, &seed, &now);
		gb_open(&t, (const char *)lines.p);
		run_all(&t);
		gb_close(&t);
		buf_fini(&lines);
	}
}

/* Whatever the rows are, pieces of an account fill its time without holes. */
static void accounts_have_no_holes(void **state)
{
	uint32_t seed = 7;

	(void)state;
	for (unsigned round = 0; round < 30; round++) {
		struct gb_trace t;
		struct an_gpu gpu;
		struct buf lines;
		struct err err = { 0 };
		uint64_t now = 1000000000;

		buf_init(&lines, 0);
		gb_say(&lines, "thread 0 0 swapper\nthread 1 1 game\n"
		       "thread 2 1 gfx\nthread 3 3 gfx\nthread 4 4 kworker/0:1");
		for (unsigned i = 0; i < 200; i++)
			say_row(&lines, &seed, &now);
		gb_open(&t, (const char *)lines.p);
		assert_int_equal(an_gpu_make(&gpu, t.trace, AN_CLIENT_IDLE_NS,
					     &err), 0);
		for (uint32_t task = 0; task < gpu.tasks.n; task++) {
			struct an_account a;
			uint64_t at = 900000000, sum = 0;

			assert_int_equal(an_account_make(&a, &gpu, task, at,
							 now, &err), 0);
			for (size_t i = 0; i < a.n; i++) {
				assert_int_equal(a.v[i].from, at);
				assert_true(a.v[i].to > at);
				at = a.v[i].to;
			}
			assert_int_equal(at, now);
			for (unsigned i = 0; i < AN_N_DOINGS; i++)
				sum += a.path[i];
			assert_int_equal(sum, now - 900000000);
			an_account_fini(&a);
		}
		an_gpu_fini(&gpu);
		gb_close(&t);
		buf_fini(&lines);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_rows_are_survived),
		cmocka_unit_test(accounts_have_no_holes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
