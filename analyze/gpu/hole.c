#include "analyze/gpu/hole.h"

#include "analyze/gpu/lack.h"

#include "format/base/mem.h"

#include <stdlib.h>

/* A row of the kind, or one that never comes without such a row. */
struct moment { uint64_t time; bool own; };

struct find {
	const struct an_gpu *g;
	struct moment *v;
	size_t n, cap;
	bool in_order;
};

static int tell(struct find *f, uint64_t time, bool own, struct err *err)
{
	if (!mem_grow(&f->v, &f->cap, f->n + 1, sizeof(*f->v)))
		return err_nomem(err);
	if (f->n && f->v[f->n - 1].time > time)
		f->in_order = false;
	f->v[f->n++] = (struct moment){ time, own };
	return 0;
}

/* -- What never comes without what ------------------------------------------*/

static uint32_t fence_of(const struct an_gpu *g, const struct an_gpu_event *e)
{
	return an_fences_find(&g->fences, an_gpu_fence_key(e), e->time);
}

static bool has_vblanks(const struct an_gpu *g, uint64_t crtc)
{
	for (size_t i = 0; i < g->heads.n_heads; i++)
		if (g->heads.heads[i].crtc == crtc)
			return true;
	return false;
}

/* What is shown is shown at a vblank. */
static bool needs_vblank(const struct an_gpu *g, const struct an_gpu_event *e)
{
	return e->role == AN_GPU_VBLANK_DELIVERED && e->n[AN_GPU_FILE] &&
	       e->n[AN_GPU_SEQ] && has_vblanks(g, e->n[AN_GPU_CRTC]) &&
	       an_heads_find(&g->heads, (uint32_t)e->n[AN_GPU_CRTC],
			     (uint32_t)e->n[AN_GPU_SEQ], e->time) == AN_NONE;
}

/* A job gets its fences before it is queued. */
static bool needs_init(const struct an_gpu *g, const struct an_gpu_event *e)
{
	uint32_t fence;

	if (e->role != AN_GPU_FENCE_SIGNALED)
		return e->role == AN_GPU_JOB_QUEUE;
	fence = fence_of(g, e);
	return fence != AN_NONE && !g->fences.v[fence].made;
}

/* With a job its fence is signalled, and a fence is not given up before. */
static bool needs_signal(const struct an_gpu *g, const struct an_gpu_event *e)
{
	uint32_t fence;

	if (e->role != AN_GPU_FENCE_DESTROY)
		return e->role == AN_GPU_JOB_DONE;
	fence = fence_of(g, e);
	return fence != AN_NONE && g->fences.v[fence].made &&
	       !g->fences.v[fence].signaled;
}

typedef bool needs_fn(const struct an_gpu *g, const struct an_gpu_event *e);

static int by_events(struct find *f, enum an_gpu_role a, enum an_gpu_role b,
		     needs_fn *needs, struct err *err)
{
	const struct an_gpu_events *all = &f->g->events;
	int rc = 0;

	for (size_t i = 0; i < all->n && !rc; i++) {
		const struct an_gpu_event *e = &all->v[i];

		if (e->role == a || e->role == b)
			rc = tell(f, e->time, true, err);
		else if (needs(f->g, e))
			rc = tell(f, e->time, false, err);
	}
	return rc;
}

static int vblanks(struct find *f, struct err *err)
{
	return by_events(f, AN_GPU_VBLANK, AN_GPU_VBLANK, needs_vblank, err);
}

static int inits(struct find *f, struct err *err)
{
	return by_events(f, AN_GPU_FENCE_INIT, AN_GPU_XE_FENCE_CREATE,
			 needs_init, err);
}

static int signals(struct find *f, struct err *err)
{
	return by_events(f, AN_GPU_FENCE_SIGNALED, AN_GPU_XE_FENCE_SIGNAL,
			 needs_signal, err);
}

/* By task: it shows frames. */
static bool *clients_of(const struct an_gpu *g)
{
	bool *shows = calloc(g->tasks.n + 1, sizeof(*shows));

	for (size_t i = 0; shows && i < g->clients.n_clients; i++)
		if (g->clients.clients[i].task < g->tasks.n)
			shows[g->clients.clients[i].task] = true;
	return shows;
}

/* Who is told of its flips goes on flipping. */
static int deliveries(struct find *f, struct err *err)
{
	const struct an_gpu *g = f->g;
	bool *shows = clients_of(g);
	int rc = shows ? 0 : err_nomem(err);

	for (size_t i = 0; i < g->clients.n && !rc; i++)
		rc = tell(f, g->clients.v[i].time, true, err);
	for (size_t i = 0; i < g->calls.n && !rc; i++) {
		const struct an_syscall *c = &g->calls.v[i];

		if (an_syscall_flips(c) && c->task < g->tasks.n &&
		    shows[c->task])
			rc = tell(f, c->from, false, err);
	}
	free(shows);
	return rc;
}

/* A thread is in one wait at a time. */
static int edges(struct find *f, bool begins, struct err *err)
{
	const struct an_gpu_events *all = &f->g->events;
	size_t n = f->g->tasks.n;
	bool *open = calloc(n + 1, sizeof(*open));
	int rc = open ? 0 : err_nomem(err);

	for (size_t i = 0; i < all->n && !rc; i++) {
		const struct an_gpu_event *e = &all->v[i];
		bool begin = e->role == AN_GPU_FENCE_WAIT_START;

		if ((!begin && e->role != AN_GPU_FENCE_WAIT_END) ||
		    e->task >= n)
			continue;
		if (begin == begins)
			rc = tell(f, e->time, true, err);
		else if (open[e->task] == begin)
			rc = tell(f, e->time, false, err);
		open[e->task] = begin;
	}
	free(open);
	return rc;
}

