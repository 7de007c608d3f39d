#include "record/gpu/events.h"
#include "record/gpu/follow.h"
#include "record/gpu/nodes.h"
#include "record/gpu/sources.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define EVENTS "/sys/kernel/tracing/events/"

/* A machine, as a tree of files, and what --gpu makes of it. */
struct machine {
	struct filetree tree;
	struct rec_events e;
	struct rec_gpu_report r;
	struct err err;
	int id;
};

static int set_up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	filetree_init(&m->tree);
	m->e.root = m->tree.root;
	*state = m;
	return 0;
}

static void forget(struct machine *m)
{
	rec_events_fini(&m->e);
	rec_gpu_report_fini(&m->r);
	m->e.root = m->tree.root;
}

static int tear_down(void **state)
{
	struct machine *m = *state;

	forget(m);
	filetree_fini(&m->tree);
	free(m);
	return 0;
}

/* "system/event …" */
static void has(struct machine *m, const char *words)
{
	char path[256], text[16], word[128];
	size_t n;

	for (; sscanf(words, "%127s", word) == 1; words += n) {
		n = strspn(words, " ") + strlen(word);
		snprintf(path, sizeof(path), EVENTS "%s/id", word);
		snprintf(text, sizeof(text), "%d\n", ++m->id);
		filetree_text(&m->tree, path, text);
	}
}

static void links(struct machine *m, const char *path, const char *target)
{
	char full[512];

	/* The folder above it comes with a file. */
	snprintf(full, sizeof(full), "%s.made", path);
	filetree_text(&m->tree, full, "");
	filetree_remove(&m->tree, full);
	snprintf(full, sizeof(full), "%s%s", m->tree.root, path);
	assert_int_equal(symlink(target, full), 0);
}

#define USUAL                                                                  \
	"sched/sched_switch sched/sched_waking sched/sched_wakeup "            \
	"syscalls/sys_enter_ioctl syscalls/sys_exit_ioctl"

static void look(struct machine *m, bool follow)
{
	forget(m);
	if (rec_gpu_events(&m->e, &m->r, follow, &m->err))
		fail_msg("%s", m->err.text);
}

static const struct rec_event *event(const struct machine *m, const char *name,
				     unsigned nth)
{
	for (size_t i = 0; i < m->e.n; i++)
		if (strcmp(m->e.items[i].name, name) == 0 && !nth--)
			return &m->e.items[i];
	return NULL;
}

static const char *why(const struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->r.n; i++)
		if (strcmp(m->r.missing[i].name, name) == 0)
			return m->r.missing[i].why;
	return NULL;
}

/* The names of both, as format files of Linux 6.1 and 7.3 have them. */
static void events_of_both_generations_are_found_by_their_names(void **state)
{
	static const char *const generations[][4] = {
		{ "drm_sched_job", "drm_run_job", "drm_sched_process_job",
		  "drm_sched_job_wait_dep" },
		{ "drm_sched_job_queue", "drm_sched_job_run",
		  "drm_sched_job_done", "drm_sched_job_add_dep" },
	};
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_LEN(generations); i++) {
		char words[512] = USUAL, name[128];

		for (size_t k = 0; k < 4; k++) {
			snprintf(name, sizeof(name), " gpu_scheduler/%s",
				 generations[i][k]);
			strcat(words, name);
		}
		has(m, words);
		look(m, true);
		for (size_t k = 0; k < 4; k++) {
			snprintf(name, sizeof(name), "gpu_scheduler:%s",
				 generations[i][k]);
			assert_non_null(event(m, name, 0));
		}
		assert_null(why(m, "gpu_scheduler"));
	}
}

static void only_what_tells_of_time_is_taken_from_a_driver(void **state)
{
	struct machine *m = *state;

	has(m, USUAL " i915/i915_request_queue i915/i915_reg_rw "
	       "i915/i915_gem_object_create i915/intel_pipe_update_end "
	       "amdgpu/amdgpu_cs_ioctl amdgpu/amdgpu_vm_set_ptes "
	       "xe/xe_sched_job_run xe/xe_reg_rw");
	look(m, true);
	assert_non_null(event(m, "i915:i915_request_queue", 0));
	assert_non_null(event(m, "i915:intel_pipe_update_end", 0));
	assert_non_null(event(m, "amdgpu:amdgpu_cs_ioctl", 0));
	assert_non_null(event(m, "xe:xe_sched_job_run", 0));
	assert_null(event(m, "i915:i915_reg_rw", 0));
	assert_null(event(m, "i915:i915_gem_object_create", 0));
	assert_null(event(m, "amdgpu:amdgpu_vm_set_ptes", 0));
	assert_null(event(m, "xe:xe_reg_rw", 0));
	assert_string_equal(rec_gpu_taken(&m->r), "amdgpu i915 xe sched");
}

