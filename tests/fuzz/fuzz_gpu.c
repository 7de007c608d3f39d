/* What is said of GPUs, over rows that hang together at times and never have to:
 * heads with vblanks and frames, jobs, fences, waits, switches of threads, calls,
 * and between them rows with any numbers. The input chooses options by its first byte;
 * the others are a list of steps. */
#define GB_ROWS 512u /* room is made for each input */

#include "analyze/command.h"
#include "tests/unit/test_gpu_build.h"

#include "format/base/span.h"

#include <inttypes.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_STEPS 400u
#define PERIOD 16666667ull

/* Fields of an event: numbers, or texts with a star. */
static const struct { const char *name, *fields; } events[] = {
	{ "drm:drm_vblank_event", "crtc seq time high_prec" },
	{ "drm:drm_vblank_event_queued", "file crtc seq" },
	{ "drm:drm_vblank_event_delivered", "file crtc seq" },
	{ "dma_fence:dma_fence_init", "*driver *timeline context seqno" },
	{ "dma_fence:dma_fence_emit", "*driver *timeline context seqno" },
	{ "dma_fence:dma_fence_signaled", "*driver *timeline context seqno" },
	{ "dma_fence:dma_fence_wait_start", "*driver *timeline context seqno" },
	{ "dma_fence:dma_fence_wait_end", "*driver *timeline context seqno" },
	{ "dma_fence:dma_fence_destroy", "*driver *timeline context seqno" },
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
	{ "gpu_scheduler:drm_sched_job_unschedulable",
	  "fence_context fence_seqno ctx seqno" },
	{ "amdgpu:amdgpu_cs_ioctl", "*timeline context seqno fence *ring" },
	{ "amdgpu:amdgpu_sched_run_job", "*timeline context seqno *ring" },
	{ "i915:i915_request_queue", "dev ctx class instance seqno" },
	{ "i915:i915_request_add", "dev ctx class instance seqno" },
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

struct play {
	struct span in;
	struct buf lines;
	uint64_t now;
	uint32_t seq[4];     /* of each head, that is next */
	uint64_t vblank[4];  /* when that is */
	uint64_t seqno;      /* of the job that is next */
};

static uint8_t byte(struct play *p)
{
	uint8_t b = 0;

	(void)span_u8(&p->in, &b);
	return b;
}

/* Small ones are used again and again, the others are any. */
static uint64_t number(struct play *p)
{
	static const uint64_t odd[] = {
		0, UINT32_MAX, UINT64_MAX, 1ull << 32, INT64_MAX, INT32_MAX,
		1ull << 63, 0xc01864b0, 0xc0306440, 0xc0186441,
	};
	uint8_t b = byte(p);
	uint64_t v = 0;

	if (b < 0xc0)
		return b % 12;
	if (b < 0xe0)
		return p->now - b % 32 * 1000000ull;
	if (b < 0xf8)
		return odd[b % ARRAY_LEN(odd)];
	(void)span_u64(&p->in, &v);
	return v;
}

static const char *text(struct play *p)
{
	static const char *const texts[] = {
		"drm_sched", "gfx", "virtio_gpu", "detached-driver",
		"signaled-timeline", "i915", "xe", "]]></script>", "\x1b[31m",
		"\xff\xfe", "a",
	};

	return texts[byte(p) % ARRAY_LEN(texts)];
}

static void any_row(struct play *p, size_t event)
{
	char row[480], fields[96], *save;
	unsigned where = byte(p);
	int n = snprintf(row, sizeof(row), "%" PRIu64 " %u %u %s", p->now,
			 where % 3, where / 3 % 6, events[event].name);

	snprintf(fields, sizeof(fields), "%s", events[event].fields);
	for (char *f = strtok_r(fields, " ", &save); f;
	     f = strtok_r(NULL, " ", &save)) {
		size_t room = sizeof(row) - (size_t)n;

		n += *f == '*' ?
			     snprintf(row + n, room, " %s=%s", f + 1, text(p)) :
			     snprintf(row + n, room, " %s=%" PRIu64, f,
				      number(p));
	}
	if (where >= 250)
		snprintf(row + n, sizeof(row) - (size_t)n,
			 " | drm_syncobj_array_wait_timeout;schedule");
	gb_say(&p->lines, "%s", row);
}

/* Two heads are called crtc 0, two crtc 1; some vblanks nobody wants. */
static void vblank(struct play *p)
{
	uint8_t how = byte(p);
	unsigned head = how % 4, crtc = head / 2;
	unsigned steps = how / 4 % 16 == 0 ? how / 64 + 1 : 1;

	p->seq[head] += steps;
	p->vblank[head] += steps * (PERIOD + head * 2222222);
	if (p->now < p->vblank[head])
		p->now = p->vblank[head];
	if (how & 128)
		gb_say(&p->lines, "%" PRIu64 " 0 0 drm:drm_vblank_event_"
		       "delivered file=%u crtc=%u seq=%" PRIu32, p->now + 10,
		       head + 1, crtc, p->seq[head]);
	gb_say(&p->lines, "%" PRIu64 " 0 0 drm:drm_vblank_event crtc=%u seq=%"
	       PRIu32 " time=%" PRIu64 " high_prec=1", p->now + 20, crtc,
	       p->seq[head], p->vblank[head]);
}

static void sched_row(struct play *p, unsigned tid, const char *what,
		      uint64_t context, uint64_t seqno)
{
	gb_say(&p->lines, "%" PRIu64 " 1 %u gpu_scheduler:drm_sched_job_%s "
	       "name=gfx dev=d%u fence_context=%" PRIu64 " fence_seqno=%" PRIu64
	       " client_id=1", p->now, tid, what, (unsigned)context & 1,
	       context, seqno);
}

static void fence_row(struct play *p, unsigned tid, const char *what,
		      uint64_t context, uint64_t seqno)
{
	gb_say(&p->lines, "%" PRIu64 " 1 %u dma_fence:dma_fence_%s "
	       "driver=drm_sched timeline=gfx context=%" PRIu64 " seqno=%"
	       PRIu64, p->now, tid, what, context, seqno & UINT32_MAX);
}

/* A job as far as it comes, and a wait for it. */
static void job(struct play *p)
{
	uint8_t how = byte(p), more = byte(p);
	uint64_t context = 30 + how % 2, seqno = p->seqno++;
	unsigned tid = 1 + how / 2 % 2;

	fence_row(p, tid, "init", context, seqno);
	sched_row(p, tid, "queue", context, seqno);
	p->now += more * 1000;
	if (how & 8)
		sched_row(p, 4, "run", context, seqno);
	if (how & 16)
		fence_row(p, tid, "wait_start", context, seqno);
	p->now += more * 100000ull;
	if (how & 32)
		gb_say(&p->lines, "%" PRIu64 " 1 0 gpu_scheduler:drm_sched_"
		       "job_done fence_context=%" PRIu64 " fence_seqno=%"
		       PRIu64, p->now, context, seqno);
	if (how & 64)
		fence_row(p, 0, "signaled", context, seqno);
	if (how & 128)
		fence_row(p, tid, "wait_end", context, seqno);
}

static void flip(struct play *p)
{
	unsigned tid = 1 + byte(p) % 2;

	gb_say(&p->lines, "%" PRIu64 " 0 %u syscalls:sys_enter_ioctl "
	       "cmd=3222824112", p->now, tid);
	p->now += byte(p) * 100000ull;
	gb_say(&p->lines, "%" PRIu64 " 0 %u syscalls:sys_exit_ioctl ret=0",
	       p->now, tid);
}

static void turn(struct play *p)
{
	uint8_t how = byte(p);

	gb_say(&p->lines, "%" PRIu64 " %u %u sched:sched_switch prev_pid=%u "
	       "prev_state=%u next_pid=%u", p->now, how % 3, how / 3 % 6,
	       how / 3 % 6, how / 18 % 3, how / 54);
	if (how & 1)
		gb_say(&p->lines, "%" PRIu64 " %u %u sched:sched_waking pid=%u",
		       p->now + 1, how % 3, how / 54, how / 9 % 6);
}

static void follow(struct play *p)
{
	static void (*const steps[])(struct play *p) = { vblank, job, flip,
							 turn };
	uint8_t step;

	for (unsigned n = 0; n < MAX_STEPS && span_u8(&p->in, &step); n++) {
		if (step < 0x80) {
			p->now += (step & 15) * 250000ull;
			steps[step / 16 % ARRAY_LEN(steps)](p);
		} else if (step < 0xf8) {
			any_row(p, (step - 0x80u) % ARRAY_LEN(events));
		} else if (step < 0xfc) {
			p->now -= byte(p) * 10000ull;
		} else {
			gb_say(&p->lines, "loss %" PRIu64 " %u 3", p->now,
			       step % 3u);
		}
	}
}

static void run(struct an_trace *t, const struct an_command *cmd,
		const char *option, const struct log *log)
{
	_Alignas(max_align_t) char args[4096] = { 0 };
	char *argv[] = { (char *)(uintptr_t)cmd->name,
			 (char *)(uintptr_t)option,
			 (char *)(uintptr_t)"--output=-", NULL };
	struct an_env env = { .log = log, .out = log->to, .path = "-",
			      .trace = t };
	bool draws = strcmp(cmd->name, "timeline") == 0;
	struct err err = { 0 };
	int n, rc;

	if (cmd->defaults)
		cmd->defaults(args);
	if (opt_parse(cmd->opts, OPT_ANYWHERE, args, draws ? 3 : 2, argv, &n,
		      &err))
		abort();
	rc = cmd->run(&env, args, &err);
	/* Of rows in memory nothing can be unreadable. */
	if (rc != AN_EXIT_DONE && rc != AN_EXIT_INCONCLUSIVE) {
		fprintf(stderr, "%s: %d %s\n", cmd->name, rc, err.text);
		abort();
	}
}

static void run_all(struct an_trace *t, unsigned choice, const struct log *log)
{
	static const struct { const char *name, *options[4]; } runs[] = {
		{ "fences", { "--csv", "--each", "--json", "--time=10%,90%" } },
		{ "frames", { "--csv", "--json", "--json", "--time=10%,90%" } },
		{ "stalls", { "--csv", "--json", "--json", "--time=10%,90%" } },
		{ "gaps", { "--csv", "--json", "--min=1ns", "--time=10%,90%" } },
		{ "timeline", { "--lanes=displays,rings,fences,cpus,threads",
				"--svg", "--max-spans=20", "--max-lanes=2" } },
	};

	for (size_t i = 0; an_commands[i]; i++)
		for (size_t k = 0; k < ARRAY_LEN(runs); k++)
			if (strcmp(an_commands[i]->name, runs[k].name) == 0)
				run(t, an_commands[i],
				    runs[k].options[choice % 4], log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct play p = { .in = span_of(data, size), .now = 1000000000,
			  .seq = { 0, UINT32_MAX - 5, 7, 900 },
			  .vblank = { 1000000000, 1003000000, 1005000000,
				      1000000000 },
			  .seqno = UINT32_MAX - 3ull };
	struct log log = { .to = fopen("/dev/null", "we"), .prog = "fuzz" };
	unsigned choice = byte(&p);
	struct gb_trace t;

	if (!log.to)
		return 0;
	buf_init(&p.lines, 0);
	gb_say(&p.lines, "thread 0 0 swapper\nthread 1 1 game\n"
	       "thread 2 1 render\nthread 3 3 rival\nthread 4 4 kworker/0:1");
	follow(&p);
	gb_open(&t, (const char *)p.lines.p);
	run_all(t.trace, choice, &log);
	gb_close(&t);
	buf_fini(&p.lines);
	fclose(log.to);
	return 0;
}
