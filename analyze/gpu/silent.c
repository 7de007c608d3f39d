#include "analyze/gpu/silent.h"

#include "analyze/selection/choose.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Functions of kernels that sleep until a fence is signalled. */
static const char *const functions[] = {
	"drm_syncobj_*wait*", "dma_fence_wait*", "dma_fence_default_wait",
	"dma_resv_wait*", "i915_request_wait*", "i915_gem_object_wait*",
	"i915_gem_wait_ioctl", "xe_wait_user_fence*", "xe_*fence*wait*",
	"amdgpu_cs_wait*", "amdgpu_fence_wait*", "amdgpu_bo_sync_wait*",
	"radeon_fence_wait*", "nouveau_fence_wait*", "virtio_gpu_*wait*",
	"msm_wait_fence", "msm_ioctl_wait_fence", "panfrost_ioctl_wait_bo",
	"lima_ioctl_gem_wait", "v3d_wait*", "etnaviv_gpu_wait*",
	"drm_gem_dma_resv_wait", "drm_atomic_helper_wait_for_fences",
};

/* A wait that events tell of. */
struct told { uint64_t from, to; uint32_t task; };

struct silent {
	struct an_gpu *g;
	bool *waits;         /* by node: it passes such a function */
	bool *runs_jobs;     /* by task */
	struct map64 users;  /* pids of those that use the GPU */
	struct told *told;   /* by task, then by time */
	size_t n_told;
};

static bool is_wait_function(const struct an_trace *t, uint32_t frame)
{
	struct span name = an_frame_name(t, frame);

	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		if (an_word_is(an_word(functions[i]), name))
			return true;
	return false;
}

static int mark_stacks(struct silent *s, bool *any, struct err *err)
{
	const struct an_trace *t = s->g->t;
	size_t n_frames = an_n_frames(t), n = an_n_nodes(t);
	bool *frames = calloc(n_frames + 1, sizeof(*frames));

	s->waits = calloc(n + 1, sizeof(*s->waits));
	if (!frames || !s->waits) {
		free(frames);
		return err_nomem(err);
	}
	for (uint32_t i = 0; i < n_frames; i++) {
		frames[i] = an_frame_of(t, i)->kernel && is_wait_function(t, i);
		*any |= frames[i];
	}
	for (uint32_t i = 1; i < n; i++) {
		const struct an_node *node = an_node_of(t, i);

		s->waits[i] = (node->frame < n_frames && frames[node->frame]) ||
			      s->waits[node->parent];
	}
	free(frames);
	return 0;
}

static int mark_runners(struct silent *s, struct err *err)
{
	const struct an_gpu_events *e = &s->g->events;
	size_t n = s->g->tasks.n;

	s->runs_jobs = calloc(n + 1, sizeof(*s->runs_jobs));
	if (!s->runs_jobs)
		return err_nomem(err);
	for (size_t i = 0; i < e->n; i++)
		if (e->v[i].role == AN_GPU_JOB_RUN && e->v[i].task < n)
			s->runs_jobs[e->v[i].task] = true;
	return 0;
}

static int put_user(struct silent *s, uint32_t thread, struct err *err)
{
	bool is_new;

	if (thread == AN_NONE)
		return 0;
	return map64_put(&s->users,
			 (uint32_t)an_thread_of(s->g->t, thread)->pid, 1,
			 &is_new) ? 0 : err_nomem(err);
}

static int find_users(struct silent *s, struct err *err)
{
	static const uint32_t theirs = 1u << AN_GPU_FENCE_INIT |
		1u << AN_GPU_FENCE_EMIT | 1u << AN_GPU_FENCE_WAIT_START |
		1u << AN_GPU_VBLANK_QUEUED | 1u << AN_GPU_JOB_QUEUE |
		1u << AN_GPU_AMDGPU_SUBMIT | 1u << AN_GPU_I915_QUEUE |
		1u << AN_GPU_I915_ADD | 1u << AN_GPU_I915_WAIT_BEGIN |
		1u << AN_GPU_XE_EXEC | 1u << AN_GPU_VIRTIO_QUEUE;
	const struct an_gpu_events *e = &s->g->events;
	const struct an_syscalls *c = &s->g->calls;
	int rc = 0;

	for (size_t i = 0; i < e->n && !rc; i++)
		if (theirs >> e->v[i].role & 1)
			rc = put_user(s, e->v[i].thread, err);
	for (size_t i = 0; i < c->n && !rc; i++)
		if (an_syscall_is_drm(&c->v[i]))
			rc = put_user(s, an_task_thread(&s->g->tasks,
							c->v[i].task,
							c->v[i].from), err);
	return rc;
}

static bool uses_gpu(const struct silent *s, uint32_t task, uint64_t time)
{
	uint32_t thread = an_task_thread(&s->g->tasks, task, time), yes;

	return thread != AN_NONE &&
	       map64_get(&s->users, (uint32_t)an_thread_of(s->g->t, thread)->pid,
			 &yes);
}

static int by_task(const void *a, const void *b)
{
	const struct told *x = a, *y = b;

	return x->task != y->task ? CMP(x->task, y->task) :
				    CMP(x->from, y->from);
}

