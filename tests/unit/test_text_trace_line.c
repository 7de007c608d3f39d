#include "record/import/text/trace_line.h"

#include "format/base/mem.h"
#include "record/import/text/system.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct want {
	const char *line, *comm;
	int pid, tid;
	unsigned cpu;
	const char *flags;
	uint64_t time;
	const char *event, *payload;
};

static void is(struct span s, const char *want)
{
	assert_int_equal(s.n, strlen(want));
	assert_memory_equal(s.p, want, s.n);
}

static void check_all(const struct want *w, size_t n)
{
	for (size_t i = 0; i < n; i++, w++) {
		struct rec_text_trace_line l = { 0 };

		assert_true(rec_text_trace_line(
			span_of(w->line, strlen(w->line)), &l));
		is(l.comm, w->comm);
		assert_int_equal(l.pid, w->pid);
		assert_int_equal(l.tid, w->tid);
		assert_int_equal(l.cpu, w->cpu);
		is(l.flags, w->flags);
		assert_true(l.time == w->time);
		is(l.event, w->event);
		is(l.payload, w->payload);
	}
}

static void a_line_is_what_trace_shows(void **state)
{
	static const struct want want[] = {
		{ "          <idle>-0     [012] d..4  1212.465074: sched_wakeup:"
		  " comm=a pid=3", "<idle>", -1, 0, 12, "d..4", 1212465074000,
		  "sched_wakeup", "comm=a pid=3" },
		{ "test-3268  ( 3214) [010] ....   505.064394: x: y", "test",
		  3214, 3268, 10, "....", 505064394000, "x", "y" },
		{ "a-1  (-----) [000] ....   5.5: x: y", "a", -1, 1, 0, "....",
		  5500000000, "x", "y" },
		{ " chrome-2465  [000]    71.653157: drm_vblank_event: crtc=0",
		  "chrome", -1, 2465, 0, "", 71653157000, "drm_vblank_event",
		  "crtc=0" },
		{ "a-1 [001] d...1.. 1.000000002: x: y", "a", -1, 1, 1,
		  "d...1..", 1000000002, "x", "y" },
		{ "a-1 [001] .... 1.5: x:", "a", -1, 1, 1, "....", 1500000000,
		  "x", "" },
		{ "a-1 [001] .... 1.5: vfs_read <-ksys_read", "a", -1, 1, 1,
		  "....", 1500000000, "", "vfs_read <-ksys_read" },
		{ "a-1 [001] .... 1.5: sys_close(fd: 3)", "a", -1, 1, 1, "....",
		  1500000000, "close", "sys_close(fd: 3)" },
		{ "a-1 [001] .... 1.5: sys_close -> 0x0", "a", -1, 1, 1, "....",
		  1500000000, "close", "sys_close -> 0x0" },
		{ "a-1 [001] .... 1.5: sys_enter: NR 3", "a", -1, 1, 1, "....",
		  1500000000, "sys_enter", "NR 3" },
		{ "a-1 [001] .... 12345: x: y", "a", -1, 1, 1, "....", 12345,
		  "x", "y" },
	};

	(void)state;
	check_all(want, ARRAY_LEN(want));
}

static void a_name_may_hold_anything(void **state)
{
	static const struct want want[] = {
		{ "crtc_event:111-247   (  247) [001] d..1 584509.213897: x: y",
		  "crtc_event:111", 247, 247, 1, "d..1", 584509213897000, "x",
		  "y" },
		{ "kworker/2:1-109   (  109) [002] d...   505.065121: x: y",
		  "kworker/2:1", 109, 109, 2, "d...", 505065121000, "x", "y" },
		{ "Web Content-a-b-5 [000] .... 1.5: x: y", "Web Content-a-b",
		  -1, 5, 0, "....", 1500000000, "x", "y" },
		{ "a [1] (b)-5 [000] .... 1.5: x: y", "a [1] (b)", -1, 5, 0,
		  "....", 1500000000, "x", "y" },
		{ "<...>-5 [000] .... 1.5: x: y", "<...>", -1, 5, 0, "....",
		  1500000000, "x", "y" },
	};

	(void)state;
	check_all(want, ARRAY_LEN(want));
}

