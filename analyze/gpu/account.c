#include "analyze/gpu/account.h"

#include "analyze/selection/choose.h"

#include "format/base/mem.h"

#include <stdlib.h>

const char *an_doing_name(enum an_doing d)
{
	static const char *const names[AN_N_DOINGS] = {
		[AN_DOES_UNKNOWN] = "unknown",
		[AN_DOES_RUN] = "running",
		[AN_DOES_QUEUE] = "waiting for a CPU",
		[AN_DOES_BLOCK] = "blocked",
		[AN_DOES_SLEEP] = "asleep",
		[AN_DOES_FENCE] = "waiting for a fence",
	};

	return names[d];
}

/* Functions in which every thread leaves its CPU. */
static const char *const of_scheduler[] = {
	"schedule", "__schedule", "schedule_*", "__schedule_*", "io_schedule*",
	"preempt_schedule*", "__traceiter_*", "perf_trace_*", "trace_*",
	"__cond_resched*", "_cond_resched", "do_wait_intr*", "wait_woken",
};
static const char *const sleeping[] = {
	"hrtimer_nanosleep", "do_nanosleep", "common_nsleep*", "msleep*",
	"usleep_range*", "fsleep*",
};

static bool is_among(const char *const *words, size_t n, struct span name)
{
	for (size_t i = 0; i < n; i++)
		if (an_word_is(an_word(words[i]), name))
			return true;
	return false;
}

struct span an_piece_function(const struct an_gpu *g, const struct an_piece *p)
{
	uint32_t node = p->state.kstack;

	while (node && node != AN_NONE) {
		const struct an_node *n = an_node_of(g->t, node);
		struct span name = an_frame_name(g->t, n->frame);

		if (!is_among(of_scheduler, ARRAY_LEN(of_scheduler), name))
			return name;
		node = n->parent;
	}
	return span_of("", 0);
}

static bool passes_sleep(const struct an_gpu *g, uint32_t node)
{
	while (node && node != AN_NONE) {
		const struct an_node *n = an_node_of(g->t, node);

		if (is_among(sleeping, ARRAY_LEN(sleeping),
			     an_frame_name(g->t, n->frame)))
			return true;
		node = n->parent;
	}
	return false;
}

static enum an_doing doing_of(const struct an_gpu *g,
			      const struct an_piece *p)
{
	switch (p->state.state) {
	case AN_STATE_RUNNING:
		return AN_DOES_RUN;
	case AN_STATE_WAITING:
		return AN_DOES_QUEUE;
	case AN_STATE_BLOCKED:
		if ((p->call && an_syscall_sleeps(p->call)) ||
		    passes_sleep(g, p->state.kstack))
			return AN_DOES_SLEEP;
		return AN_DOES_BLOCK;
	default:
		return AN_DOES_UNKNOWN;
	}
}

/* A thread that runs may go through many calls, and be in none: the one that
 * takes most of it. */
static const struct an_syscall *most_of(const struct an_gpu *g, uint32_t task,
					const struct an_piece *p)
{
	const struct an_syscalls *calls = &g->calls;
	const struct an_syscall *c = an_syscalls_at(calls, task, p->from);

	if (!c)
		c = an_syscalls_from(calls, task, p->from);
	for (; c && c < calls->v + calls->n && c->task == task &&
	     c->from < p->to; c++) {
		uint64_t from = c->from > p->from ? c->from : p->from;
		uint64_t to = c->to && c->to < p->to ? c->to : p->to;

		if (to > from && to - from > (p->to - p->from) / 2)
			return c;
	}
	return NULL;
}

static bool goes_on(const struct an_piece *last, const struct an_piece *p)
{
	return last->to == p->from && last->what == p->what &&
	       last->wait == p->wait && p->what == AN_DOES_FENCE;
}

static int add(struct an_account *a, const struct an_piece *p, struct err *err)
{
	if (p->to <= p->from)
		return 0;
	if (a->n && goes_on(&a->v[a->n - 1], p)) {
		a->v[a->n - 1].to = p->to;
		return 0;
	}
	if (!mem_grow(&a->v, &a->cap, a->n + 1, sizeof(*a->v)))
		return err_nomem(err);
	a->v[a->n++] = *p;
	return 0;
}

static uint32_t first_on(const struct an_sched *s, uint32_t cpu, uint64_t from,
			 uint64_t to)
{
	struct an_cpu_interval i = { .task = AN_NONE };
	struct an_cpu_walk w;

	an_cpu_walk(&w, s, cpu, from, to);
	return an_cpu_next(&w, &i) ? i.task : AN_NONE;
}

