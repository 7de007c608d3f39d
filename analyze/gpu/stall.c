#include "analyze/gpu/stall.h"

#include "format/base/mem.h"

/* What one late frame is looked at with. */
struct look {
	const struct an_gpu *g;
	const struct an_delivery *d, *previous;
	const struct an_client *client;
	const struct an_head *head;
	uint64_t submitted;  /* the flip's call returned; 0: not known */
	bool handed_in;      /* by a call that is in the trace */
	uint64_t possible;   /* the first vblank behind the submission */
	unsigned flips;      /* page flips since the frame before: more than
			      * one, and a frame between is not there. Atomic
			      * commits may only have been tried */
};

static struct an_why nobody(uint32_t task)
{
	return (struct an_why){ .task = task, .who = AN_NONE,
				.fence = AN_NONE, .job = AN_NONE };
}

static uint64_t shown(const struct an_delivery *d)
{
	return d->vblank ? d->vblank : d->time;
}

/* The first vblank after a time, or when it would have been. */
static uint64_t vblank_after(const struct look *l, uint64_t time)
{
	size_t i = an_head_after(&l->g->heads, l->client->head, time);
	uint64_t at = shown(l->previous), period;

	if (i < l->head->end)
		return an_head_vblank(&l->g->heads, i)->time;
	period = (uint64_t)l->head->period_ns;
	if (!period || time < at)
		return time;
	return at + ((time - at) / period + 1) * period;
}

/* The last call that flips between the two deliveries. One that goes on across
 * the deadline was held up itself. */
static void find_flip(struct look *l, struct an_stall *s)
{
	const struct an_syscalls *calls = &l->g->calls;
	const struct an_syscall *c = an_syscalls_from(calls, l->client->task,
						      l->previous->time);

	for (; c && c < calls->v + calls->n && c->task == l->client->task &&
	     c->from < l->d->time; c++) {
		if (!an_syscall_flips(c))
			continue;
		l->flips += an_syscall_page_flips(c);
		l->handed_in = true;
		s->submit = c->from;
		s->submit_guessed = c->to <= c->from;
		l->submitted = c->to > c->from ? c->to : 0;
		if (c->from < s->deadline && c->to > s->deadline &&
		    c->to < l->d->time)
			s->submit = c->to;
	}
}

/* It waits for the event of its flip from when that was handed in. */
static void guess_flip(const struct look *l, struct an_stall *s)
{
	struct an_state_walk w;
	struct an_stretch i;

	if (!l->g->sched)
		return;
	an_state_walk(&w, l->g->sched, l->client->task, l->previous->time,
		      l->d->time);
	while (an_state_next(&w, &i))
		if (i.state == AN_STATE_BLOCKED && i.to >= l->d->time) {
			s->submit = i.from;
			s->submit_guessed = true;
		}
}

