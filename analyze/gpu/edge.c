#include "analyze/gpu/edge.h"

#include "analyze/gpu/lack.h"

static bool has_begins(const struct an_gpu *g)
{
	return !an_gpu_lacks(g, AN_LACKS_WAIT_BEGINS);
}

static bool has_ends(const struct an_gpu *g)
{
	return !an_gpu_lacks(g, AN_LACKS_WAIT_ENDS);
}

static uint64_t signal_of(const struct an_gpu *g, const struct an_wait *w)
{
	return w->fence == AN_NONE ? 0 : g->fences.v[w->fence].signaled;
}

/* Whether the signal of its fence ended that a thread was blocked. */
static bool was_for_it(const struct an_gpu *g, const struct an_wait *w,
		       const struct an_stretch *i)
{
	uint64_t signaled = signal_of(g, w), end = i->woken ? i->woken : i->to;

	return signaled >= i->from && signaled <= end &&
	       end - signaled <= AN_SIGNAL_WAKES_NS;
}

/* It lasted at least while the thread was blocked for it last. Of one that is
 * the first of its thread, which was not blocked since the trace began, the
 * begin is before that. */
static uint64_t begin_of(const struct an_gpu *g, const struct an_wait *w,
			 uint64_t after)
{
	struct an_stretch i, blocked = { .state = AN_STATE_UNKNOWN };
	struct an_state_walk walk;

	if (g->sched) {
		an_state_walk(&walk, g->sched, w->task, after, w->to);
		while (an_state_next(&walk, &i))
			if (i.state == AN_STATE_BLOCKED)
				blocked = i;
	}
	if (blocked.state == AN_STATE_BLOCKED)
		return was_for_it(g, w, &blocked) ? blocked.from : w->to;
	return after == g->fences.t_min && has_begins(g) ? after : w->to;
}

/* Without a signal it may have ended at once, but if it is the last of its
 * thread. */
static uint64_t end_of(const struct an_gpu *g, const struct an_wait *w,
		       uint64_t before, bool is_last)
{
	uint64_t signaled = signal_of(g, w);

	if (!signaled)
		return is_last && has_ends(g) ? before : w->from;
	if (signaled < w->from)
		signaled = w->from;
	return signaled < before ? signaled : before;
}

int an_waits_edges(struct an_gpu *g, struct err *err)
{
	struct an_fences *f = &g->fences;
	const struct an_wait *last = NULL;

	for (size_t i = 0; i < f->n_waits; i++) {
		struct an_wait *w = &f->waits[f->by_task[i]];
		const struct an_wait *next = i + 1 < f->n_waits ?
			&f->waits[f->by_task[i + 1]] : NULL;
		bool is_last = !next || next->task != w->task;
		uint64_t after = last && last->task == w->task ?
					 last->until : f->t_min;
		uint64_t before = is_last    ? f->t_max :
				  next->from ? next->from : next->to;

		w->since = w->from ? w->from : begin_of(g, w, after);
		w->until = w->to ? w->to : end_of(g, w, before, is_last);
		last = w;
	}
	return an_fences_order(f, err);
}
