#include "analyze/gpu/roles.h"

#define TEXT(t) [AN_GPU_N_NUMBERS + (t)]
#define FIELD(n) AN_FIELD(AN_GPU_##n)
#define TEXT_FIELD(t) AN_FIELD(AN_GPU_TEXT_FIELD(AN_GPU_##t))

/* A client was once told by its pid. */
#define VBLANK_FIELDS                                                          \
	{ [AN_GPU_CRTC] = "crtc", [AN_GPU_SEQ] = "seq",                        \
	  [AN_GPU_TIME] = "time", [AN_GPU_FILE] = "file pid" }
#define NEEDS_VBLANK { FIELD(CRTC) | FIELD(SEQ) }
#define NEEDS_CLIENT { FIELD(CRTC) | FIELD(SEQ) | FIELD(FILE) }

#define FENCE_FIELDS                                                           \
	{ [AN_GPU_CONTEXT] = "context", [AN_GPU_SEQNO] = "seqno",              \
	  TEXT(AN_GPU_DRIVER) = "driver", TEXT(AN_GPU_TIMELINE) = "timeline" }

#define NEEDS_FENCE { FIELD(CONTEXT) | FIELD(SEQNO) }
/* Its names tell which job it is of. */
#define NEEDS_NAMES                                                            \
	{ FIELD(CONTEXT) | FIELD(SEQNO) | TEXT_FIELD(DRIVER) |                 \
	  TEXT_FIELD(TIMELINE) }

/* Until 6.15 a job is known by the address of its fence, then by that fence's
 * numbers. */
#define JOB_FIELDS                                                             \
	{ [AN_GPU_CONTEXT] = "fence_context", [AN_GPU_SEQNO] = "fence_seqno",  \
	  [AN_GPU_FENCE] = "fence", [AN_GPU_ENTITY] = "entity",                \
	  [AN_GPU_ID] = "id", [AN_GPU_CLIENT] = "client_id",                   \
	  TEXT(AN_GPU_RING) = "name", TEXT(AN_GPU_DEV) = "dev" }
#define NEEDS_JOB                                                              \
	{ FIELD(CONTEXT) | FIELD(SEQNO) | TEXT_FIELD(RING),                    \
	  FIELD(FENCE) | TEXT_FIELD(RING) }
#define NEEDS_DONE { FIELD(CONTEXT) | FIELD(SEQNO), FIELD(FENCE) }

/* In the old wait_dep `fence` is the one depended on. */
#define DEP_FIELDS                                                             \
	{ [AN_GPU_CONTEXT] = "fence_context", [AN_GPU_SEQNO] = "fence_seqno",  \
	  [AN_GPU_DEP_CONTEXT] = "ctx", [AN_GPU_DEP_SEQNO] = "seqno",          \
	  [AN_GPU_ID] = "id", TEXT(AN_GPU_RING) = "name" }
#define NEEDS_DEP                                                              \
	{ FIELD(CONTEXT) | FIELD(SEQNO) | FIELD(DEP_CONTEXT) |                 \
	  FIELD(DEP_SEQNO),                                                    \
	  FIELD(ID) | TEXT_FIELD(RING) | FIELD(DEP_CONTEXT) |                  \
	  FIELD(DEP_SEQNO) }

#define AMDGPU_FIELDS                                                          \
	{ [AN_GPU_CONTEXT] = "context", [AN_GPU_SEQNO] = "seqno",              \
	  [AN_GPU_FENCE] = "fence", [AN_GPU_ID] = "sched_job_id",              \
	  TEXT(AN_GPU_RING) = "ring", TEXT(AN_GPU_TIMELINE) = "timeline" }

#define I915_FIELDS                                                            \
	{ [AN_GPU_CONTEXT] = "ctx", [AN_GPU_SEQNO] = "seqno",                  \
	  [AN_GPU_MINOR] = "dev", [AN_GPU_CLASS] = "class",                    \
	  [AN_GPU_INSTANCE] = "instance", [AN_GPU_COMPLETED] = "completed" }

/* The GuC's queue stands for the engine, which is not told. */
#define XE_JOB_FIELDS                                                          \
	{ [AN_GPU_SEQNO] = "seqno", [AN_GPU_FENCE] = "fence",                  \
	  [AN_GPU_CLASS] = "gt_id", [AN_GPU_INSTANCE] = "guc_id",              \
	  TEXT(AN_GPU_DEV) = "dev" }
#define NEEDS_XE_JOB { FIELD(FENCE) | FIELD(INSTANCE) }

#define XE_FENCE_FIELDS                                                        \
	{ [AN_GPU_CONTEXT] = "ctx", [AN_GPU_SEQNO] = "seqno",                  \
	  [AN_GPU_FENCE] = "fence", TEXT(AN_GPU_DEV) = "dev" }
#define NEEDS_XE_FENCE { FIELD(CONTEXT) | FIELD(SEQNO) | FIELD(FENCE) }

/* The name was a pointer once, which is no text. */
#define VIRTIO_FIELDS                                                          \
	{ [AN_GPU_MINOR] = "dev", [AN_GPU_INSTANCE] = "vq",                    \
	  [AN_GPU_FENCE] = "fence_id", [AN_GPU_ID] = "seqno",                  \
	  [AN_GPU_CLIENT] = "ctx_id", [AN_GPU_CLASS] = "type",                 \
	  TEXT(AN_GPU_RING) = "name" }
#define NEEDS_VIRTIO { FIELD(FENCE) | FIELD(INSTANCE) }

/* Up to 6.1 there is no device, and the pipe is a number called otherwise. */
#define PIPE_FIELDS                                                            \
	{ [AN_GPU_CRTC] = "pipe_name", TEXT(AN_GPU_DEV) = "dev" }