static void stacks_are_of_gpu_events_and_of_those_who_work_with_it(void **state)
{
	struct machine *m = *state;
	const struct rec_event *e;

	has(m, USUAL " dma_fence/dma_fence_wait_start "
	       "dma_fence/dma_fence_signaled");
	look(m, true);
	e = event(m, "dma_fence:dma_fence_wait_start", 0);
	assert_int_equal(e->chain, REC_CHAIN_FP);
	assert_true(e->gpu_caller && e->fixed_rate);
	/* It happens in an interrupt of anybody. */
	assert_false(event(m, "dma_fence:dma_fence_signaled", 0)->gpu_caller);
	e = event(m, "sched:sched_switch", 0);
	assert_int_equal(e->chain, REC_CHAIN_DEFAULT);
	assert_int_equal(e->follow, REC_FOLLOW_OTHERS);
	assert_false(rec_event_is_held(e));
	e = event(m, "sched:sched_switch", 1);
	assert_int_equal(e->chain, REC_CHAIN_FP);
	assert_int_equal(e->follow, REC_FOLLOW_SWITCH);
	assert_true(rec_event_is_held(e));
	assert_true(rec_event_is_held(event(m, "sched:sched_waking", 0)));
	assert_null(event(m, "sched:sched_wakeup", 0));
}

static void of_some_tasks_all_has_stacks_and_nothing_is_held(void **state)
{
	struct machine *m = *state;

	has(m, USUAL " dma_fence/dma_fence_init");
	look(m, false);
	assert_int_equal(event(m, "sched:sched_switch", 0)->chain,
			 REC_CHAIN_FP);
	assert_null(event(m, "sched:sched_switch", 1));
	for (size_t i = 0; i < m->e.n; i++)
		assert_int_equal(m->e.items[i].follow, REC_FOLLOW_NO);
	assert_non_null(strstr(why(m, "others"), "only what happens"));
}

/* Numbers of threads in payloads are those of the first namespace. */
static void within_a_pid_namespace_nobody_is_followed(void **state)
{
	struct machine *m = *state;

	has(m, USUAL);
	links(m, "/proc/self/ns/pid", "pid:[4026532201]");
	look(m, true);
	assert_non_null(strstr(why(m, "threads"), "namespace"));
	assert_null(event(m, "sched:sched_switch", 1));
	assert_non_null(event(m, "sched:sched_waking", 0));
	for (size_t i = 0; i < m->e.n; i++) {
		assert_int_equal(m->e.items[i].follow, REC_FOLLOW_NO);
		assert_int_equal(m->e.items[i].chain, REC_CHAIN_DEFAULT);
	}
	filetree_remove(&m->tree, "/proc/self/ns/pid");
	links(m, "/proc/self/ns/pid", "pid:[4026531836]");
	look(m, true);
	assert_null(why(m, "threads"));
	assert_non_null(event(m, "sched:sched_switch", 1));
}

static void an_event_that_was_asked_for_is_not_taken_twice(void **state)
{
	struct machine *m = *state;

	has(m, USUAL " drm/drm_vblank_event");
	forget(m);
	assert_int_equal(rec_events_add(&m->e, "drm:*", &m->err), 0);
	assert_int_equal(rec_events_add(&m->e, "sched:sched_switch", &m->err),
			 0);
	assert_int_equal(rec_gpu_events(&m->e, &m->r, true, &m->err), 0);
	assert_null(event(m, "drm:drm_vblank_event", 1));
	assert_null(event(m, "sched:sched_switch", 1));
	assert_int_equal(event(m, "sched:sched_switch", 0)->follow,
			 REC_FOLLOW_NO);
	assert_string_equal(rec_gpu_taken(&m->r), "drm sched");
}

