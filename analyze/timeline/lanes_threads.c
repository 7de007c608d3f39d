/* A lane for each thread: running, waiting for a CPU, blocked. */
#include "analyze/timeline/provider.h"
#include "analyze/timeline/states.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

/* A thread that did something. */
struct busy {
	uint32_t task;
	uint64_t ns; /* that it ran or could have run */
};

struct filler {
	struct an_timeline *tl;
	struct an_timeline_input *in;
	const struct an_sched *sched;
	uint32_t group;
	struct busy *v; /* falling */
	size_t n;
};

static const char *blocked_name(char letter)
{
	switch (letter) {
	case 'S':
		return "asleep";
	case 'D':
		return "uninterruptible";
	case 'T':
	case 't':
		return "stopped";
	case 'I':
		return "idle";
	default:
		return "blocked";
	}
}

static int name_of(const struct filler *f, const struct an_stretch *i,
		   struct an_span *s, struct err *err)
{
	switch (i->state) {
	case AN_STATE_RUNNING:
		s->class = AN_CLASS_RUNNING;
		return an_timeline_textf(f->tl, &s->name, err,
					 "on CPU %" PRIu32, i->cpu);
	case AN_STATE_WAITING:
		s->class = AN_CLASS_RUNNABLE;
		return an_timeline_textf(f->tl, &s->name, err,
					 "waits for a CPU");
	case AN_STATE_BLOCKED:
		s->class = i->letter == 'D' ? AN_CLASS_DISK : AN_CLASS_BLOCKED;
		return an_timeline_textf(f->tl, &s->name, err, "%s",
					 blocked_name(i->letter));
	default:
		s->class = AN_CLASS_UNKNOWN;
		return an_timeline_textf(f->tl, &s->name, err, "not known");
	}
}

static int detail_of_wait(const struct filler *f, const struct an_stretch *i,
			  uint32_t *id, struct err *err)
{
	const struct an_tasks *x = &f->in->gpu.tasks;
	uint64_t ns;
	uint32_t rival = i->cpu == AN_NONE ? AN_NONE :
			 an_sched_behind(f->sched, i->cpu, i->from, i->to, &ns);
	const char *how = i->preempted ? "taken off its CPU" : "woken";

	if (rival == AN_NONE)
		return an_timeline_textf(f->tl, id, err, "%s", how);
	return an_timeline_textf(f->tl, id, err, "%s; CPU %" PRIu32
				 " had mostly %s (tid %" PRId32 ")", how,
				 i->cpu, an_task_name(x, rival, i->from),
				 an_task_tid(x, rival));
}

static int detail_of_block(const struct filler *f, const struct an_stretch *i,
			   uint32_t *id, struct err *err)
{
	const struct an_tasks *x = &f->in->gpu.tasks;

	*id = 0;
	if (i->waker == AN_NONE)
		return 0;
	if (i->by_interrupt)
		return an_timeline_textf(f->tl, id, err, "woken by an interrupt "
					 "on CPU %" PRIu32, i->waker_cpu);
	return an_timeline_textf(f->tl, id, err, "woken by %s (tid %" PRId32
				 ") on CPU %" PRIu32,
				 an_task_name(x, i->waker, i->woken),
				 an_task_tid(x, i->waker), i->waker_cpu);
}

/* It is gone: nothing more is to be said of it. */
static bool is_over(const struct an_stretch *i)
{
	return i->state == AN_STATE_BLOCKED &&
	       (i->letter == 'X' || i->letter == 'Z');
}

static int put_interval(const struct filler *f, uint32_t lane,
			const struct an_stretch *i, struct err *err)
{
	struct an_span s = { .from = i->from, .to = i->to };
	int rc = name_of(f, i, &s, err);

	if (!rc && i->state == AN_STATE_WAITING)
		rc = detail_of_wait(f, i, &s.detail, err);
	else if (!rc && i->state == AN_STATE_BLOCKED)
		rc = detail_of_block(f, i, &s.detail, err);
	return rc ? rc : an_timeline_span(f->tl, lane, &s, err);
}

/* How long it ran or could have run, ns; 0: it did nothing in that time. */
static uint64_t ran_for(const struct filler *f, uint32_t task)
{
	struct an_agreed_walk walk;
	struct an_stretch i;
	uint64_t ns = 0;

	an_agreed_walk(&walk, f->sched, task, f->in->t_min, f->in->t_max);
	while (an_agreed_next(&walk, &i))
		if (i.state == AN_STATE_RUNNING || i.state == AN_STATE_WAITING)
			ns += i.to - i.from;
	return ns;
}

static int new_lane(const struct filler *f, uint32_t task, uint32_t *id,
		    struct err *err)
{
	const struct an_tasks *x = &f->in->gpu.tasks;
	struct an_lane lane = { .kind = AN_LANE_SPANS, .group = f->group };
	int rc = an_timeline_textf(f->tl, &lane.name, err, "%s (%" PRId32 ")",
				   an_task_name(x, task, f->in->t_max),
				   an_task_tid(x, task));