static void find_rival(struct an_piece *p, const struct an_sched *s)
{
	uint32_t cpu = p->state.cpu;

	if (cpu == AN_NONE)
		return;
	p->rival = an_sched_behind(s, cpu, p->from, p->to, &p->rival_ns);
	p->taken = p->state.preempted && p->rival != AN_NONE &&
		   first_on(s, cpu, p->from, p->to) == p->rival;
}

/* A part of one state, up to where a fence begins or ends to be waited for. */
static int add_part(struct an_account *a, const struct an_gpu *g,
		    struct an_piece p, uint64_t to, struct err *err)
{
	const struct an_fences *f = &g->fences;
	uint32_t wait = an_fences_wait_at(f, a->task, p.from);
	const struct an_wait *w = wait == AN_NONE ? NULL : &f->waits[wait];

	p.to = to;
	p.wait = AN_NONE;
	if (w && w->since <= p.from && an_wait_ready(f, w) > p.from) {
		p.what = AN_DOES_FENCE;
		p.wait = wait;
		if (an_wait_ready(f, w) < to)
			p.to = an_wait_ready(f, w);
		return add(a, &p, err);
	}
	if (w && w->since > p.from && w->since < to)
		p.to = w->since;
	p.what = doing_of(g, &p);
	if (p.what == AN_DOES_RUN)
		p.call = most_of(g, a->task, &p);
	if (p.what == AN_DOES_QUEUE)
		find_rival(&p, g->sched);
	return add(a, &p, err);
}

static int add_state(struct an_account *a, const struct an_gpu *g,
		     const struct an_stretch *i, struct err *err)
{
	struct an_piece p = { .from = i->from, .state = *i,
			      .rival = AN_NONE };
	int rc = 0;

	while (p.from < i->to && !rc) {
		size_t n = a->n;

		p.call = an_syscalls_at(&g->calls, a->task, p.from);
		rc = add_part(a, g, p, i->to, err);
		if (a->n == n && !(n && a->v[n - 1].to > p.from))
			break;
		p.from = a->v[a->n - 1].to;
	}
	return rc;
}

/* Without switches only the waits are known. */
static bool next_state(struct an_state_walk *w, const struct an_gpu *g,
		       uint64_t at, uint64_t to, struct an_stretch *i)
{
	if (g->sched)
		return an_state_next(w, i);
	*i = (struct an_stretch){ .from = at, .to = to, .cpu = AN_NONE,
				   .ip = AN_NONE, .waker = AN_NONE,
				   .waker_ip = AN_NONE };
	return at < to;
}

/* Since when the job that a piece waits for went its own way, if the thread
 * itself had submitted it; 0: it did not. Until the ring has it nothing but a
 * dependency is sure to have held it up but the thread itself. */
static uint64_t under_way(const struct an_account *a, const struct an_gpu *g,
			  const struct an_piece *p)
{
	const struct an_job *j;
	uint32_t fence, job;

	if (p->what != AN_DOES_FENCE)
		return 0;
	fence = g->fences.waits[p->wait].fence;
	job = fence == AN_NONE ? AN_NONE : g->fences.v[fence].job;
	if (job == AN_NONE || g->jobs.v[job].task != a->task)
		return 0;
	j = &g->jobs.v[job];
	return j->depends ? j->submit : j->run;
}

/* From the end: what lies between a job's way and the wait for it. */
static void find_path(struct an_account *a, const struct an_gpu *g)
{
	struct an_piece *wait = NULL;
	uint64_t since = 0;

	for (size_t i = a->n; i-- > 0;) {
		struct an_piece *p = &a->v[i];
		uint64_t begun = under_way(a, g, p);

		if (wait && p->what != AN_DOES_FENCE && p->to > since) {
			p->covered = p->to -
				     (p->from > since ? p->from : since);
			wait->before += p->covered;
		}
		if (begun && (!wait || begun < since)) {
			wait = p;
			since = begun;
		}
		if (wait && p->from <= since)
			wait = NULL;
	}
	for (size_t i = 0; i < a->n; i++)
		a->path[a->v[i].what] += an_piece_path(&a->v[i]);
}

int an_account_make(struct an_account *out, const struct an_gpu *g,
		    uint32_t task, uint64_t from, uint64_t to,
		    struct err *err)
{
	struct an_state_walk w = { 0 };
	struct an_stretch i;
	int rc = 0;

	*out = (struct an_account){ .task = task, .from = from, .to = to };
	if (g->sched)
		an_state_walk(&w, g->sched, task, from, to);
	while (!rc && next_state(&w, g, from, to, &i)) {
		rc = add_state(out, g, &i, err);
		from = i.to;
	}
	if (!rc)
		find_path(out, g);
	return rc;
}

void an_account_fini(struct an_account *a)
{
	free(a->v);
	*a = (struct an_account){ 0 };
}