static void what_is_missing_is_told_with_its_reason(void **state)
{
	struct machine *m = *state;

	has(m, USUAL " i915/i915_request_queue");
	look(m, true);
	assert_string_equal(why(m, "drm"), "no driver of a GPU is loaded");
	assert_non_null(strstr(why(m, "dma_fence"),
			       "CONFIG_DMA_SHARED_BUFFER"));
	assert_non_null(strstr(why(m, "ioctl"), "no device"));
	assert_non_null(strstr(why(m, "i915_request_in"),
			       "CONFIG_DRM_I915_LOW_LEVEL_TRACEPOINTS"));
	/* Loaded, and still nothing. */
	filetree_text(&m->tree, "/sys/module/drm/refcnt", "1\n");
	links(m, "/sys/class/drm/card0/device/driver", "../../drivers/nouveau");
	links(m, "/sys/class/drm/card1/device/driver", "../../drivers/i915");
	look(m, true);
	assert_non_null(strstr(why(m, "drm"), "without tracepoints"));
	assert_non_null(strstr(why(m, "nouveau"), "no tracepoints"));
	assert_null(why(m, "i915"));
	has(m, "i915/i915_request_in");
	look(m, true);
	assert_null(why(m, "i915_request_in"));
}

static void without_tracefs_other_events_go_on(void **state)
{
	struct machine *m = *state;

	assert_int_equal(rec_gpu_events(&m->e, &m->r, true, &m->err),
			 ERR_UNSUPPORTED);
	assert_non_null(strstr(m->err.text, "mount -t tracefs"));
	forget(m);
	assert_int_equal(rec_events_add(&m->e, "cpu-clock", &m->err), 0);
	assert_int_equal(rec_gpu_events(&m->e, &m->r, true, &m->err), 0);
	assert_int_equal(m->e.n, 1);
	assert_non_null(strstr(why(m, "tracepoints"), "mount -t tracefs"));
}

/* The kernel's filter of bits, by hand: true where each tested bit is set, and
 * no other one of that byte. */
static bool passes(const char *filter, uint64_t cmd)
{
	bool all = true;

	for (const char *at = filter; (at = strstr(at, "cmd & ")); at++) {
		uint64_t mask = strtoull(at + 6, NULL, 16);
		bool negated = at - filter > 1 && at[-1] == '(' &&
			       at[-2] == '!';

		all = all && (negated ? !(cmd & mask) : (cmd & mask) != 0);
	}
	return all;
}

static void ioctls_are_those_of_drm_and_nvidia_whatever_their_size(void **state)
{
	struct machine *m = *state;
	char first[128], second[128];
	const char *or;

	has(m, USUAL);
	filetree_text(&m->tree, "/dev/dri/card0", "");
	look(m, true);
	assert_null(why(m, "ioctl"));
	or = strstr(event(m, "syscalls:sys_enter_ioctl", 0)->filter, " || ");
	assert_non_null(or);
	snprintf(first, sizeof(first), "%.*s",
		 (int)(or - event(m, "syscalls:sys_enter_ioctl", 0)->filter),
		 event(m, "syscalls:sys_enter_ioctl", 0)->filter);
	snprintf(second, sizeof(second), "%s", or + 4);
	for (unsigned type = 0; type < 256; type++)
		for (uint64_t rest = 0; rest < 4; rest++) {
			uint64_t cmd = rest << 30 | (rest * 0x18) << 16 |
				       type << 8 | (0xff >> rest);

			assert_int_equal(passes(first, cmd), type == 'd');
			assert_int_equal(passes(second, cmd), type == 'F');
		}
}

static void an_alias_names_two_events_of_which_one_is_known(void **state)
{
	static const struct { const char *text, *says; } bad[] = {
		{ "mine:ev", "SYSTEM:EVENT=SYSTEM:EVENT" },
		{ "mine=dma_fence:dma_fence_init", "SYSTEM:EVENT=" },
		{ "mine:ev=dma_fence", "SYSTEM:EVENT=" },
		{ "mine:*=dma_fence:dma_fence_init", "SYSTEM:EVENT=" },
		{ ":ev=dma_fence:dma_fence_init", "SYSTEM:EVENT=" },
		{ "mine:ev=", "SYSTEM:EVENT=" },
		{ "mine:ev=a:b:c", "SYSTEM:EVENT=" },
		{ "mine:ev=dma_fence:dma_fence_signal", "nothing is known" },
		{ "mine:ev=i915:i915_reg_rw", "nothing is known" },
		{ "mine:no=dma_fence:dma_fence_init", "no tracepoint" },
		{ "no:ev=dma_fence:dma_fence_init", "unknown event" },
		{ "mine:ev=dma_fence:dma_fence_destroy", "and for" },
	};
	struct machine *m = *state;
	const struct rec_event *e;

	has(m, "mine/ev mine/other");
	assert_int_equal(rec_gpu_alias(&m->e, "mine:ev=dma_fence:dma_fence_init",
				       &m->err), 0);
	e = event(m, "mine:ev", 0);
	assert_string_equal(e->stands_for, "dma_fence:dma_fence_init");
	assert_int_equal(e->chain, REC_CHAIN_FP);
	assert_true(e->gpu_caller);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		m->err.text[0] = 0;
		assert_int_equal(rec_gpu_alias(&m->e, bad[i].text, &m->err),
				 ERR_USAGE);
		if (!strstr(m->err.text, bad[i].says))
			fail_msg("%s: %s", bad[i].text, m->err.text);
		assert_int_equal(m->e.n, 1);
	}
	/* What -e names is the same event. */
	assert_int_equal(rec_events_add(&m->e, "mine:other", &m->err), 0);
	assert_int_equal(rec_gpu_alias(&m->e,
				       "mine:other=sched:sched_switch",
				       &m->err), 0);
	assert_int_equal(m->e.n, 2);
	assert_string_equal(m->e.items[1].stands_for, "sched:sched_switch");
	assert_false(m->e.items[1].gpu_caller);
}

