/* Which tracepoints say what about a GPU, by all names that kernels gave them
 * and their fields. */
#ifndef ANALYZE_GPU_ROLES_H
#define ANALYZE_GPU_ROLES_H

#include "analyze/sched/points.h"

enum an_gpu_role {
	AN_GPU_VBLANK,
	AN_GPU_VBLANK_QUEUED,    /* a client asks to be told of one */
	AN_GPU_VBLANK_DELIVERED, /* a client is told: of that, or of its flip */
	AN_GPU_FENCE_INIT,
	AN_GPU_FENCE_EMIT,
	AN_GPU_FENCE_SIGNALED,
	AN_GPU_FENCE_WAIT_START,
	AN_GPU_FENCE_WAIT_END,
	AN_GPU_FENCE_DESTROY,
	AN_GPU_JOB_QUEUE,        /* DRM scheduler */
	AN_GPU_JOB_RUN,
	AN_GPU_JOB_DONE,
	AN_GPU_JOB_ADD_DEP,      /* depends on that fence; told as it is queued*/
	AN_GPU_JOB_WAIT_DEP,     /* is held up by it */
	AN_GPU_AMDGPU_SUBMIT,
	AN_GPU_AMDGPU_RUN,
	AN_GPU_I915_QUEUE,
	AN_GPU_I915_ADD,
	AN_GPU_I915_IN,          /* on the hardware; only of a kernel made for
				  * low-level tracing, as the next one */
	AN_GPU_I915_OUT,
	AN_GPU_I915_WAIT_BEGIN,
	AN_GPU_I915_WAIT_END,
	AN_GPU_XE_EXEC,
	AN_GPU_XE_RUN,
	AN_GPU_XE_FENCE_CREATE,
	AN_GPU_XE_FENCE_SIGNAL,
	AN_GPU_VIRTIO_QUEUE,
	AN_GPU_VIRTIO_RESPONSE,
	AN_GPU_I915_FLIP_DONE,   /* right after its delivery, on that CPU */
	AN_GPU_XE_FLIP_DONE,
	AN_GPU_I915_PIPE,        /* anything else that a display pipe does */
	AN_GPU_XE_PIPE,
	AN_GPU_N_ROLES,
};

/* Fields by what they mean. */
enum an_gpu_number {
	AN_GPU_CONTEXT, AN_GPU_SEQNO,         /* of the fence it is about; of a
					       * job its finished one */
	AN_GPU_DEP_CONTEXT, AN_GPU_DEP_SEQNO, /* of the fence it depends on */
	AN_GPU_FENCE,    /* address of the fence, which is used again */
	AN_GPU_ENTITY,   /* address of the queue */
	AN_GPU_ID,       /* of the job in its ring */
	AN_GPU_CLIENT,   /* drm-client-id */
	AN_GPU_CRTC,     /* of Intel's pipes the letter: A is 0 */
	AN_GPU_SEQ,
	AN_GPU_TIME,     /* of the vblank, CLOCK_MONOTONIC */
	AN_GPU_FILE,     /* address of the client; 0: the kernel itself */
	AN_GPU_MINOR,    /* of the device */
	AN_GPU_CLASS, AN_GPU_INSTANCE, /* of the engine */
	AN_GPU_COMPLETED, /* 0: it left the hardware before its end */
	AN_GPU_N_NUMBERS,
};
enum an_gpu_text {
	AN_GPU_DRIVER, AN_GPU_TIMELINE, AN_GPU_RING, AN_GPU_DEV,
	AN_GPU_N_TEXTS,
};
/* Position of a text in the fields of a kind; numbers come first. */
#define AN_GPU_TEXT_FIELD(t) (AN_GPU_N_NUMBERS + (unsigned)(t))

extern const struct an_point_kind an_gpu_roles[AN_GPU_N_ROLES];

#endif