static void a_name_of_an_event_is_known_by_its_place(void **state)
{
	static const struct want want[] = {
		{ "a-1 [001] .... 1.5: workqueue_execute_start: "
		  "work struct 0xabc: function=f", "a", -1, 1, 1, "....",
		  1500000000, "workqueue_execute_start",
		  "work struct 0xabc: function=f" },
		{ "a-1 [001] .... 1.5: x: [FAILED TO PARSE] a=1", "a", -1, 1,
		  1, "....", 1500000000, "x", "[FAILED TO PARSE] a=1" },
		{ "a-1 [001] .... 1.5: tracing_mark_write: [002] .... 2.5: z:",
		  "a", -1, 1, 1, "....", 1500000000, "tracing_mark_write",
		  "[002] .... 2.5: z:" },
	};

	(void)state;
	check_all(want, ARRAY_LEN(want));
}

static void the_latency_format_counts_from_its_beginning(void **state)
{
	static const struct want want[] = {
		{ "  <idle>-0       0d..1.    7us : sched_wakeup: comm=a",
		  "<idle>", -1, 0, 0, "d..1.", 7000, "sched_wakeup",
		  "comm=a" },
		{ "    bash-1234    3d..2.   12us+: f <-g", "bash", -1, 1234,
		  3, "d..2.", 12000, "", "f <-g" },
		{ "    bash-1234    3d..2.   12us: f <-g", "bash", -1, 1234,
		  3, "d..2.", 12000, "", "f <-g" },
		{ "  <idle>-0       2d..h  100.5: x: y", "<idle>", -1, 0, 2,
		  "d..h", 100500000000, "x", "y" },
	};

	(void)state;
	check_all(want, ARRAY_LEN(want));
}

static void other_lines_are_none(void **state)
{
	static const char *const lines[] = {
		"", "# tracer: nop", "CPU:1 [LOST 47 EVENTS]", " => schedule",
		" 0)   0.541 us    |  func();", "a [001] .... 1.5: x: y",
		"-5 [001] .... 1.5: x: y", "a-5 [001] .... 1.5 x: y",
		"a-5 [x] .... 1.5: x: y", "a-99999999999 [001] .... 1.5: x: y",
		"perf 1234 [001] 1.5: 1 cycles:",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct rec_text_trace_line l;

		assert_false(rec_text_trace_line(
			span_of(lines[i], strlen(lines[i])), &l));
	}
}

/* Documentation/trace/ftrace.rst, "the latency format". */
static void letters_are_the_flags_of_the_record(void **state)
{
	static const struct { const char *text; uint8_t flags, depth; } want[] = {
		{ "....", 0, 0 }, { "d..1", 1, 1 }, { ".N..", 4, 0 },
		{ "..h.", 8, 0 }, { "..s2", 16, 2 }, { "dNHf", 1 + 4 + 24, 15 },
		{ "d...1..", 1, 0 }, { "d", 0, 0 }, { "", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		uint8_t flags = 77, depth = 77;

		rec_text_trace_flags(span_of(want[i].text,
					     strlen(want[i].text)),
				     &flags, &depth);
		assert_int_equal(flags, want[i].flags);
		assert_int_equal(depth, want[i].depth);
	}
}

static void an_event_belongs_to_the_system_that_the_kernel_says(void **state)
{
	static const char *const want[][2] = {
		{ "sched_switch", "sched" }, { "drm_vblank_event", "drm" },
		{ "drm_sched_job", "gpu_scheduler" },
		{ "drm_run_job", "gpu_scheduler" },
		{ "dma_fence_init", "dma_fence" }, { "fence_init", "fence" },
		{ "amdgpu_cs_ioctl", "amdgpu" },
		{ "amdgpu_dm_dc_pipe_state", "amdgpu_dm" },
		{ "i915_request_add", "i915" }, { "intel_pipe_crc", "i915" },
		{ "sys_enter", "raw_syscalls" },
		{ "sys_enter_openat", "syscalls" }, { "irq_handler_entry", "irq" },
		{ "cpu_idle", "power" }, { "print", "ftrace" },
		{ "lonely", "lonely" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		is(rec_text_system(span_of(want[i][0], strlen(want[i][0]))),
		   want[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_what_trace_shows),
		cmocka_unit_test(a_name_may_hold_anything),
		cmocka_unit_test(a_name_of_an_event_is_known_by_its_place),
		cmocka_unit_test(the_latency_format_counts_from_its_beginning),
		cmocka_unit_test(other_lines_are_none),
		cmocka_unit_test(letters_are_the_flags_of_the_record),
		cmocka_unit_test(
			an_event_belongs_to_the_system_that_the_kernel_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
