#include "analyze/gpu/why.h"

#include "analyze/gpu/lack.h"

#include "format/base/mem.h"

const char *an_cause_name(enum an_cause c)
{
	static const char *const names[AN_N_CAUSES] = {
		[AN_CAUSE_UNKNOWN] = "unknown",
		[AN_CAUSE_CPU] = "cpu",
		[AN_CAUSE_RUNQ] = "run-queue",
		[AN_CAUSE_BLOCKED] = "blocked",
		[AN_CAUSE_ASLEEP] = "asleep",
		[AN_CAUSE_GPU] = "gpu",
		[AN_CAUSE_QUEUE] = "queue",
		[AN_CAUSE_DEPENDENCY] = "dependency",
		[AN_CAUSE_FENCE] = "fence",
		[AN_CAUSE_SCANOUT] = "scanout",
		[AN_CAUSE_COMMIT] = "commit",
		[AN_CAUSE_READY] = "missed-though-ready",
	};

	return names[c];
}

const char *an_confidence_name(enum an_confidence c)
{
	static const char *const names[] = { "low", "medium", "high" };

	return names[c];
}

static uint64_t overlap(uint64_t a, uint64_t b, uint64_t from, uint64_t to)
{
	uint64_t low = a > from ? a : from, high = b < to ? b : to;

	return high > low ? high - low : 0;
}

/* From when on nothing but other jobs keeps one from its ring. */
static uint64_t ready(const struct an_job *j)
{
	return j->depends || !j->submit ? j->run : j->submit;
}

/* Whose jobs had the ring from then until it began. */
static void blame_ring(struct an_why *w, const struct an_gpu *g,
		       const struct an_job *job)
{
	const struct an_ring *r = &g->jobs.rings[job->ring];
	uint64_t most = 0;

	for (size_t i = r->end; i-- > r->first;) {
		const struct an_job *v = &g->jobs.v[g->jobs.by_ring[i]];
		uint64_t ns = overlap(v->start, v->end, ready(job), job->start);

		if (v == job || !ns)
			continue;
		w->ahead++;
		if (ns > most) {
			most = ns;
			w->who = v->task;
		}
	}
	if (!w->ahead)
		w->who = job->runner;
}

/* Whose job it depends on. */
static uint32_t dependency(const struct an_gpu *g, const struct an_job *j)
{
	uint32_t f = j->depends ? an_fences_find(&g->fences, j->dep,
						 j->submit) : AN_NONE;
	uint32_t job = f == AN_NONE ? AN_NONE : g->fences.v[f].job;

	return job == AN_NONE ? AN_NONE : g->jobs.v[job].task;
}

uint64_t an_why_phase(const struct an_job *j, enum an_cause phase,
		      uint64_t from, uint64_t to)
{
	switch (phase) {
	case AN_CAUSE_DEPENDENCY:
		return j->submit ? overlap(j->submit, ready(j), from, to) : 0;
	case AN_CAUSE_QUEUE:
		return overlap(ready(j), j->start, from, to);
	default:
		return overlap(j->start, j->end ? j->end : to, from, to);
	}
}

void an_why_blame(struct an_why *w, const struct an_gpu *g)
{
	const struct an_job *j = &g->jobs.v[w->job];

	if (w->cause == AN_CAUSE_DEPENDENCY)
		w->who = dependency(g, j);
	else if (w->cause == AN_CAUSE_QUEUE)
		blame_ring(w, g, j);
	else
		w->who = j->task;
}

/* Which part of a job's life the time falls into. */
static void blame_job(struct an_why *w, const struct an_gpu *g, uint64_t from,
		      uint64_t to)
{
	static const enum an_cause phases[] = {
		AN_CAUSE_GPU, AN_CAUSE_QUEUE, AN_CAUSE_DEPENDENCY,
	};
	const struct an_job *j = &g->jobs.v[w->job];

	w->ns = 0;
	for (size_t i = 0; i < ARRAY_LEN(phases); i++) {
		uint64_t ns = an_why_phase(j, phases[i], from, to);

		if (i && ns <= w->ns)
			continue;
		w->cause = phases[i];
		w->ns = ns;
	}
	an_why_blame(w, g);
}

