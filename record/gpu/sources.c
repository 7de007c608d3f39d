#include "record/gpu/sources.h"

#include "format/base/mem.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define DISPLAY                                                                \
	"intel_crtc_flip_done intel_pipe_update_start "                        \
	"intel_pipe_update_vblank_evaded intel_pipe_update_end "               \
	"intel_crtc_vblank_work_* intel_cpu_fifo_underrun"

/* What happens rarely beside a frame's work and says when something began,
 * waited or ended. Moves of memory, registers and caches are left out. Names
 * that end with a star had others before or are several. */
const struct rec_gpu_source rec_gpu_sources[] = {
	{ "drm", "drm_vblank_event_queued", true },
	{ "drm", "drm_vblank_event drm_vblank_event_delivered", false },
	{ "dma_fence", "dma_fence_init dma_fence_emit dma_fence_wait_start "
		       "dma_fence_wait_end", true },
	{ "dma_fence", "dma_fence_enable_signal dma_fence_signaled "
		       "dma_fence_destroy", false },
	/* Renamed in 2025: both generations. */
	{ "gpu_scheduler", "drm_sched_job drm_sched_job_queue "
			   "drm_sched_job_add_dep", true },
	{ "gpu_scheduler", "drm_run_job drm_sched_job_run "
			   "drm_sched_process_job drm_sched_job_done "
			   "drm_sched_job_wait_dep "
			   "drm_sched_job_unschedulable", false },
	{ "amdgpu", "amdgpu_cs_ioctl", true },
	{ "amdgpu", "amdgpu_sched_run_job amdgpu_ib_pipe_sync "
		    "amdgpu_isolation amdgpu_userq_*", false },
	{ "amdgpu_dm", "amdgpu_refresh_rate_track "
		       "amdgpu_dm_atomic_commit_tail_*", false },
	{ "i915", "i915_request_queue i915_request_add "
		  "i915_request_wait_*", true },
	{ "i915", "i915_request_retire i915_request_submit "
		  "i915_request_execute i915_request_guc_submit "
		  "i915_request_in i915_request_out intel_gpu_freq_change "
		  DISPLAY, false },
	{ "xe", "xe_sched_job_create xe_sched_job_exec", true },
	{ "xe", "xe_sched_job_run xe_sched_job_timedout xe_hw_fence_* "
		DISPLAY, false },
	{ "radeon", "radeon_cs radeon_fence_emit radeon_fence_wait_*", true },
	{ "virtio_gpu", "virtio_gpu_cmd_queue", true },
	{ "virtio_gpu", "virtio_gpu_cmd_response", false },
	{ "drm_msm_gpu", "msm_gpu_submit", true },
	{ "drm_msm_gpu", "msm_gpu_submit_* msm_gpu_freq_change", false },
	{ "drm_msm_atomic", "msm_atomic_*", false },
	{ "v3d", "v3d_*_ioctl v3d_submit_*", true },
	{ "v3d", "v3d_*_irq", false },
	{ "vc4", "vc4_wait_for_seqno_* vc4_submit_*_ioctl", true },
	{ "vc4", "vc4_*_irq", false },
	{ "lima", "lima_task_submit", true },
	{ "lima", "lima_task_run", false },
	{ "panthor", "gpu_job_irq gpu_power_status", false },
	{ "sync_trace", "sync_timeline", false },
};
const size_t rec_n_gpu_sources = ARRAY_LEN(rec_gpu_sources);

const struct rec_gpu_common rec_gpu_commons[] = {
	{ "drm", "drm", "no driver of a GPU is loaded" },
	{ "dma_fence", NULL, "the kernel has none "
			     "(CONFIG_DMA_SHARED_BUFFER)" },
	{ "gpu_scheduler", "gpu_sched", "no driver that uses it is loaded" },
	{ "sync_trace", NULL, NULL },
};
const size_t rec_n_gpu_commons = ARRAY_LEN(rec_gpu_commons);

/* Where the events are not called as the driver is. */
static const struct { const char *driver, *system; } drivers[] = {
	{ "msm", "drm_msm_gpu" },
	{ "msm_dpu", "drm_msm_gpu" },
	{ "adreno", "drm_msm_gpu" },
	{ "virtio-pci", "virtio_gpu" },
	{ "virtio-mmio", "virtio_gpu" },
	{ "vc4-drm", "vc4" },
	{ "vc4_drm", "vc4" },
};

bool rec_gpu_is_common(const char *system)
{
	for (size_t i = 0; i < rec_n_gpu_commons; i++)
		if (strcmp(rec_gpu_commons[i].system, system) == 0)
			return true;
	return false;
}

const char *rec_gpu_driver_system(const char *driver)
{
	for (size_t i = 0; i < ARRAY_LEN(drivers); i++)
		if (strcmp(drivers[i].driver, driver) == 0)
			return drivers[i].system;
	for (size_t i = 0; i < rec_n_gpu_sources; i++)
		if (strcmp(rec_gpu_sources[i].system, driver) == 0)
			return rec_gpu_sources[i].system;
	return NULL;
}

bool rec_gpu_matches(const char *patterns, const char *event)
{
	char word[64];

	while (*patterns) {
		size_t n = strcspn(patterns, " ");

		if (n && n < sizeof(word)) {
			snprintf(word, sizeof(word), "%.*s", (int)n, patterns);
			if (fnmatch(word, event, 0) == 0)
				return true;
		}
		patterns += n;
		patterns += strspn(patterns, " ");
	}
	return false;
}

bool rec_gpu_knows(const char *system, const char *event, bool *by_caller)
{
	static const struct { const char *system, *events; } beside[] = {
		{ "sched", "sched_switch sched_waking sched_wakeup "
			   "sched_wakeup_new" },
		{ "syscalls", "sys_enter_* sys_exit_*" },
	};

	*by_caller = false;
	for (size_t i = 0; i < rec_n_gpu_sources; i++) {
		const struct rec_gpu_source *s = &rec_gpu_sources[i];

		if (strcmp(s->system, system) == 0 &&
		    rec_gpu_matches(s->events, event)) {
			*by_caller = s->by_caller;
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(beside); i++)
		if (strcmp(beside[i].system, system) == 0 &&
		    rec_gpu_matches(beside[i].events, event))
			return true;
	return false;
}
