#include "analyze/gpu/contrary.h"

#include "analyze/gpu/lack.h"
#include "analyze/gpu/model.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Vblanks around a delivery, and how near it is to its own. */
#define AROUND_NS 500000000u
#define OWN_NS 100000000u
/* Deliveries come right before the row of their vblank. */
#define NEAR_NS 1000000u
/* How far around a row the switches of its thread are looked for, and what is
 * right beside one: clocks of two CPUs differ by less. */
#define AWAY_NS 10000000000u
#define BESIDE_NS 10000u

/* Vblanks on both sides of it: the display had its interrupt on. */
static bool is_among_vblanks(const struct an_gpu *g, uint64_t crtc,
			     uint64_t time)
{
	for (uint32_t i = 0; i < g->heads.n_heads; i++) {
		const struct an_head *h = &g->heads.heads[i];
		size_t next = an_head_after(&g->heads, i, time);

		if (h->crtc == crtc && next > h->first && next < h->end &&
		    time - an_head_vblank(&g->heads, next - 1)->time <
			    AROUND_NS &&
		    an_head_vblank(&g->heads, next)->time - time < AROUND_NS)
			return true;
	}
	return false;
}

static bool is_of_another(const struct an_gpu *g, uint32_t seq, uint64_t time)
{
	for (size_t i = 0; i < g->heads.n_heads; i++)
		if (an_heads_find(&g->heads, g->heads.heads[i].crtc, seq,
				  time) != AN_NONE)
			return true;
	return false;
}

/* Of differences, too, which may be below 0. */
static uint64_t distance(uint64_t a, uint64_t b)
{
	return a - b > INT64_MAX ? b - a : a - b;
}

/* *at is when it would have been, or was. */
static bool is_contrary(const struct an_gpu *g, const struct an_gpu_event *e,
			uint64_t *at)
{
	uint32_t crtc = (uint32_t)e->n[AN_GPU_CRTC];
	uint32_t seq = (uint32_t)e->n[AN_GPU_SEQ];
	uint32_t vblank = an_heads_find(&g->heads, crtc, seq, e->time);

	*at = e->time;
	if (vblank == AN_NONE)
		return seq && (is_among_vblanks(g, crtc, e->time) ||
			       is_of_another(g, seq, e->time));
	*at = g->heads.v[vblank].told;
	return distance(*at, e->time) > OWN_NS;
}

static int find_deliveries(struct an_gpu *g, struct err *err)
{
	uint64_t at;
	int rc = 0;

	for (size_t i = 0; i < g->events.n && !rc; i++) {
		const struct an_gpu_event *e = &g->events.v[i];

		if (e->role != AN_GPU_VBLANK_DELIVERED ||
		    !is_contrary(g, e, &at))
			continue;
		g->contraries.deliveries++;
		rc = an_lossy_add(&g->lossy, e->time, e->time + 1, err);
		if (!rc)
			rc = an_lossy_add(&g->lossy, at, at + 1, err);
	}
	return rc;
}

/* Vblanks are told soon. The clock of the rows may be another one: those before
 * and after it are as far apart as each other, and not as it. */
static bool is_far_off(const struct an_heads *h, size_t i)
{
	uint64_t before, own, after;

	if (!i || i + 1 >= h->n)
		return false;
	before = h->v[i - 1].told - h->v[i - 1].time;
	own = h->v[i].told - h->v[i].time;
	after = h->v[i + 1].told - h->v[i + 1].time;
	return distance(before, after) <= OWN_NS &&
	       distance(before, own) > OWN_NS && distance(after, own) > OWN_NS;
}

static int find_vblanks(struct an_gpu *g, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < g->heads.n && !rc; i++) {
		const struct an_vblank *v = &g->heads.v[i];
		uint64_t other;

		if (!is_far_off(&g->heads, i))
			continue;
		g->contraries.vblanks++;
		rc = an_lossy_add(&g->lossy, v[-1].told, v[1].told + 1, err);
		/* By its time it was told there. */
		other = v->time + (v[-1].told - v[-1].time);
		if (!rc)
			rc = an_lossy_add(&g->lossy, other - NEAR_NS,
					  other + NEAR_NS, err);
	}
	return rc;
}

/* A job's fence is made by who submits it, right before. */
static bool has_two_submitters(const struct an_gpu *g, const struct an_job *j)
{
	const struct an_fence *f = j->fence == AN_NONE ? NULL :
				   &g->fences.v[j->fence];

	return f && j->submit && j->task != AN_NONE && f->maker != AN_NONE &&
	       f->maker != j->task && f->made <= j->submit &&
	       span_is(an_string(g->t, f->driver), "drm_sched");
}

static int find_jobs(struct an_gpu *g, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < g->jobs.n && !rc; i++) {
		const struct an_job *j = &g->jobs.v[i];
		bool two = has_two_submitters(g, j);

		if (!two && !j->odd_runner)
			continue;
		g->contraries.submitters += two;
		g->contraries.runners += j->odd_runner;
		rc = an_lossy_add(&g->lossy, j->seen,
				  (j->end ? j->end : j->seen) + 1, err);
	}
	return rc;
}