void an_why_fence(struct an_why *out, const struct an_gpu *g, uint32_t fence,
		  uint64_t from, uint64_t to)
{
	out->cause = AN_CAUSE_FENCE;
	out->ns = to - from;
	out->fence = fence;
	out->job = fence == AN_NONE ? AN_NONE : g->fences.v[fence].job;
	out->who = fence == AN_NONE ? AN_NONE : g->fences.v[fence].signaler;
	if (out->job != AN_NONE)
		blame_job(out, g, from, to);
}

/* Which pieces of one doing belong together: of one fence, rival, waker. */
static uint64_t culprit(const struct an_piece *p)
{
	switch (p->what) {
	case AN_DOES_QUEUE:
		return p->rival;
	case AN_DOES_BLOCK:
		return p->state.waker;
	case AN_DOES_FENCE:
		return p->wait;
	default:
		return 0;
	}
}

/* The doing that took most; in it, the longest piece. */
static const struct an_piece *main_piece(const struct an_account *a)
{
	const struct an_piece *best = NULL;
	enum an_doing most = AN_DOES_UNKNOWN;

	for (unsigned i = 0; i < AN_N_DOINGS; i++)
		if (a->path[i] > a->path[most])
			most = (enum an_doing)i;
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].what == most &&
		    (!best || an_piece_path(&a->v[i]) > an_piece_path(best)))
			best = &a->v[i];
	return best;
}

/* Several may have had the CPU one after another. */
static uint64_t by_culprit(const struct an_piece *p)
{
	uint64_t ns = an_piece_path(p);

	return p->what == AN_DOES_QUEUE && p->rival_ns < ns ? p->rival_ns : ns;
}

/* What a piece and others like it took. */
static void sum_up(struct an_why *w, const struct an_account *a,
		   const struct an_piece *p)
{
	w->ns = a->path[p->what];
	w->most_ns = 0;
	for (size_t i = 0; i < a->n; i++) {
		const struct an_piece *q = &a->v[i];

		if (q->what != p->what)
			continue;
		w->waited_ns += q->to - q->from;
		if (culprit(q) != culprit(p))
			continue;
		w->waited_most_ns += q->to - q->from;
		w->most_ns += by_culprit(q);
	}
	if (p->what != AN_DOES_FENCE)
		w->waited_ns = w->waited_most_ns = 0;
}

/* It may have been a fence that it waited for. */
static bool may_be_fence(const struct an_gpu *g, const struct an_piece *p)
{
	return an_gpu_lacks(g, AN_LACKS_SIGNALS) &&
	       an_piece_has_no_waker(g, p) &&
	       (!p->call || an_syscall_polls(p->call) ||
		an_syscall_is_drm(p->call));
}

static bool is_sure_blocked(const struct an_gpu *g, const struct an_piece *p)
{
	/* Without its wake-up it waited for a CPU, perhaps, at the end. */
	return p->state.waker != AN_NONE && !may_be_fence(g, p);
}

/* A job's life must cover most of a wait for it: what its parts are told by may
 * lack. */
static bool covers(const struct an_job *j, const struct an_piece *p)
{
	uint64_t from = p->from - p->before, ns;

	ns = an_why_phase(j, AN_CAUSE_GPU, from, p->to) +
	     an_why_phase(j, AN_CAUSE_QUEUE, from, p->to) +
	     an_why_phase(j, AN_CAUSE_DEPENDENCY, from, p->to);
	return ns >= (p->to - from) / 2;
}

/* The scheduler's own are always of a job; of another one whose making is not in
 * the trace it is not known. */
static bool may_be_of_job(const struct an_gpu *g, uint32_t fence)
{
	const struct an_fence *f = &g->fences.v[fence];

	return !f->made || span_is(an_string(g->t, f->driver), "drm_sched");
}

