#include "analyze/gpu/part.h"

#include "format/base/mem.h"

#include <stdlib.h>

int an_parts_add(struct an_parts *p, const struct an_why *w, struct err *err)
{
	if (!w->ns)
		return 0;
	if (!mem_grow(&p->v, &p->cap, p->n + 1, sizeof(*p->v)))
		return err_nomem(err);
	p->v[p->n++] = *w;
	return 0;
}

void an_parts_doubt(struct an_parts *p, struct an_why *why)
{
	why->confidence = AN_LOW;
	for (size_t i = 0; i < p->n; i++)
		p->v[i].confidence = AN_LOW;
}

void an_parts_fini(struct an_parts *p)
{
	free(p->v);
	*p = (struct an_parts){ 0 };
}

/* While a thread waited for a CPU one after another may have had that. What is
 * covered of a piece is its end. */
static int add_queue(struct an_parts *to, const struct an_gpu *g,
		     struct an_why w, struct err *err)
{
	uint64_t end = w.piece.to - w.piece.covered;
	struct an_cpu_interval i;
	struct an_cpu_walk walk;
	int rc = 0;

	w.cause = AN_CAUSE_RUNQ;
	if (w.piece.state.cpu == AN_NONE)
		return an_parts_add(to, &w, err);
	an_cpu_walk(&walk, g->sched, w.piece.state.cpu, w.piece.from, end);
	while (!rc && an_cpu_next(&walk, &i)) {
		struct an_why x = w;

		x.who = i.task;
		x.ns = i.to - i.from;
		x.piece.rival = i.task;
		x.piece.rival_ns = x.ns;
		x.piece.taken &= i.task == w.piece.rival;
		rc = an_parts_add(to, &x, err);
	}
	return rc;
}

/* A wait for a job is for what that went through meanwhile. */
static int add_wait(struct an_parts *to, const struct an_gpu *g,
		    struct an_why w, struct err *err)
{
	static const enum an_cause phases[] = {
		AN_CAUSE_DEPENDENCY, AN_CAUSE_QUEUE, AN_CAUSE_GPU,
	};
	uint64_t from = w.piece.from - w.piece.before;
	int rc = 0;

	w.cause = AN_CAUSE_FENCE;
	w.fence = g->fences.waits[w.piece.wait].fence;
	if (w.fence != AN_NONE) {
		w.job = g->fences.v[w.fence].job;
		w.who = w.job == AN_NONE ? g->fences.v[w.fence].signaler :
					   AN_NONE;
	}
	if (w.job == AN_NONE)
		return an_parts_add(to, &w, err);
	for (size_t i = 0; i < ARRAY_LEN(phases) && !rc; i++) {
		w.cause = phases[i];
		w.ns = an_why_phase(&g->jobs.v[w.job], phases[i], from,
				    w.piece.to);
		rc = an_parts_add(to, &w, err);
	}
	return rc;
}

static int add_piece(struct an_parts *to, const struct an_gpu *g,
		     uint32_t task, const struct an_piece *p, struct err *err)
{
	struct an_why w = { .task = task, .ns = an_piece_path(p), .piece = *p,
			    .who = AN_NONE, .fence = AN_NONE, .job = AN_NONE,
			    .confidence = AN_HIGH };

	switch (p->what) {
	case AN_DOES_RUN:
		w.cause = AN_CAUSE_CPU;
		break;
	case AN_DOES_QUEUE:
		return add_queue(to, g, w, err);
	case AN_DOES_BLOCK:
		an_why_blocked(&w, g, p);
		break;
	case AN_DOES_SLEEP:
		w.cause = AN_CAUSE_ASLEEP;
		break;
	case AN_DOES_FENCE:
		return add_wait(to, g, w, err);
	default:
		return 0;
	}
	return an_parts_add(to, &w, err);
}

static int by_whom(const void *a, const void *b)
{
	const struct an_why *x = a, *y = b;

	if (x->cause != y->cause)
		return CMP(x->cause, y->cause);
	if (x->who != y->who)
		return CMP(x->who, y->who);
	if (x->fence != y->fence)
		return CMP(x->fence, y->fence);
	return CMP(x->piece.from, y->piece.from);
}

/* The first of each stands for all, with their longest piece. */
static void merge(struct an_parts *p, size_t first)
{
	size_t n = first;

	if (p->n > first)
		qsort(p->v + first, p->n - first, sizeof(*p->v), by_whom);
	for (size_t i = first; i < p->n; i++) {
		struct an_why *w = n > first ? &p->v[n - 1] : NULL;
		const struct an_why *x = &p->v[i];

		if (!w || !an_part_is(x, w)) {
			p->v[n++] = *x;
			continue;
		}
		w->ns += x->ns;
		if (x->confidence < w->confidence)
			w->confidence = x->confidence;
		if (x->piece.to - x->piece.from > w->piece.to - w->piece.from)
			w->piece = x->piece;
	}
	p->n = n;
}

int an_parts_account(struct an_parts *p, const struct an_gpu *g,
		     const struct an_account *a, uint64_t late_ns,
		     struct err *err)
{
	size_t first = p->n;
	int rc = 0;

	for (size_t i = 0; i < a->n && !rc; i++)
		rc = add_piece(p, g, a->task, &a->v[i], err);
	merge(p, first);
	for (size_t i = first; i < p->n; i++) {
		struct an_why *w = &p->v[i];
		enum an_confidence c = an_why_confidence(a, w->ns, late_ns);

		if (c < w->confidence)
			w->confidence = c;
		if (w->job != AN_NONE)
			an_why_blame(w, g);
		an_why_doubt(w, g);
	}
	return rc;
}

static int longest_first(const void *a, const void *b)
{
	const struct an_why *x = a, *y = b;

	return x->ns != y->ns ? CMP(y->ns, x->ns) :
				CMP(x->piece.from, y->piece.from);
}

void an_parts_settle(struct an_parts *p, uint64_t min_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].ns >= min_ns)
			p->v[n++] = p->v[i];
	p->n = n;
	if (n)
		qsort(p->v, n, sizeof(*p->v), longest_first);
}

bool an_part_is(const struct an_why *part, const struct an_why *why)
{
	return part->cause == why->cause && part->task == why->task &&
	       part->who == why->who && part->fence == why->fence;
}

void an_parts_json(const struct an_parts *p, const struct an_gpu *g,
		   struct json *j)
{
	json_array(j, "parts");
	for (size_t i = 0; i < p->n; i++) {
		json_object(j, NULL);
		an_why_json(&p->v[i], g, j);
		json_end_object(j);
	}
	json_end_array(j);
}
