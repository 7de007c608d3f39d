#include "analyze/gpu/fence.h"

#include "analyze/samples.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct build {
	struct an_fences *f;
	const struct an_trace *t;
	uint32_t *open;      /* by task: its wait + 1, 0: it has none */
	size_t n_tasks;
};

const char *an_wait_kind_name(enum an_wait_kind k)
{
	static const char *const names[AN_N_WAIT_KINDS] = {
		[AN_WAIT_EVENTS] = "fence wait",
		[AN_WAIT_DRIVER] = "driver's wait",
		[AN_WAIT_CALL] = "slept in a wait function",
		[AN_WAIT_SIGNAL] = "woken by the signal",
	};

	return names[k];
}

static int new_fence(struct an_fences *f, const struct an_gpu_event *e,
		     uint32_t *id, struct err *err)
{
	uint32_t *at;
	bool is_new;

	if (!mem_grow(&f->v, &f->cap, f->n + 1, sizeof(*f->v)))
		return err_nomem(err);
	at = map64_put(&f->index, an_gpu_fence_key(e), AN_NONE, &is_new);
	if (!at)
		return err_nomem(err);
	f->v[f->n] = (struct an_fence){
		.context = (uint32_t)e->n[AN_GPU_CONTEXT],
		.seqno = (uint32_t)e->n[AN_GPU_SEQNO],
		.seen = e->time, .maker = AN_NONE, .signaler = AN_NONE,
		.maker_thread = AN_NONE, .job = AN_NONE, .older = *at,
	};
	*id = *at = (uint32_t)f->n++;
	return 0;
}

static int fence_of(struct an_fences *f, const struct an_gpu_event *e,
		    uint32_t *id, struct err *err)
{
	return map64_get(&f->index, an_gpu_fence_key(e), id) ?
		       0 : new_fence(f, e, id, err);
}

/* xe tells of its own fence right behind the general row. */
static bool is_new(const struct an_fences *f, const struct an_gpu_event *e)
{
	uint32_t id;

	return e->role == AN_GPU_FENCE_INIT ||
	       (e->role == AN_GPU_XE_FENCE_CREATE &&
		map64_get(&f->index, an_gpu_fence_key(e), &id) &&
		f->v[id].signaled);
}

static void learn_names(const struct build *b, struct an_fence *f,
			const struct an_gpu_event *e)
{
	if (span_is(an_string(b->t, e->t[AN_GPU_DRIVER]), "detached-driver"))
		return;
	if (e->t[AN_GPU_DRIVER])
		f->driver = e->t[AN_GPU_DRIVER];
	if (e->t[AN_GPU_TIMELINE])
		f->timeline = e->t[AN_GPU_TIMELINE];
}

static void made(struct an_fence *f, const struct an_gpu_event *e)
{
	if (f->made)
		return;
	f->made = e->time;
	f->maker = e->task;
	f->maker_thread = e->thread;
}

static void signaled(struct an_fence *f, const struct an_gpu_event *e)
{
	if (f->signaled)
		return;
	f->signaled = e->time;
	f->signaler = e->task;
	f->in_interrupt = e->in_interrupt;
}

int an_fences_add_wait(struct an_fences *f, const struct an_wait *w,
		       struct err *err)
{
	if (!mem_grow(&f->waits, &f->waits_cap, f->n_waits + 1,
		      sizeof(*f->waits)))
		return err_nomem(err);
	f->waits[f->n_waits++] = *w;
	return 0;
}

static struct an_wait wait_of(const struct an_gpu_event *e, uint32_t fence)
{
	return (struct an_wait){
		.kind = e->role == AN_GPU_I915_WAIT_BEGIN ||
			e->role == AN_GPU_I915_WAIT_END ? AN_WAIT_DRIVER :
							  AN_WAIT_EVENTS,
		.fence = fence, .task = e->task, .thread = e->thread,
		.cpu = e->cpu, .ip = e->ip, .kstack = e->kstack,
		.ustack = e->ustack, .flags = e->flags,
	};
}

static struct an_wait *open_wait(struct build *b, uint32_t task)
{
	return task < b->n_tasks && b->open[task] ?
		       &b->f->waits[b->open[task] - 1] : NULL;
}

/* A driver's pair lies inside the general one where a wait has both. */
static int wait_begins(struct build *b, const struct an_gpu_event *e,
		       uint32_t fence, struct err *err)
{
	const struct an_wait *open = open_wait(b, e->task);
	struct an_wait w = wait_of(e, fence);
	int rc;

	if (open && w.kind == AN_WAIT_DRIVER && open->fence == fence)
		return 0;
	w.from = e->time;
	rc = an_fences_add_wait(b->f, &w, err);
	if (!rc && e->task < b->n_tasks)
		b->open[e->task] = (uint32_t)b->f->n_waits;
	return rc;
}

static int wait_ends(struct build *b, const struct an_gpu_event *e,
		     uint32_t fence, struct err *err)
{
	struct an_wait *open = open_wait(b, e->task);
	struct an_wait w = wait_of(e, fence);

	if (open && open->fence == fence) {
		if (open->kind != w.kind)
			return 0;
		open->to = e->time;
		b->open[e->task] = 0;
		return 0;
	}
	w.to = e->time;
	return an_fences_add_wait(b->f, &w, err);
}

