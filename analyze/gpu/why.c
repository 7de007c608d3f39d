#include "analyze/gpu/why.h"

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

/* Whose jobs had the ring between the hand-over of a job and its begin. */
static void blame_ring(struct an_why *w, const struct an_gpu *g,
		       const struct an_job *job)
{
	const struct an_ring *r = &g->jobs.rings[job->ring];
	uint64_t most = 0;

	for (size_t i = r->end; i-- > r->first;) {
		const struct an_job *v = &g->jobs.v[g->jobs.by_ring[i]];
		uint64_t ns = overlap(v->start, v->end, job->run, job->start);

		if (v == job || !ns)
			continue;
		w->ahead++;
		if (ns > most) {
			most = ns;
			w->who = v->task;
		}
	}
}

/* Whose job it depends on. */
static uint32_t dependency(const struct an_gpu *g, const struct an_job *j)
{
	uint32_t f = j->depends ? an_fences_find(&g->fences, j->dep,
						 j->submit) : AN_NONE;
	uint32_t job = f == AN_NONE ? AN_NONE : g->fences.v[f].job;

	return job == AN_NONE ? AN_NONE : g->jobs.v[job].task;
}

/* Which part of a job's life the time falls into. */
static void blame_job(struct an_why *w, const struct an_gpu *g, uint64_t from,
		      uint64_t to)
{
	const struct an_job *j = &g->jobs.v[w->job];
	uint64_t before = overlap(j->submit, j->run, from, to);
	uint64_t queued = overlap(j->run, j->start, from, to);
	uint64_t ran = overlap(j->start, j->end ? j->end : to, from, to);

	if (before > queued && before > ran) {
		w->cause = AN_CAUSE_DEPENDENCY;
		w->ns = before;
		w->who = dependency(g, j);
	} else if (queued > ran) {
		w->cause = AN_CAUSE_QUEUE;
		w->ns = queued;
		blame_ring(w, g, j);
	} else {
		w->cause = AN_CAUSE_GPU;
		w->ns = ran;
		w->who = j->task;
	}
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
static const struct an_piece *main_piece(const struct an_account *a,
					 uint64_t *ns)
{
	const struct an_piece *best = NULL;
	enum an_doing most = AN_DOES_UNKNOWN;

	for (unsigned i = 0; i < AN_N_DOINGS; i++)
		if (a->sum[i] > a->sum[most])
			most = (enum an_doing)i;
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].what == most &&
		    (!best || a->v[i].to - a->v[i].from > best->to - best->from))
			best = &a->v[i];
	*ns = 0;
	for (size_t i = 0; best && i < a->n; i++)
		if (a->v[i].what == most && culprit(&a->v[i]) == culprit(best))
			*ns += a->v[i].to - a->v[i].from;
	return best;
}

static enum an_confidence confidence(const struct an_account *a, uint64_t ns,
				     uint64_t late_ns)
{
	uint64_t all = a->to - a->from;

	if (ns >= late_ns && a->sum[AN_DOES_UNKNOWN] < ns)
		return AN_HIGH;
	return ns > all / 2 ? AN_MEDIUM : AN_LOW;
}

static void name_blocked(struct an_why *w, const struct an_piece *p)
{
	w->cause = AN_CAUSE_BLOCKED;
	w->who = p->state.waker;
	/* Nothing tells a thread that slept from one that was held up. */
	if (p->state.waker == AN_NONE && !p->call && !p->state.kstack) {
		w->cause = AN_CAUSE_ASLEEP;
		w->confidence = AN_LOW;
	}
}

void an_why_make(struct an_why *out, const struct an_gpu *g,
		 const struct an_account *a, uint64_t late_ns)
{
	const struct an_piece *p;
	uint64_t ns;

	*out = (struct an_why){ .task = a->task, .who = AN_NONE,
				.fence = AN_NONE, .job = AN_NONE };
	p = main_piece(a, &ns);
	if (!p)
		return;
	out->piece = *p;
	out->ns = ns;
	out->confidence = confidence(a, ns, late_ns);
	switch (p->what) {
	case AN_DOES_RUN:
		out->cause = AN_CAUSE_CPU;
		break;
	case AN_DOES_QUEUE:
		out->cause = AN_CAUSE_RUNQ;
		out->who = p->rival;
		break;
	case AN_DOES_BLOCK:
		name_blocked(out, p);
		break;
	case AN_DOES_SLEEP:
		out->cause = AN_CAUSE_ASLEEP;
		break;
	case AN_DOES_FENCE:
		an_why_fence(out, g, g->fences.waits[p->wait].fence, p->from,
			     p->to);
		out->ns = ns;
		break;
	default:
		out->confidence = AN_LOW;
	}
}