const struct an_point_kind an_gpu_roles[AN_GPU_N_ROLES] = {
	[AN_GPU_VBLANK] = { "drm:drm_vblank_event", VBLANK_FIELDS, NEEDS_VBLANK },
	[AN_GPU_VBLANK_QUEUED] =
		{ "drm:drm_vblank_event_queued", VBLANK_FIELDS, NEEDS_CLIENT },
	[AN_GPU_VBLANK_DELIVERED] =
		{ "drm:drm_vblank_event_delivered", VBLANK_FIELDS, NEEDS_CLIENT },
	[AN_GPU_FENCE_INIT] = { "dma_fence:dma_fence_init", FENCE_FIELDS, NEEDS_NAMES },
	[AN_GPU_FENCE_EMIT] = { "dma_fence:dma_fence_emit", FENCE_FIELDS, NEEDS_NAMES },
	[AN_GPU_FENCE_SIGNALED] =
		{ "dma_fence:dma_fence_signaled", FENCE_FIELDS, NEEDS_NAMES },
	[AN_GPU_FENCE_WAIT_START] =
		{ "dma_fence:dma_fence_wait_start", FENCE_FIELDS, NEEDS_FENCE },
	[AN_GPU_FENCE_WAIT_END] =
		{ "dma_fence:dma_fence_wait_end", FENCE_FIELDS, NEEDS_FENCE },
	[AN_GPU_FENCE_DESTROY] =
		{ "dma_fence:dma_fence_destroy", FENCE_FIELDS, NEEDS_FENCE },
	[AN_GPU_JOB_QUEUE] = { "gpu_scheduler:drm_sched_job_queue "
			       "gpu_scheduler:drm_sched_job", JOB_FIELDS, NEEDS_JOB },
	[AN_GPU_JOB_RUN] = { "gpu_scheduler:drm_sched_job_run "
			     "gpu_scheduler:drm_run_job", JOB_FIELDS, NEEDS_JOB },
	[AN_GPU_JOB_DONE] = { "gpu_scheduler:drm_sched_job_done "
			      "gpu_scheduler:drm_sched_process_job",
			      JOB_FIELDS, NEEDS_DONE },
	[AN_GPU_JOB_ADD_DEP] =
		{ "gpu_scheduler:drm_sched_job_add_dep", DEP_FIELDS, NEEDS_DEP },
	[AN_GPU_JOB_WAIT_DEP] = { "gpu_scheduler:drm_sched_job_unschedulable "
				  "gpu_scheduler:drm_sched_job_wait_dep",
				  DEP_FIELDS, NEEDS_DEP },
	[AN_GPU_AMDGPU_SUBMIT] = { "amdgpu:amdgpu_cs_ioctl", AMDGPU_FIELDS, NEEDS_FENCE },
	[AN_GPU_AMDGPU_RUN] = { "amdgpu:amdgpu_sched_run_job", AMDGPU_FIELDS, NEEDS_FENCE },
	[AN_GPU_I915_QUEUE] = { "i915:i915_request_queue", I915_FIELDS, NEEDS_FENCE },
	[AN_GPU_I915_ADD] = { "i915:i915_request_add", I915_FIELDS, NEEDS_FENCE },
	[AN_GPU_I915_IN] = { "i915:i915_request_in", I915_FIELDS, NEEDS_FENCE },
	[AN_GPU_I915_OUT] = { "i915:i915_request_out", I915_FIELDS, NEEDS_FENCE },
	[AN_GPU_I915_WAIT_BEGIN] =
		{ "i915:i915_request_wait_begin", I915_FIELDS, NEEDS_FENCE },
	[AN_GPU_I915_WAIT_END] = { "i915:i915_request_wait_end", I915_FIELDS, NEEDS_FENCE },
	[AN_GPU_XE_EXEC] = { "xe:xe_sched_job_exec", XE_JOB_FIELDS, NEEDS_XE_JOB },
	[AN_GPU_XE_RUN] = { "xe:xe_sched_job_run", XE_JOB_FIELDS, NEEDS_XE_JOB },
	[AN_GPU_XE_FENCE_CREATE] = { "xe:xe_hw_fence_create", XE_FENCE_FIELDS, NEEDS_XE_FENCE },
	[AN_GPU_XE_FENCE_SIGNAL] = { "xe:xe_hw_fence_signal", XE_FENCE_FIELDS, NEEDS_XE_FENCE },
	[AN_GPU_VIRTIO_QUEUE] =
		{ "virtio_gpu:virtio_gpu_cmd_queue", VIRTIO_FIELDS, NEEDS_VIRTIO },
	[AN_GPU_VIRTIO_RESPONSE] =
		{ "virtio_gpu:virtio_gpu_cmd_response", VIRTIO_FIELDS, NEEDS_VIRTIO },
	[AN_GPU_I915_FLIP_DONE] = { "i915:intel_crtc_flip_done", PIPE_FIELDS, { 0 } },
	[AN_GPU_XE_FLIP_DONE] = { "xe:intel_crtc_flip_done", PIPE_FIELDS, { 0 } },
	[AN_GPU_I915_PIPE] = { "i915:intel_pipe_update_start "
		"i915:intel_pipe_update_vblank_evaded "
		"i915:intel_pipe_update_end", PIPE_FIELDS, { 0 } },
	[AN_GPU_XE_PIPE] = { "xe:intel_pipe_update_start "
		"xe:intel_pipe_update_vblank_evaded "
		"xe:intel_pipe_update_end", PIPE_FIELDS, { 0 } },
};