static bool is_of_fence(enum an_gpu_role role)
{
	return (role >= AN_GPU_FENCE_INIT && role <= AN_GPU_FENCE_DESTROY) ||
	       role == AN_GPU_I915_WAIT_BEGIN || role == AN_GPU_I915_WAIT_END ||
	       role == AN_GPU_XE_FENCE_CREATE || role == AN_GPU_XE_FENCE_SIGNAL;
}

static int take(struct build *b, const struct an_gpu_event *e, struct err *err)
{
	uint32_t id = 0;
	int rc;

	if (!is_of_fence(e->role))
		return 0;
	b->f->events++;
	rc = is_new(b->f, e) ? new_fence(b->f, e, &id, err) :
			       fence_of(b->f, e, &id, err);
	if (rc)
		return rc;
	learn_names(b, &b->f->v[id], e);
	switch (e->role) {
	case AN_GPU_FENCE_INIT:
	case AN_GPU_FENCE_EMIT:
	case AN_GPU_XE_FENCE_CREATE:
		made(&b->f->v[id], e);
		break;
	case AN_GPU_FENCE_SIGNALED:
	case AN_GPU_XE_FENCE_SIGNAL:
		signaled(&b->f->v[id], e);
		break;
	case AN_GPU_FENCE_WAIT_START:
	case AN_GPU_I915_WAIT_BEGIN:
		return wait_begins(b, e, id, err);
	case AN_GPU_FENCE_WAIT_END:
	case AN_GPU_I915_WAIT_END:
		return wait_ends(b, e, id, err);
	default:
		break;
	}
	return 0;
}

/* Until it is known what of it is not in the trace, by what is. */
static uint64_t seen(const struct an_wait *w)
{
	return w->since ? w->since : w->from ? w->from : w->to;
}

static int by_begin(const void *a, const void *b)
{
	const struct an_wait *x = a, *y = b;
	uint64_t p = seen(x), q = seen(y);

	return p != q ? CMP(p, q) : CMP(x->task, y->task);
}

static int by_task(const void *a, const void *b, void *ctx)
{
	const struct an_wait *v = ctx;
	const struct an_wait *x = &v[*(const uint32_t *)a];
	const struct an_wait *y = &v[*(const uint32_t *)b];

	return x->task != y->task ? CMP(x->task, y->task) : CMP(x, y);
}

int an_fences_order(struct an_fences *f, struct err *err)
{
	if (f->n_waits)
		qsort(f->waits, f->n_waits, sizeof(*f->waits), by_begin);
	free(f->by_task);
	f->by_task = calloc(f->n_waits + 1, sizeof(*f->by_task));
	if (!f->by_task)
		return err_nomem(err);
	for (uint32_t i = 0; i < f->n_waits; i++)
		f->by_task[i] = i;
	if (f->n_waits)
		qsort_r(f->by_task, f->n_waits, sizeof(*f->by_task), by_task,
			f->waits);
	return 0;
}

static bool is_over(const struct an_wait *w, uint64_t time)
{
	return w->until <= time;
}

uint32_t an_fences_wait_at(const struct an_fences *f, uint32_t task,
			   uint64_t time)
{
	size_t low = 0, high = f->n_waits;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct an_wait *w = &f->waits[f->by_task[mid]];

		if (w->task < task || (w->task == task && is_over(w, time)))
			low = mid + 1;
		else
			high = mid;
	}
	if (low == f->n_waits || f->waits[f->by_task[low]].task != task)
		return AN_NONE;
	return f->by_task[low];
}

uint64_t an_wait_ready(const struct an_fences *f, const struct an_wait *w)
{
	uint64_t signaled = w->fence == AN_NONE ? 0 :
			    f->v[w->fence].signaled;

	if (signaled && signaled < w->since)
		signaled = w->since;
	return signaled && signaled < w->until ? signaled : w->until;
}

int an_fences_make(struct an_fences *out, const struct an_trace *t,
		   const struct an_gpu_events *events, size_t n_tasks,
		   struct err *err)
{
	struct build b = { .f = out, .t = t, .n_tasks = n_tasks };
	int rc = 0;

	*out = (struct an_fences){ 0 };
	b.open = calloc(n_tasks + 1, sizeof(*b.open));
	if (!b.open)
		return err_nomem(err);
	rc = an_samples_bounds(t, &out->t_min, &out->t_max, err);
	rc = rc < 0 ? rc : 0;
	for (size_t i = 0; i < events->n && !rc; i++)
		rc = take(&b, &events->v[i], err);
	free(b.open);
	return rc ? rc : an_fences_order(out, err);
}

void an_fences_fini(struct an_fences *f)
{
	free(f->v);
	free(f->waits);
	free(f->by_task);
	map64_fini(&f->index);
	*f = (struct an_fences){ 0 };
}

uint32_t an_fences_find(const struct an_fences *f, uint64_t key, uint64_t time)
{
	uint32_t id;

	if (!map64_get(&f->index, key, &id))
		return AN_NONE;
	while (f->v[id].seen > time && f->v[id].older != AN_NONE)
		id = f->v[id].older;
	return id;
}