/* -- Threads that had no CPU, and did something all the same: a switch is missing.
 * -------------------------------------------------------------------------- */

struct absent {
	struct an_gpu *g;
	uint64_t *until;   /* by task: known to be wrong up to there */
};

static bool is_away(const struct an_gpu *g, uint32_t task, uint64_t time)
{
	struct an_state_walk w;
	struct an_stretch s;

	an_state_walk(&w, g->sched, task, time, time + 1);
	return an_state_next(&w, &s) && (s.state == AN_STATE_WAITING ||
					 s.state == AN_STATE_BLOCKED);
}

/* Its own switches stand on both sides of it: not right beside them. */
static int mark_away(struct absent *a, uint32_t task, uint64_t time,
		     struct err *err)
{
	uint64_t from = time > AWAY_NS ? time - AWAY_NS : 0;
	struct an_state_walk w;
	struct an_stretch s = { 0 };

	an_state_walk(&w, a->g->sched, task, from, time + AWAY_NS);
	while (an_state_next(&w, &s) && s.to <= time)
		;
	if (s.to <= time)
		return 0;
	a->g->contraries.absentees++;
	a->until[task] = s.to;
	return an_lossy_add(&a->g->lossy, s.from, s.to + 1, err);
}

static int was_there(struct absent *a, uint32_t task, uint64_t time,
		     struct err *err)
{
	if (!time || task >= a->g->tasks.n || time < a->until[task] ||
	    an_task_is_idle(&a->g->tasks, task))
		return 0;
	if (!is_away(a->g, task, time - BESIDE_NS) ||
	    !is_away(a->g, task, time) ||
	    !is_away(a->g, task, time + BESIDE_NS))
		return 0;
	return mark_away(a, task, time, err);
}

static int find_absentees(struct an_gpu *g, struct err *err)
{
	struct absent a = { g, calloc(g->tasks.n + 1, sizeof(*a.until)) };
	int rc = a.until ? 0 : err_nomem(err);

	for (size_t i = 0; i < g->events.n && !rc; i++)
		rc = was_there(&a, g->events.v[i].task, g->events.v[i].time,
			       err);
	if (!rc) /* the calls begin anew, by their time */
		memset(a.until, 0, g->tasks.n * sizeof(*a.until));
	for (size_t i = 0; i < g->calls.n && !rc; i++) {
		const struct an_syscall *c = &g->calls.v[i];

		rc = was_there(&a, c->task, c->from, err);
		if (!rc)
			rc = was_there(&a, c->task, c->to, err);
	}
	free(a.until);
	return rc;
}

/* Who waited for it is woken right after. */
static int find_signals(struct an_gpu *g, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < g->jobs.n && !rc; i++) {
		const struct an_job *j = &g->jobs.v[i];

		if (!j->unsignaled ||
		    g->fences.t_max - j->end < AN_SIGNAL_WAKES_NS)
			continue;
		g->contraries.signals++;
		rc = an_lossy_add(&g->lossy, j->end,
				  j->end + AN_SIGNAL_WAKES_NS, err);
	}
	return rc;
}

int an_contraries_find(struct an_gpu *g, struct err *err)
{
	int rc = find_deliveries(g, err);

	if (!rc)
		rc = find_vblanks(g, err);
	if (!rc)
		rc = find_jobs(g, err);
	if (!rc && g->sched && an_sched_has_switches(g->sched))
		rc = find_absentees(g, err);
	if (!rc && !an_gpu_lacks(g, AN_LACKS_SIGNALS))
		rc = find_signals(g, err);
	return rc;
}

bool an_contrary_text(const struct an_contraries *c, unsigned kind,
		      char to[AN_CONTRARY_TEXT])
{
	const struct { uint64_t n; const char *what; } kinds[] = {
		{ c->deliveries, "the vblanks of some frames: no "
		  "drm_vblank_event where drm_vblank_event_delivered says" },
		{ c->vblanks, "when vblanks were: the time in drm_vblank_event "
		  "is far from when it was told" },
		{ c->runners, "who handed over jobs: drm_sched_job_run or "
		  "drm_run_job is not of the thread of its ring" },
		{ c->submitters, "who submitted jobs: drm_sched_job_queue or "
		  "drm_sched_job is not of the thread of dma_fence_init" },
		{ c->absentees, "what threads did: rows of some that had no CPU "
		  "by sched_switch" },
		{ c->signals, "when some fences were signalled: no "
		  "dma_fence_signaled where their job ended" },
	};

	_Static_assert(ARRAY_LEN(kinds) == AN_N_CONTRARIES, "one text each");
	if (!kinds[kind].n)
		return false;
	snprintf(to, AN_CONTRARY_TEXT, "%s (%" PRIu64 ")", kinds[kind].what,
		 kinds[kind].n);
	return true;
}