static bool is_sure_wait(const struct an_gpu *g, const struct an_why *w)
{
	const struct an_job *j = w->job == AN_NONE ? NULL :
				 &g->jobs.v[w->job];

	if (w->fence == AN_NONE ? an_gpu_lacks(g, AN_LACKS_SIGNALS) :
				  !g->fences.v[w->fence].signaled)
		return false;
	if (w->fence != AN_NONE && !j && may_be_of_job(g, w->fence))
		return false;
	if (j && (!j->submit || j->guessed_run))
		return false;
	if (w->cause == AN_CAUSE_QUEUE && w->who == AN_NONE)
		return false;
	if (w->piece.what != AN_DOES_FENCE)
		return true;
	return g->fences.waits[w->piece.wait].from &&
	       (!j || covers(j, &w->piece));
}

static bool is_sure(const struct an_gpu *g, const struct an_why *w)
{
	switch (w->cause) {
	case AN_CAUSE_RUNQ:
		/* An idle CPU takes at once who could run: he could not, and a
		 * switch is missing, or it was a guest's and did not run. */
		return w->who == AN_NONE || !an_task_is_idle(&g->tasks, w->who);
	case AN_CAUSE_BLOCKED:
	case AN_CAUSE_ASLEEP:
		return is_sure_blocked(g, &w->piece);
	case AN_CAUSE_GPU:
	case AN_CAUSE_QUEUE:
	case AN_CAUSE_DEPENDENCY:
	case AN_CAUSE_FENCE:
	case AN_CAUSE_SCANOUT:
		return is_sure_wait(g, w);
	case AN_CAUSE_COMMIT:
	case AN_CAUSE_READY:
		return !an_gpu_lacks(g, AN_LACKS_WAKEUPS) &&
		       !an_gpu_lacks(g, AN_LACKS_SIGNALS);
	default:
		return w->cause != AN_CAUSE_UNKNOWN;
	}
}

void an_why_doubt(struct an_why *w, const struct an_gpu *g)
{
	if (!is_sure(g, w))
		w->confidence = AN_LOW;
}

enum an_confidence an_why_confidence(const struct an_account *a, uint64_t ns,
				     uint64_t late_ns)
{
	uint64_t all = a->to - a->from;

	if (ns >= late_ns && a->path[AN_DOES_UNKNOWN] < ns)
		return AN_HIGH;
	return ns > all / 2 ? AN_MEDIUM : AN_LOW;
}

void an_why_blocked(struct an_why *w, const struct an_gpu *g,
		    const struct an_piece *p)
{
	w->cause = AN_CAUSE_BLOCKED;
	w->who = p->state.waker;
	if (an_piece_is_mute(g, p)) {
		w->cause = AN_CAUSE_ASLEEP;
		w->confidence = AN_LOW;
	}
}

void an_why_make(struct an_why *out, const struct an_gpu *g,
		 const struct an_account *a, uint64_t late_ns)
{
	const struct an_piece *p;

	*out = (struct an_why){ .task = a->task, .who = AN_NONE,
				.fence = AN_NONE, .job = AN_NONE };
	p = main_piece(a);
	if (!p)
		return;
	out->piece = *p;
	out->confidence = an_why_confidence(a, a->path[p->what], late_ns);
	switch (p->what) {
	case AN_DOES_RUN:
		out->cause = AN_CAUSE_CPU;
		break;
	case AN_DOES_QUEUE:
		out->cause = AN_CAUSE_RUNQ;
		out->who = p->rival;
		break;
	case AN_DOES_BLOCK:
		an_why_blocked(out, g, p);
		break;
	case AN_DOES_SLEEP:
		out->cause = AN_CAUSE_ASLEEP;
		break;
	case AN_DOES_FENCE:
		an_why_fence(out, g, g->fences.waits[p->wait].fence,
			     p->from - p->before, p->to);
		break;
	default:
		out->confidence = AN_LOW;
	}
	sum_up(out, a, p);
	an_why_doubt(out, g);
}