static int wait_begins(struct find *f, struct err *err)
{
	return edges(f, true, err);
}

static int wait_ends(struct find *f, struct err *err)
{
	return edges(f, false, err);
}

/* What was handed over had been submitted. */
static int submits(struct find *f, struct err *err)
{
	const struct an_jobs *j = &f->g->jobs;
	int rc = 0;

	for (size_t i = 0; i < j->n && !rc; i++)
		if (j->v[i].submit)
			rc = tell(f, j->v[i].submit, true, err);
		else if (j->v[i].run)
			rc = tell(f, j->v[i].run, false, err);
	return rc;
}

/* What ended had been handed over. */
static int runs(struct find *f, struct err *err)
{
	const struct an_jobs *j = &f->g->jobs;
	int rc = 0;

	for (size_t i = 0; i < j->n && !rc; i++)
		if (j->v[i].run && !j->v[i].guessed_run)
			rc = tell(f, j->v[i].run, true, err);
		else if (j->v[i].end)
			rc = tell(f, j->v[i].end, false, err);
	return rc;
}

/* Who is woken gets a CPU. */
static int switches(struct find *f, struct err *err)
{
	struct an_sched_told r;
	int rc = 0;

	for (size_t i = 0; !rc && an_sched_next_told(f->g->sched, &i, &r);)
		rc = tell(f, r.time, r.is_switch, err);
	return rc;
}

/* Who was blocked gets a CPU when he is woken. */
static int wakeups(struct find *f, struct err *err)
{
	size_t n = f->g->tasks.n;
	bool *blocked = calloc(n + 1, sizeof(*blocked));
	struct an_sched_told r;
	int rc = blocked ? 0 : err_nomem(err);

	for (size_t i = 0; !rc && an_sched_next_told(f->g->sched, &i, &r);) {
		if (!r.is_switch)
			rc = tell(f, r.time, true, err);
		else if (r.task < n && blocked[r.task])
			rc = tell(f, r.time, false, err);
		if (r.task < n)
			blocked[r.task] = false;
		if (r.left < n)
			blocked[r.left] = r.blocks;
	}
	free(blocked);
	return rc;
}

/* A wake-up is done that was asked for. */
static int wakings(struct find *f, struct err *err)
{
	struct an_sched_told r;
	int rc = 0;

	for (size_t i = 0; !rc && an_sched_next_told(f->g->sched, &i, &r);)
		if (!r.is_switch)
			rc = tell(f, r.time, !r.is_done, err);
	return rc;
}

static const struct {
	enum an_lack what;
	int (*tell)(struct find *f, struct err *err);
} rules[] = {
	{ AN_LACKS_SWITCHES, switches }, { AN_LACKS_WAKEUPS, wakeups },
	{ AN_LACKS_WAKINGS, wakings }, { AN_LACKS_VBLANKS, vblanks },
	{ AN_LACKS_DELIVERIES, deliveries },
	{ AN_LACKS_WAIT_BEGINS, wait_begins },
	{ AN_LACKS_WAIT_ENDS, wait_ends }, { AN_LACKS_INITS, inits },
	{ AN_LACKS_SIGNALS, signals }, { AN_LACKS_SUBMITS, submits },
	{ AN_LACKS_RUNS, runs },
};
_Static_assert(ARRAY_LEN(rules) <= AN_MAX_HOLES, "one of each kind");

/* -- Where ------------------------------------------------------------------*/

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return CMP(x->time, y->time);
}

/* Since the row of the kind before: those that would need one. */
struct run { uint64_t since, first, last; size_t n; };

static int end_run(struct an_hole *h, struct an_gpu *g, const struct run *r,
		   uint64_t to, struct err *err)
{
	if (r->n < AN_HOLE_ROWS || r->last - r->first < AN_HOLE_NS)
		return 0;
	if (!h->n++)
		h->from = r->since;
	h->ns += to - r->since;
	return an_lossy_add(&g->lossy, r->since, to, err);
}

static int judge(struct an_hole *h, struct an_gpu *g, struct find *f,
		 struct err *err)
{
	struct run r = { .since = g->fences.t_min };
	int rc = 0;

	if (f->n && !f->in_order)
		qsort(f->v, f->n, sizeof(*f->v), by_time);
	for (size_t i = 0; i < f->n && !rc; i++) {
		uint64_t time = f->v[i].time;

		if (f->v[i].own) {
			rc = end_run(h, g, &r, time, err);
			r = (struct run){ .since = time };
			continue;
		}
		if (!r.n++)
			r.first = time;
		r.last = time;
	}
	if (!rc && r.n)
		rc = end_run(h, g, &r, r.last > g->fences.t_max ? r.last :
			     g->fences.t_max, err);
	return rc;
}

static bool may_have_holes(const struct an_gpu *g, enum an_lack what)
{
	return !an_gpu_lacks(g, what) &&
	       (g->sched || (what != AN_LACKS_SWITCHES &&
			     what != AN_LACKS_WAKEUPS &&
			     what != AN_LACKS_WAKINGS));
}

int an_holes_find(struct an_gpu *g, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(rules) && !rc; i++) {
		struct find f = { .g = g, .in_order = true };
		struct an_hole h = { .what = rules[i].what };

		if (!may_have_holes(g, rules[i].what))
			continue;
		rc = rules[i].tell(&f, err);
		if (!rc)
			rc = judge(&h, g, &f, err);
		if (h.n)
			g->holes.v[g->holes.n++] = h;
		free(f.v);
	}
	return rc;
}