	return rc ? rc : an_timeline_lane(f->tl, &lane, id, err);
}

static int put_task(const struct filler *f, uint32_t task, struct err *err)
{
	struct an_stretch i, gap = { 0 };
	struct an_agreed_walk walk;
	bool known = false;
	uint32_t lane;
	int rc = new_lane(f, task, &lane, err);

	an_agreed_walk(&walk, f->sched, task, f->in->t_min, f->in->t_max);
	while (!rc && an_agreed_next(&walk, &i) && !is_over(&i)) {
		/* At the edges a thread may not even be there. */
		if (i.state == AN_STATE_UNKNOWN) {
			gap.from = gap.to ? gap.from : i.from;
			gap.to = i.to;
			continue;
		}
		if (known && gap.to)
			rc = put_interval(f, lane, &gap, err);
		gap.to = 0;
		known = true;
		if (!rc)
			rc = put_interval(f, lane, &i, err);
	}
	return rc;
}

/* By any of the names that it had. */
static bool is_selected(const struct filler *f, uint32_t task)
{
	const struct an_tasks *x = &f->in->gpu.tasks;

	if (!f->in->sel->thread)
		return true;
	for (uint32_t th = x->v[task].first; th != AN_NONE; th = x->next[th])
		if (an_input_has_thread(f->in, th))
			return true;
	return false;
}

/* Only when it ran, and by its name. */
static int put_among_others(const struct filler *f, uint32_t lane,
			    uint32_t task, struct err *err)
{
	const struct an_tasks *x = &f->in->gpu.tasks;
	struct an_span s = { .class = AN_CLASS_RUNNING };
	struct an_agreed_walk walk;
	struct an_stretch i;
	int rc = an_timeline_textf(f->tl, &s.name, err, "%s (%" PRId32 ")",
				   an_task_name(x, task, f->in->t_max),
				   an_task_tid(x, task));

	an_agreed_walk(&walk, f->sched, task, f->in->t_min, f->in->t_max);
	while (!rc && an_agreed_next(&walk, &i)) {
		if (i.state != AN_STATE_RUNNING)
			continue;
		s.from = i.from;
		s.to = i.to;
		rc = an_timeline_textf(f->tl, &s.detail, err, "on CPU %" PRIu32,
				       i.cpu);
		if (!rc)
			rc = an_timeline_span(f->tl, lane, &s, err);
	}
	return rc;
}

static int put_others(const struct filler *f, size_t from, struct err *err)
{
	struct an_lane lane = { .kind = AN_LANE_SPANS, .group = f->group };
	uint32_t id;
	int rc = an_timeline_textf(f->tl, &lane.name, err, "%zu more thread%s",
				   f->n - from, f->n - from == 1 ? "" : "s");

	if (!rc)
		rc = an_timeline_lane(f->tl, &lane, &id, err);
	for (size_t i = from; i < f->n && !rc; i++)
		rc = put_among_others(f, id, f->v[i].task, err);
	return rc;
}

static int by_ns(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;
	int c = CMP(y->ns, x->ns);

	return c ? c : CMP(x->task, y->task);
}

static int find_busy(struct filler *f, struct err *err)
{
	const struct an_tasks *x = &f->in->gpu.tasks;

	f->v = calloc(x->n + 1, sizeof(*f->v));
	if (!f->v)
		return err_nomem(err);
	for (uint32_t i = 0; i < x->n; i++) {
		if (an_task_is_idle(x, i) || !is_selected(f, i))
			continue;
		f->v[f->n] = (struct busy){ i, ran_for(f, i) };
		f->n += f->v[f->n].ns > 0;
	}
	qsort(f->v, f->n, sizeof(*f->v), by_ns);
	return 0;
}

static int put_all(struct filler *f, struct err *err)
{
	size_t max = f->in->max_lanes, own = max && f->n > max ? max : f->n;
	int rc = an_timeline_textf(f->tl, &f->group, err, "Threads");

	for (size_t i = 0; i < own && !rc; i++)
		rc = put_task(f, f->v[i].task, err);
	if (!rc && own < f->n)
		rc = put_others(f, own, err);
	return rc;
}

static int fill(struct an_timeline *tl, struct an_timeline_input *in,
		struct err *err)
{
	struct filler f = { .tl = tl, .in = in };
	int rc = an_input_sched(in, &f.sched, err);

	if (rc || !f.sched)
		return rc;
	rc = find_busy(&f, err);
	if (!rc)
		rc = put_all(&f, err);
	free(f.v);
	return rc;
}

const struct an_provider an_lanes_threads = {
	.name = "threads",
	.summary = "what each thread did: run, wait for a CPU, sleep",
	.fill = fill,
};
