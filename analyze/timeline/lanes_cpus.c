/* A lane for each CPU, with the threads that ran on it, and how many CPUs were
 * busy. */
#include "analyze/timeline/provider.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* One CPU more, or one less, is busy from here on; or is known to be so or not. */
struct edge {
	uint64_t time;
	int busy, known;
};

struct filler {
	struct an_timeline *tl;
	struct an_timeline_input *in;
	const struct an_sched *sched;
	uint32_t group, not_known; /* texts */
	struct edge *edges;
	size_t n, cap;
};

static int note(struct filler *f, uint64_t time, int busy, int known,
		struct err *err)
{
	if (!mem_grow(&f->edges, &f->cap, f->n + 1, sizeof(*f->edges)))
		return err_nomem(err);
	f->edges[f->n++] = (struct edge){ time, busy, known };
	return 0;
}

static int put_texts(struct filler *f, const struct an_cpu_interval *i,
		     struct an_span *s, struct err *err)
{
	const struct an_tasks *x = &f->in->gpu.tasks;
	uint32_t thread = an_task_thread(x, i->task, i->from);
	int32_t tid = an_task_tid(x, i->task);
	const char *name = an_task_name(x, i->task, i->from);
	int rc = an_timeline_textf(f->tl, &s->name, err, "%s", name);

	if (rc)
		return rc;
	if (thread == AN_NONE)
		return an_timeline_textf(f->tl, &s->detail, err, "tid %" PRId32,
					 tid);
	return an_timeline_textf(f->tl, &s->detail, err, "tid %" PRId32
				 ", pid %" PRId32, tid,
				 an_thread_of(f->in->t, thread)->pid);
}

static bool is_selected(const struct filler *f, const struct an_cpu_interval *i)
{
	return !f->in->sel->thread ||
	       an_input_has_thread(f->in, an_task_thread(&f->in->gpu.tasks, i->task,
							 i->from));
}

static int put_interval(struct filler *f, uint32_t lane,
			const struct an_cpu_interval *i, struct err *err)
{
	struct an_span s = { .from = i->from, .to = i->to,
			     .class = AN_CLASS_NAMED };
	int rc;

	if (i->task == AN_NONE) {
		s.class = AN_CLASS_UNKNOWN;
		s.name = f->not_known;
		return an_timeline_span(f->tl, lane, &s, err);
	}
	if (an_task_is_idle(&f->in->gpu.tasks, i->task) || !is_selected(f, i))
		return 0;
	rc = put_texts(f, i, &s, err);
	if (!rc)
		rc = an_timeline_span(f->tl, lane, &s, err);
	if (!rc)
		rc = note(f, i->from, 1, 0, err);
	return rc ? rc : note(f, i->to, -1, 0, err);
}

static int put_cpu(struct filler *f, uint32_t cpu, struct err *err)
{
	struct an_lane lane = { .kind = AN_LANE_SPANS, .group = f->group,
				.rank = cpu };
	struct an_cpu_interval i;
	struct an_cpu_walk walk;
	bool known = false;
	uint32_t id;
	int rc = an_timeline_textf(f->tl, &lane.name, err, "CPU %" PRIu32, cpu);

	if (!rc)
		rc = an_timeline_lane(f->tl, &lane, &id, err);
	an_cpu_walk(&walk, f->sched, cpu, f->in->t_min, f->in->t_max);
	while (!rc && an_cpu_next(&walk, &i)) {
		if ((i.task != AN_NONE) != known) {
			known = !known;
			rc = note(f, i.from, 0, known ? 1 : -1, err);
		}
		if (!rc)
			rc = put_interval(f, id, &i, err);
	}
	return rc || !known ? rc : note(f, i.to, 0, -1, err);
}

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return CMP(x->time, y->time);
}

/* Of the CPUs that are known; where none is, there is a gap. */
static int put_steps(struct filler *f, uint32_t lane, struct err *err)
{
	int busy = 0, known = 0, rc = 0;
	double before = NAN;

	if (f->n)
		qsort(f->edges, f->n, sizeof(*f->edges), by_time);
	for (size_t i = 0; i < f->n && !rc; i++) {
		double now;

		busy += f->edges[i].busy;
		known += f->edges[i].known;
		now = known ? (double)busy : NAN;
		/* One thread makes room for the next: no change. */
		if ((i + 1 < f->n && f->edges[i + 1].time == f->edges[i].time)
		    || now == before || (isnan(now) && isnan(before)))
			continue;
		before = now;
		rc = an_timeline_step(f->tl, lane, f->edges[i].time, now, err);
	}
	return rc;
}

static int put_busy(struct filler *f, struct err *err)
{
	struct an_lane lane = { .kind = AN_LANE_COUNTER, .group = f->group,
				.rank = UINT64_MAX };
	uint32_t id;
	int rc = an_timeline_textf(f->tl, &lane.name, err, "%s",
				   f->in->sel->thread ? "CPUs of these threads" :
							"busy CPUs");

	if (!rc)
		rc = an_timeline_textf(f->tl, &lane.unit, err, "CPUs");
	if (!rc)
		rc = an_timeline_lane(f->tl, &lane, &id, err);
	return rc ? rc : put_steps(f, id, err);
}

static int put_all(struct filler *f, struct err *err)
{
	int rc = an_timeline_textf(f->tl, &f->group, err, "CPUs");

	if (!rc)
		rc = an_timeline_textf(f->tl, &f->not_known, err, "not known");
	for (uint32_t i = 0; i < an_sched_cpus(f->sched) && !rc; i++)
		if (an_input_has_cpu(f->in, i))
			rc = put_cpu(f, i, err);
	return rc ? rc : put_busy(f, err);
}

static int fill(struct an_timeline *tl, struct an_timeline_input *in,
		struct err *err)
{
	struct filler f = { .tl = tl, .in = in };
	int rc = an_input_sched(in, &f.sched, err);

	if (!rc && f.sched)
		rc = put_all(&f, err);
	free(f.edges);
	return rc;
}

const struct an_provider an_lanes_cpus = {
	.name = "cpus",
	.summary = "who ran on each CPU",
	.fill = fill,
};