static void a_filter_has_neighbours_as_a_range(void **state)
{
	static const pid_t tids[] = { 5, 7, 8, 9, 4000000 };
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	rec_follow_filter(&b, "pid", tids, ARRAY_LEN(tids));
	buf_u8(&b, 0);
	assert_string_equal((char *)b.p,
			    "pid==5||(pid>=7&&pid<=9)||pid==4000000");
	buf_fini(&b);
}

/* The kernel takes less than a page: the longest numbers, none of them
 * neighbours, in both fields of a wake-up. */
static void the_longest_filter_is_less_than_a_page(void **state)
{
	pid_t tids[REC_FOLLOW_MAX];
	struct buf b;

	(void)state;
	for (int i = 0; i < REC_FOLLOW_MAX; i++)
		tids[i] = 4000000 + 2 * i;
	buf_init(&b, 0);
	rec_follow_filter(&b, "pid", tids, REC_FOLLOW_MAX);
	buf_put(&b, "||", 2);
	rec_follow_filter(&b, "common_pid", tids, REC_FOLLOW_MAX);
	assert_in_range(b.n, 2000, 4095);
	buf_fini(&b);
}

struct found { int n; char text[256]; };

static int note_file(void *ctx, pid_t pid, int fd, const char *path,
		     struct err *err)
{
	struct found *f = ctx;
	size_t n = strlen(f->text);

	(void)err;
	f->n++;
	snprintf(f->text + n, sizeof(f->text) - n, "%d:%d=%s ", (int)pid, fd,
		 path);
	return 0;
}

static void open_files_of_gpus_are_found_by_their_paths(void **state)
{
	struct machine *m = *state;
	struct found f = { 0 };

	assert_false(rec_gpu_has_nodes(m->tree.root));
	filetree_text(&m->tree, "/dev/dri/card0", "");
	assert_true(rec_gpu_has_nodes(m->tree.root));
	links(m, "/proc/5/fd/3", "/dev/dri/renderD128");
	links(m, "/proc/5/fd/4", "/dev/null");
	links(m, "/proc/5/fd/12", "socket:[77]");
	links(m, "/proc/81/fd/0", "/dev/drive");
	assert_int_equal(rec_gpu_all_files(m->tree.root, note_file, &f, NULL),
			 0);
	assert_string_equal(f.text, "5:3=/dev/dri/renderD128 ");
	links(m, "/proc/81/fd/7", "/dev/nvidiactl");
	memset(&f, 0, sizeof(f));
	assert_int_equal(rec_gpu_files(m->tree.root, 81, note_file, &f, NULL),
			 0);
	assert_string_equal(f.text, "81:7=/dev/nvidiactl ");
	/* It is gone. */
	assert_int_equal(rec_gpu_files(m->tree.root, 9, note_file, &f, NULL),
			 0);
	assert_int_equal(f.n, 1);
}

/* As Linux 6.1 prints it; a disk may have the number of a GPU. */
static void numbers_of_drivers_are_fixed_or_in_proc_devices(void **state)
{
	struct machine *m = *state;
	struct rec_gpu_majors majors;

	rec_gpu_majors_read(&majors, m->tree.root);
	assert_true(rec_gpu_has_major(&majors, 226));
	assert_true(rec_gpu_has_major(&majors, 261));
	assert_true(rec_gpu_has_major(&majors, 195));
	assert_false(rec_gpu_has_major(&majors, 509));
	filetree_text(&m->tree, "/proc/devices", "Character devices:\n"
		      "  1 mem\n195 nvidia\n226 drm\n508 nvidia-caps\n"
		      "509 nvidia-uvm\n510 nv\n99999999999 nvidia-x\n"
		      "\nBlock devices:\n  8 sd\n511 nvidia-disk\n");
	rec_gpu_majors_read(&majors, m->tree.root);
	assert_true(rec_gpu_has_major(&majors, 508));
	assert_true(rec_gpu_has_major(&majors, 509));
	assert_false(rec_gpu_has_major(&majors, 1));
	assert_false(rec_gpu_has_major(&majors, 510));
	assert_false(rec_gpu_has_major(&majors, 511));
	assert_int_equal(majors.n, 5);
}

