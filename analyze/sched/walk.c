#include "analyze/sched/sched_data.h"

#include "format/base/mem.h"

#include <string.h>

static const struct an_sched_row *row_at(const struct an_sched *s,
					 const struct an_sched_lists *l,
					 size_t i)
{
	return &s->rows[l->list[i]];
}

/* The first of the rows low..high that is later than a time. */
static size_t first_after(const struct an_sched *s,
			  const struct an_sched_lists *l, size_t low,
			  size_t high, uint64_t time)
{
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (row_at(s, l, mid)->time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* A task that is waiting or running is not woken again; that it got a CPU may
 * be said twice, by who left and by who came. */
static bool changes(const struct an_stretch *now, uint32_t task,
		    const struct an_sched_row *r)
{
	if (r->kind == AN_SCHED_WAKE)
		return now->state == AN_STATE_BLOCKED ||
		       now->state == AN_STATE_UNKNOWN;
	return r->b != task || r->a != AN_NONE ||
	       now->state != AN_STATE_RUNNING || now->cpu != r->cpu;
}

static struct an_stretch unknown(void)
{
	return (struct an_stretch){ .state = AN_STATE_UNKNOWN,
				     .cpu = AN_NONE, .ip = AN_NONE,
				     .waker = AN_NONE, .waker_ip = AN_NONE };
}

static void put_waker(const struct an_sched *s, struct an_stretch *i,
		      const struct an_sched_row *r)
{
	i->woken = r->time;
	i->waker_cpu = r->cpu;
	if (r->done && (r->in_interrupt || r->b == AN_NONE ||
			an_task_is_idle(s->tasks, r->b)))
		return;
	i->waker = r->b;
	i->by_interrupt = r->in_interrupt;
	if (r->place) {
		const struct an_sched_place *p = &s->places[r->place - 1];

		i->waker_ip = p->ip;
		i->waker_kstack = p->kstack;
		i->waker_ustack = p->ustack;
		i->waker_flags = p->flags;
	}
}

static struct an_stretch after(const struct an_sched *s, uint32_t task,
				const struct an_sched_row *r)
{
	struct an_stretch i = unknown();

	i.cpu = r->cpu;
	if (r->kind == AN_SCHED_WAKE) {
		i.state = AN_STATE_WAITING;
		put_waker(s, &i, r);
		return i;
	}
	if (r->b == task) {
		i.state = AN_STATE_RUNNING;
		return i;
	}
	i.preempted = r->letter == 'R';
	i.state = i.preempted ? AN_STATE_WAITING : AN_STATE_BLOCKED;
	i.letter = r->letter;
	if (r->place) {
		const struct an_sched_place *p = &s->places[r->place - 1];

		i.ip = p->ip;
		i.kstack = p->kstack;
		i.ustack = p->ustack;
		i.flags = p->flags;
	}
	return i;
}

/* Before its first row a task was running if that takes it off its CPU, and
 * nothing is known of the CPU before that: else its coming is not in the
 * trace. */
static struct an_stretch at_start(const struct an_state_walk *w, size_t first)
{
	const struct an_sched_lists *cpus = &w->s->of_cpu;
	const struct an_sched_row *r;
	struct an_stretch i = unknown();

	if (first == w->end)
		return i;
	r = row_at(w->s, &w->s->of_task, first);
	if (r->kind == AN_SCHED_SWITCH && r->a == w->task &&
	    row_at(w->s, cpus, cpus->first[r->cpu]) == r) {
		i.state = AN_STATE_RUNNING;
		i.cpu = r->cpu;
	}
	return i;
}

/* Rows may be missing that nobody counted: who leaves a CPU must have had it,
 * and who gets one cannot be on another. */
static bool contradicts(const struct an_stretch *now, uint32_t task,
			const struct an_sched_row *r)
{
	if (r->kind == AN_SCHED_WAKE || now->state == AN_STATE_UNKNOWN)
		return false;
	if (r->b == task)
		return now->state == AN_STATE_RUNNING;
	return now->state != AN_STATE_RUNNING || now->cpu != r->cpu;
}

void an_state_walk(struct an_state_walk *w, const struct an_sched *s,
		   uint32_t task, uint64_t from, uint64_t to)
{
	size_t first, i;

	*w = (struct an_state_walk){ .s = s, .task = task, .at = from,
				     .to = to };
	w->now = unknown();
	if (task >= s->of_task.n)
		return;
	w->end = s->of_task.first[task + 1];
	first = s->of_task.first[task];
	/* What was told before there were switches is too old by then. */
	if (s->first)
		first = first_after(s, &s->of_task, first, w->end,
				    s->first - 1);
	w->next = first_after(s, &s->of_task, first, w->end, from);
	for (i = w->next; i > first; i--)
		if (row_at(s, &s->of_task, i - 1)->kind == AN_SCHED_SWITCH)
			break;
	w->now = i > first ? after(s, task, row_at(s, &s->of_task, i - 1)) :
			     at_start(w, first);
	for (; i < w->next; i++) {
		const struct an_sched_row *r = row_at(s, &s->of_task, i);

		if (changes(&w->now, task, r))
			w->now = after(s, task, r);
	}
}

/* What is known only by what comes next. */
static void look_ahead(const struct an_sched *s, struct an_stretch *i,
		       const struct an_sched_row *r, uint32_t task)
{
	if (i->state == AN_STATE_BLOCKED && r->kind == AN_SCHED_WAKE)
		put_waker(s, i, r);
	if (i->state == AN_STATE_WAITING && r->kind == AN_SCHED_SWITCH &&
	    r->b == task)
		i->cpu = r->cpu;
}

/* Doubts before this one begin before a time. */
static size_t doubts_before(const struct an_sched *s, uint64_t time)
{
	size_t low = 0, high = s->n_doubts;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->doubts[mid].from < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* From the first doubt on nothing is sure until the next row: either all of
 * [from, *to) is in doubt, or *to becomes where that begins. */
static bool cut_by_doubt(const struct an_sched *s, int32_t cpu, uint64_t from,
			 uint64_t *to)
{
	for (size_t i = doubts_before(s, *to);
	     i > 0 && s->doubts[i - 1].until > from; i--) {
		const struct an_sched_doubt *d = &s->doubts[i - 1];

		if (d->to <= from ||
		    (cpu >= 0 && d->cpu >= 0 && d->cpu != cpu))
			continue;
		if (d->from <= from)
			return true;
		*to = d->from;
	}
	return false;
}

static void forget(struct an_stretch *i)
{
	uint64_t from = i->from, to = i->to;

	*i = unknown();
	i->from = from;
	i->to = to;
}

/* Between the first and the last row of all; *out is [at, row or end). */
static const struct an_sched_row *step(struct an_state_walk *w, uint64_t last,
				       struct an_stretch *out)
{
	const struct an_sched *s = w->s;
	const struct an_sched_row *r = NULL;
	uint64_t to = last < w->to ? last : w->to;

	while (w->next < w->end &&
	       !changes(&w->now, w->task, row_at(s, &s->of_task, w->next)))
		w->next++;
	if (w->next < w->end)
		r = row_at(s, &s->of_task, w->next);
	*out = w->now;
	out->from = w->at;
	if (r)
		look_ahead(s, out, r, w->task);
	out->to = r && r->time < to ? r->time : to;
	return r;
}

bool an_state_next(struct an_state_walk *w, struct an_stretch *out)
{
	uint64_t first, last;

	an_sched_bounds(w->s, &first, &last);
	while (w->at < w->to) {
		const struct an_sched_row *r;

		if (w->at < first || w->at >= last || !w->s->switches) {
			*out = unknown();
			out->from = w->at;
			out->to = w->at < first && first < w->to ? first :
								   w->to;
			w->at = out->to;
			return true;
		}
		r = step(w, last, out);
		if (r && contradicts(&w->now, w->task, r))
			w->doubted = true;
		if (!w->doubted)
			w->doubted = cut_by_doubt(w->s, -1, out->from,
						  &out->to);
		if (w->doubted)
			forget(out);
		w->at = out->to;
		if (r && out->to == r->time) {
			w->now = after(w->s, w->task, r);
			w->next++;
			w->doubted = false;
		}
		if (out->to > out->from)
			return true;
	}
	return false;
}

void an_cpu_walk(struct an_cpu_walk *w, const struct an_sched *s, uint32_t cpu,
		 uint64_t from, uint64_t to)
{
	size_t first;

	*w = (struct an_cpu_walk){ .s = s, .cpu = cpu, .at = from, .to = to,
				   .task = AN_NONE };
	if (cpu >= s->of_cpu.n)
		return;
	first = s->of_cpu.first[cpu];
	w->end = s->of_cpu.first[cpu + 1];
	w->next = first_after(s, &s->of_cpu, first, w->end, from);
	if (w->next > first)
		w->task = row_at(s, &s->of_cpu, w->next - 1)->b;
	else if (w->next < w->end)
		w->task = row_at(s, &s->of_cpu, w->next)->a;
}

bool an_cpu_next(struct an_cpu_walk *w, struct an_cpu_interval *out)
{
	uint64_t first, last;

	an_sched_bounds(w->s, &first, &last);
	while (w->at < w->to) {
		const struct an_sched_row *r = NULL;
		bool outside = w->at < first || w->at >= last;

		if (w->next < w->end)
			r = row_at(w->s, &w->s->of_cpu, w->next);
		if (r && r->a != w->task && r->a != AN_NONE)
			w->task = AN_NONE; /* a row is missing */
		*out = (struct an_cpu_interval){ w->at, w->to,
						 outside ? AN_NONE : w->task };
		if (w->at < first && first < out->to)
			out->to = first;
		else if (!outside && last < out->to)
			out->to = last;
		if (r && r->time < out->to)
			out->to = r->time;
		if (cut_by_doubt(w->s, (int32_t)w->cpu, w->at, &out->to))
			out->task = AN_NONE;
		w->at = out->to;
		if (r && out->to == r->time) {
			w->task = r->b;
			w->next++;
		}
		if (out->to > out->from)
			return true;
	}
	return false;
}

#define MAX_RIVALS 64u

uint32_t an_sched_behind(const struct an_sched *s, uint32_t cpu, uint64_t from,
			 uint64_t to, uint64_t *ns)
{
	struct { uint32_t task; uint64_t ns; } v[MAX_RIVALS];
	struct an_cpu_interval i;
	struct an_cpu_walk w;
	size_t n = 0, best = 0;

	for (an_cpu_walk(&w, s, cpu, from, to); an_cpu_next(&w, &i);) {
		size_t k = 0;

		if (i.task == AN_NONE)
			continue;
		while (k < n && v[k].task != i.task)
			k++;
		if (k == n && n == MAX_RIVALS)
			continue;
		if (k == n) {
			v[n].task = i.task;
			v[n++].ns = 0;
		}
		v[k].ns += i.to - i.from;
		if (v[k].ns > v[best].ns)
			best = k;
	}
	*ns = n ? v[best].ns : 0;
	return n ? v[best].task : AN_NONE;
}

/* The first row of all that is not before a time. */
static size_t first_row(const struct an_sched *s, uint64_t time)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->rows[mid].time < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t an_sched_woken(const struct an_sched *s, uint32_t cpu, uint64_t from,
			uint64_t to)
{
	for (size_t i = first_row(s, from); i < s->n && s->rows[i].time < to;
	     i++)
		if (s->rows[i].kind == AN_SCHED_WAKE && s->rows[i].cpu == cpu)
			return s->rows[i].a;
	return AN_NONE;
}

uint32_t an_sched_woken_by(const struct an_sched *s, uint32_t task,
			   uint64_t from, uint64_t to)
{
	for (size_t i = first_row(s, from); i < s->n && s->rows[i].time < to;
	     i++)
		if (s->rows[i].kind == AN_SCHED_WAKE && s->rows[i].b == task &&
		    !s->rows[i].in_interrupt)
			return s->rows[i].a;
	return AN_NONE;
}

size_t an_sched_next_in(const struct an_sched *s, uint64_t from, uint64_t to,
			uint32_t *tasks, size_t max)
{
	size_t n = 0;

	for (size_t i = first_row(s, from);
	     i < s->n && s->rows[i].time < to && n < max; i++) {
		uint32_t task = s->rows[i].b;
		size_t k = 0;

		if (s->rows[i].kind != AN_SCHED_SWITCH || task == AN_NONE ||
		    an_task_is_idle(s->tasks, task))
			continue;
		while (k < n && tasks[k] != task)
			k++;
		if (k == n)
			tasks[n++] = task;
	}
	return n;
}
