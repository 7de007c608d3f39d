#include "analyze/gpu/waits.h"

#include "analyze/lengths.h"
#include "analyze/selection/spots.h"

#include "format/base/intern.h"
#include "format/base/map64.h"
#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>

struct sums {
	struct an_wait_groups *to;
	const struct an_gpu *g;
	struct intern keys;
	struct an_lengths lengths;
};

bool an_wait_is_selected(const struct an_gpu *g, const struct an_wait *w,
			 const struct an_selection *sel)
{
	const struct an_spot spot = { w->ip, w->kstack, w->ustack, w->flags };

	if (!sel || !sel->any)
		return true;
	return w->since <= sel->t_max && w->until >= sel->t_min &&
	       an_selection_has(sel, g->t, w->thread, w->cpu, &spot);
}

static int group_of(struct sums *s, uint32_t wait, uint32_t *group,
		    struct err *err)
{
	const struct an_wait *w = &s->g->fences.waits[wait];
	const struct an_fence *f = w->fence == AN_NONE ? NULL :
				   &s->g->fences.v[w->fence];
	struct an_wait_group made = {
		.thread = w->thread, .driver = f ? f->driver : 0,
		.timeline = f ? f->timeline : 0, .kind = w->kind,
		.kstack = w->kstack, .ustack = w->ustack, .first = wait,
	};
	const uint32_t key[] = { made.thread, made.driver, made.timeline,
				 made.kind, made.kstack, made.ustack };
	struct an_wait_groups *to = s->to;
	bool is_new;

	if (!mem_grow(&to->v, &to->cap, to->n + 1, sizeof(*to->v)) ||
	    !intern_put(&s->keys, key, sizeof(key), group, &is_new))
		return err_nomem(err);
	if (is_new)
		to->v[to->n++] = made;
	return 0;
}

static bool is_unsignaled(const struct an_gpu *g, const struct an_wait *w)
{
	return !w->to && w->fence != AN_NONE &&
	       !g->fences.v[w->fence].signaled;
}

static int add(struct sums *s, const struct an_wait *w, uint32_t group,
	       struct err *err)
{
	struct an_wait_group *g = &s->to->v[group];
	uint64_t ns = an_wait_ns(w);

	g->total_ns += ns;
	if (!w->to) {
		g->in_flight++;
		g->unsignaled += is_unsignaled(s->g, w);
		if (is_unsignaled(s->g, w) && ns > g->open_ns)
			g->open_ns = ns;
	} else if (!w->from) {
		g->no_begin++;
	} else {
		g->waits++;
		return an_lengths_add(&s->lengths, group, ns, err);
	}
	return 0;
}

static void put_quantiles(struct sums *s)
{
	struct an_quantiles q;
	uint32_t group;
	size_t at = 0;

	an_lengths_sort(&s->lengths);
	while (an_lengths_next(&s->lengths, &at, &group, &q)) {
		struct an_wait_group *g = &s->to->v[group];

		g->p50_ns = q.p50_ns;
		g->p95_ns = q.p95_ns;
		g->p99_ns = q.p99_ns;
		g->max_ns = q.max_ns;
	}
}

static int by_weight(const void *a, const void *b)
{
	const struct an_wait_group *x = a, *y = b;

	if (an_wait_group_is_stuck(x) != an_wait_group_is_stuck(y))
		return an_wait_group_is_stuck(x) ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return CMP(y->total_ns, x->total_ns);
	return CMP(x->first, y->first);
}

int an_wait_groups_make(struct an_wait_groups *out, const struct an_gpu *g,
			const struct an_selection *sel, struct err *err)
{
	struct sums s = { .to = out, .g = g };
	int rc = 0;

	*out = (struct an_wait_groups){ 0 };
	for (uint32_t i = 0; i < g->fences.n_waits && !rc; i++) {
		uint32_t group = 0;

		if (!an_wait_is_selected(g, &g->fences.waits[i], sel))
			continue;
		rc = group_of(&s, i, &group, err);
		if (!rc)
			rc = add(&s, &g->fences.waits[i], group, err);
	}
	if (!rc) {
		put_quantiles(&s);
		if (out->n)
			qsort(out->v, out->n, sizeof(*out->v), by_weight);
	}
	intern_fini(&s.keys);
	an_lengths_fini(&s.lengths);
	return rc;
}

void an_wait_groups_fini(struct an_wait_groups *w)
{
	free(w->v);
	*w = (struct an_wait_groups){ 0 };
}

static bool is_counted(const struct an_gpu_event *e,
		       const struct an_selection *sel)
{
	if (e->role < AN_GPU_FENCE_INIT || e->role > AN_GPU_FENCE_DESTROY)
		return false;
	return !sel || !sel->any ||
	       (e->time >= sel->t_min && e->time <= sel->t_max &&
		an_selection_has_thread(sel, e->thread, e->cpu));
}

static int by_rows(const void *a, const void *b)
{
	const struct an_fence_count *x = a, *y = b;

	if (x->rows != y->rows)
		return CMP(y->rows, x->rows);
	return x->role != y->role ? CMP(x->role, y->role) :
				    CMP(x->comm, y->comm);
}

int an_fence_counts_make(struct an_fence_counts *out, const struct an_gpu *g,
			 const struct an_selection *sel, struct err *err)
{
	struct map64 index = { 0 };
	int rc = 0;

	*out = (struct an_fence_counts){ 0 };
	for (size_t i = 0; i < g->events.n && !rc; i++) {
		const struct an_gpu_event *e = &g->events.v[i];
		uint32_t comm = an_thread_of(g->t, e->thread)->comm, *at;
		bool is_new = false;

		if (!is_counted(e, sel))
			continue;
		at = map64_put(&index, map64_pair(comm, e->role),
			       (uint32_t)out->n, &is_new);
		if (!at || !mem_grow(&out->v, &out->cap, out->n + 1,
				     sizeof(*out->v))) {
			rc = err_nomem(err);
			break;
		}
		if (is_new)
			out->v[out->n++] = (struct an_fence_count){
				comm, e->role, 0 };
		out->v[*at].rows++;
		out->total++;
	}
	map64_fini(&index);
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_rows);
	return rc;
}

void an_fence_counts_fini(struct an_fence_counts *c)
{
	free(c->v);
	*c = (struct an_fence_counts){ 0 };
}