static void any_number_of_drivers_is_no_more_than_fits(void **state)
{
	struct machine *m = *state;
	struct rec_gpu_majors majors;
	char text[2048] = "";

	for (int i = 0; i < 60; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%d nvidia%d\n", 300 + i, i);
	filetree_text(&m->tree, "/proc/devices", text);
	rec_gpu_majors_read(&majors, m->tree.root);
	assert_int_equal(majors.n, REC_GPU_MAJORS);
	assert_false(rec_gpu_has_major(&majors, 359));
}

/* Its process opens a card, then another one under the same number, and a
 * process that is not followed does as well. */
static void what_is_opened_later_is_seen_with_its_time(void **state)
{
	struct machine *m = *state;
	struct rec_follow f = { .root = m->tree.root, .n = 2,
				.tids = { 5, 6 }, .pids = { 5, 5 } };

	links(m, "/proc/5/fd/2", "/dev/null");
	links(m, "/proc/9/fd/3", "/dev/dri/card7");
	rec_follow_look_again(&f, 1);
	assert_int_equal(f.n_files, 0);
	links(m, "/proc/5/fd/3", "/dev/dri/renderD128");
	links(m, "/proc/5/fd/4", "/dev/nvidia-uvm");
	links(m, "/proc/5/fd/5", "/dev/accel/accel0");
	rec_follow_look_again(&f, 2);
	assert_int_equal(f.n_files, 3);
	filetree_remove(&m->tree, "/proc/5/fd/3");
	links(m, "/proc/5/fd/3", "/dev/dri/card1");
	rec_follow_look_again(&f, 3);
	rec_follow_look_again(&f, 4);
	assert_int_equal(f.n_files, 4);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(f.files[i].since_ns, 0);
	assert_int_equal(f.files[3].pid, 5);
	assert_int_equal(f.files[3].fd, 3);
	assert_string_equal(f.files[3].path, "/dev/dri/card1");
	assert_int_not_equal(f.files[3].since_ns, 0);
	rec_follow_fini(&f);
}

static void running_out_of_memory_is_told(void **state)
{
	struct machine *m = *state;
	int rc;

	has(m, USUAL " drm/drm_vblank_event mine/ev");
	links(m, "/sys/class/drm/card0/device/driver", "../../drivers/nouveau");
	for (long n = 1;; n++) {
		forget(m);
		failalloc_at(n);
		rc = rec_gpu_alias(&m->e, "mine:ev=dma_fence:dma_fence_init",
				   &m->err);
		if (!rc)
			rc = rec_gpu_events(&m->e, &m->r, true, &m->err);
		failalloc_off();
		if (!failalloc_hit())
			break;
		/* The C library's folders are not ours to judge. */
		if (rc)
			assert_int_equal(rc, ERR_NOMEM);
	}
	assert_int_equal(rc, 0);
	assert_non_null(why(m, "nouveau"));
}

int main(void)
{
#define ROW(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		ROW(events_of_both_generations_are_found_by_their_names),
		ROW(only_what_tells_of_time_is_taken_from_a_driver),
		ROW(stacks_are_of_gpu_events_and_of_those_who_work_with_it),
		ROW(of_some_tasks_all_has_stacks_and_nothing_is_held),
		ROW(within_a_pid_namespace_nobody_is_followed),
		ROW(an_event_that_was_asked_for_is_not_taken_twice),
		ROW(what_is_missing_is_told_with_its_reason),
		ROW(without_tracefs_other_events_go_on),
		ROW(ioctls_are_those_of_drm_and_nvidia_whatever_their_size),
		ROW(an_alias_names_two_events_of_which_one_is_known),
		ROW(a_filter_has_neighbours_as_a_range),
		ROW(the_longest_filter_is_less_than_a_page),
		ROW(open_files_of_gpus_are_found_by_their_paths),
		ROW(numbers_of_drivers_are_fixed_or_in_proc_devices),
		ROW(any_number_of_drivers_is_no_more_than_fits),
		ROW(what_is_opened_later_is_seen_with_its_time),
		ROW(running_out_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