static int list_told(struct silent *s, struct err *err)
{
	const struct an_fences *f = &s->g->fences;

	s->told = calloc(f->n_waits + 1, sizeof(*s->told));
	if (!s->told)
		return err_nomem(err);
	s->n_told = f->n_waits;
	for (size_t i = 0; i < s->n_told; i++)
		s->told[i] = (struct told){ f->waits[i].since,
					    f->waits[i].until,
					    f->waits[i].task };
	if (s->n_told)
		qsort(s->told, s->n_told, sizeof(*s->told), by_task);
	return 0;
}

/* Is it part of a wait that events tell of? */
static bool is_told(const struct silent *s, uint32_t task, uint64_t time)
{
	size_t low = 0, high = s->n_told;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct told *w = &s->told[mid];

		if (w->task < task || (w->task == task && w->from <= time))
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || s->told[low - 1].task != task)
		return false;
	return s->told[low - 1].to > time;
}

/* The fence whose signal was the last that happened on the waker's CPU before
 * it woke somebody. */
static uint32_t signal_before(const struct silent *s,
			      const struct an_stretch *i)
{
	const struct an_gpu_events *e = &s->g->events;
	size_t low = 0, high = e->n;

	if (!i->woken)
		return AN_NONE;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (e->v[mid].time <= i->woken)
			low = mid + 1;
		else
			high = mid;
	}
	while (low-- > 0) {
		const struct an_gpu_event *v = &e->v[low];

		if (i->woken - v->time > AN_SIGNAL_WAKES_NS)
			break;
		if (v->cpu != i->waker_cpu)
			continue;
		if (v->role != AN_GPU_FENCE_SIGNALED || v->task != i->waker)
			break;
		return an_fences_find(&s->g->fences, an_gpu_fence_key(v),
				      v->time);
	}
	return AN_NONE;
}

/* Threads of the kernel wait for work, not for fences. The interrupt that signals
 * wakes others, too, such as rcu_preempt: without its call only who uses the GPU
 * waits for it. */
static bool may_wait(const struct silent *s, uint32_t task,
		     const struct an_stretch *i)
{
	const struct an_syscall *c = an_syscalls_at(&s->g->calls, task, i->from);

	if (c)
		return an_syscall_polls(c) || an_syscall_is_drm(c);
	return !s->runs_jobs[task] && uses_gpu(s, task, i->from) &&
	       strncmp(an_task_name(&s->g->tasks, task, i->from), "kworker/",
		       8) != 0;
}

static bool is_wait(const struct silent *s, uint32_t task,
		    const struct an_stretch *i, struct an_wait *w)
{
	if (i->state != AN_STATE_BLOCKED || is_told(s, task, i->from))
		return false;
	w->fence = signal_before(s, i);
	if (i->kstack < an_n_nodes(s->g->t) && s->waits[i->kstack]) {
		w->kind = AN_WAIT_CALL;
		return true;
	}
	w->kind = AN_WAIT_SIGNAL;
	return w->fence != AN_NONE && may_wait(s, task, i);
}

static int look_at(struct silent *s, uint32_t task, uint64_t from, uint64_t to,
		   struct err *err)
{
	struct an_state_walk walk;
	struct an_stretch i;
	struct an_wait w;
	int rc = 0;

	an_state_walk(&walk, s->g->sched, task, from, to);
	while (!rc && an_state_next(&walk, &i)) {
		if (!is_wait(s, task, &i, &w))
			continue;
		w.since = w.from = i.from;
		w.until = i.to;
		w.to = i.woken ? i.woken : i.to < to ? i.to : 0;
		w.task = task;
		w.thread = an_task_thread(&s->g->tasks, task, i.from);
		w.cpu = i.cpu;
		w.ip = i.ip;
		w.kstack = i.kstack;
		w.ustack = i.ustack;
		w.flags = i.flags;
		rc = an_fences_add_wait(&s->g->fences, &w, err);
	}
	return rc;
}

static int look_at_all(struct silent *s, struct err *err)
{
	uint64_t from, to;
	int rc = list_told(s, err);

	if (!rc)
		rc = mark_runners(s, err);
	if (!rc)
		rc = find_users(s, err);
	an_sched_bounds(s->g->sched, &from, &to);
	for (uint32_t i = 0; i < s->g->tasks.n && !rc; i++)
		if (!an_task_is_idle(&s->g->tasks, i))
			rc = look_at(s, i, from, to, err);
	return rc;
}

int an_waits_silent(struct an_gpu *g, struct err *err)
{
	struct silent s = { .g = g };
	bool any = false;
	int rc;

	if (!g->sched)
		return 0;
	rc = mark_stacks(&s, &any, err);
	if (!rc && (any || g->events.count[AN_GPU_FENCE_SIGNALED]))
		rc = look_at_all(&s, err);
	if (!rc)
		rc = an_fences_order(&g->fences, err);
	free(s.waits);
	free(s.runs_jobs);
	map64_fini(&s.users);
	free(s.told);
	return rc;
}