/* The first wait that begins at a time or later. */
static size_t first_wait(const struct an_fences *f, uint64_t time)
{
	size_t low = 0, high = f->n_waits;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->waits[mid].since < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static size_t first_job(const struct an_jobs *j, uint64_t time)
{
	size_t low = 0, high = j->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (j->v[mid].seen < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The worker may have gone on long after its fence was ready. */
static bool went_on_late(const struct look *l, const struct an_wait *w)
{
	return an_wait_ready(&l->g->fences, w) > l->possible ||
	       w->until > l->possible;
}

/* The longest wait of another thread for a fence that was not ready when the
 * picture could have been shown, or only just. */
static bool held_by_wait(struct look *l, struct an_stall *s, struct err *err,
			 int *rc)
{
	const struct an_fences *f = &l->g->fences;
	const struct an_wait *best = NULL;
	uint64_t most = 0, until = shown(l->d);

	for (size_t i = first_wait(f, s->submit); i < f->n_waits; i++) {
		const struct an_wait *w = &f->waits[i];
		uint64_t ready = an_wait_ready(f, w);

		if (w->from > l->possible)
			break;
		if (w->task == l->client->task || !w->from ||
		    !went_on_late(l, w) || w->fence == AN_NONE)
			continue;
		if (ready > until)
			ready = until;
		if (ready - w->from > most) {
			most = ready - w->from;
			best = w;
		}
	}
	if (!best)
		return false;
	*rc = an_account_make(&s->account, l->g, best->task, s->submit, until,
			      err);
	an_why_fence(&s->why, l->g, best->fence, best->from, best->from + most);
	s->why.piece = (struct an_piece){ .from = best->from,
					  .to = best->from + most };
	s->why.cause = AN_CAUSE_SCANOUT;
	s->why.ns = most;
	s->why.task = best->task;
	s->why.confidence = best->from + most > l->possible &&
		s->why.job != AN_NONE &&
		l->g->jobs.v[s->why.job].task == l->client->task ? AN_HIGH :
								   AN_MEDIUM;
	return true;
}

/* Without such a wait: a job of the client that was not done. */
static bool held_by_job(const struct look *l, struct an_stall *s, bool *known)
{
	const struct an_jobs *j = &l->g->jobs;
	const struct an_job *best = NULL;

	for (size_t i = first_job(j, l->previous->time); i < j->n; i++) {
		const struct an_job *v = &j->v[i];

		if (v->seen > s->submit)
			break;
		if (v->task != l->client->task || !v->submit)
			continue;
		*known = true;
		if (v->end > l->possible && v->end <= shown(l->d) &&
		    (!best || v->end > best->end))
			best = v;
	}
	if (!best)
		return false;
	s->why.cause = AN_CAUSE_SCANOUT;
	s->why.task = AN_NONE; /* whoever waited for it */
	s->why.confidence = AN_MEDIUM;
	s->why.job = (uint32_t)(best - j->v);
	s->why.fence = best->fence;
	s->why.ns = best->end - best->start;
	s->why.who = best->task;
	s->why.piece = (struct an_piece){ .from = best->start,
					  .to = best->end };
	return true;
}

/* When a worker went to sleep again after it had worked. */
static uint64_t worked_until(const struct look *l, uint32_t worker,
			     uint64_t from)
{
	uint64_t to = shown(l->d);
	struct an_state_walk w;
	struct an_stretch i;
	bool ran = false;

	an_state_walk(&w, l->g->sched, worker, from, to);
	while (an_state_next(&w, &i)) {
		if (ran && i.state == AN_STATE_BLOCKED)
			return i.from;
		ran |= i.state == AN_STATE_RUNNING;
	}
	return to;
}

/* The worker that the flip woke, which programs the display. */
static int held_by_worker(struct look *l, struct an_stall *s, bool *found,
			  struct err *err)
{
	uint64_t until = l->submitted ? l->submitted : s->submit + 1000000;
	uint64_t end;
	uint32_t worker;
	int rc;

	*found = false;
	if (!l->g->sched)
		return 0;
	worker = an_sched_woken_by(l->g->sched, l->client->task, s->submit,
				   until);
	if (worker == AN_NONE)
		return 0;
	end = worked_until(l, worker, s->submit);
	rc = an_account_make(&s->account, l->g, worker, s->submit, end, err);
	if (rc)
		return rc;
	an_why_make(&s->why, l->g, &s->account, 0);
	*found = end > l->possible && (s->why.cause == AN_CAUSE_RUNQ ||
				       s->why.cause == AN_CAUSE_CPU);
	s->why.confidence = AN_MEDIUM;
	s->why.cause = *found ? AN_CAUSE_COMMIT : AN_CAUSE_READY;
	return 0;
}

static int find_scanout(struct look *l, struct an_stall *s, struct err *err)
{
	bool known = false, found;
	int rc = 0;

	if (held_by_wait(l, s, err, &rc) || held_by_job(l, s, &known))
		return rc;
	rc = held_by_worker(l, s, &found, err);
	if (rc || found)
		return rc;
	s->why = nobody(s->why.task);
	s->why.cause = AN_CAUSE_READY;
	s->why.ns = shown(l->d) - l->possible;
	s->why.piece = (struct an_piece){ .from = l->possible,
					  .to = shown(l->d) };
	s->why.confidence = known ? AN_MEDIUM : AN_LOW;
	return 0;
}

static int explain_scanout(struct look *l, struct an_stall *s, struct err *err)
{
	int rc = find_scanout(l, s, err);

	an_why_doubt(&s->why, l->g);
	if (s->submit_guessed && (s->why.cause == AN_CAUSE_READY ||
				  s->why.cause == AN_CAUSE_COMMIT))
		s->why.confidence = AN_LOW;
	return rc;
}

static int explain_client(struct look *l, struct an_stall *s, struct err *err)
{
	uint64_t until = s->submit ? s->submit : l->d->time;
	int rc = an_account_make(&s->account, l->g, l->client->task,
				 l->previous->time, until, err);

	if (rc)
		return rc;
	an_why_make(&s->why, l->g, &s->account,
		    until > s->deadline ? until - s->deadline : 0);
	if (s->submit_guessed && s->why.confidence > AN_MEDIUM)
		s->why.confidence = AN_MEDIUM;
	return 0;
}

/* The display's side of it. */
static bool has_display_part(const struct look *l, const struct an_stall *s)
{
	return s->submit && shown(l->d) > l->possible;
}

static int explain_submitted(struct look *l, struct an_stall *s,
			     struct err *err)
{
	uint64_t by_client, by_display;

	l->possible = vblank_after(l, s->submit);
	by_client = l->possible > s->deadline ? l->possible - s->deadline : 0;
	by_display = has_display_part(l, s) ? shown(l->d) - l->possible : 0;
	return by_client >= by_display ? explain_client(l, s, err) :
					 explain_scanout(l, s, err);
}

/* What the client did, where it was late itself. */
static int add_client_parts(struct look *l, struct an_stall *s,
			    struct err *err)
{
	uint64_t until = s->submit ? s->submit : l->d->time;
	struct an_account a;
	int rc;

	if (until <= s->deadline)
		return 0;
	rc = an_account_make(&a, l->g, l->client->task, l->previous->time,
			     until, err);
	if (!rc)
		rc = an_parts_account(&s->parts, l->g, &a,
				      until - s->deadline, err);
	an_account_fini(&a);
	return rc;
}

static int add_display_part(struct look *l, struct an_stall *s,
			    struct err *err)
{
	struct an_stall of_display = *s;
	int rc;

	of_display.account = (struct an_account){ 0 };
	of_display.why = nobody(l->client->task);
	rc = explain_scanout(l, &of_display, err);
	if (!rc)
		rc = an_parts_add(&s->parts, &of_display.why, err);
	an_account_fini(&of_display.account);
	return rc;
}

static int find_parts(struct look *l, struct an_stall *s, struct err *err)
{
	double period = l->head->period_ns;
	uint64_t all = shown(l->d) - shown(l->previous);
	int rc = add_client_parts(l, s, err);

	if (!rc && has_display_part(l, s))
		rc = add_display_part(l, s, err);
	an_parts_settle(&s->parts,
			(uint64_t)(period > 0 ? period / 2 : (double)all / 10));
	return rc;
}

/* What was lost may have been a frame, or what this one was late by. */
static bool has_losses(const struct look *l)
{
	return an_lossy_in(&l->g->lossy, l->previous->time, l->d->time);
}

int an_stall_explain(struct an_stall *out, const struct an_gpu *g,
		     uint32_t delivery, struct err *err)
{
	const struct an_delivery *d = &g->clients.v[delivery];
	struct look l = { .g = g, .d = d };
	int rc;

	*out = (struct an_stall){ .delivery = delivery };
	out->why = nobody(AN_NONE);
	l.previous = &g->clients.v[d->previous];
	l.client = &g->clients.clients[d->client];
	l.head = &g->heads.heads[l.client->head];
	out->deadline = vblank_after(&l, shown(l.previous));
	if (l.client->task == AN_NONE)
		return 0;
	out->why.task = l.client->task;
	find_flip(&l, out);
	if (!out->submit)
		guess_flip(&l, out);
	rc = out->submit ? explain_submitted(&l, out, err) :
			   explain_client(&l, out, err);
	if (!rc)
		rc = find_parts(&l, out, err);
	if (!rc && (!l.handed_in || l.flips > 1 || has_losses(&l)))
		an_parts_doubt(&out->parts, &out->why);
	return rc;
}

void an_stall_fini(struct an_stall *s)
{
	an_account_fini(&s->account);
	an_parts_fini(&s->parts);
}
