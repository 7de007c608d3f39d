#include "analyze/gpu/pause.h"

static bool flipped_soon(const struct an_gpu *g, uint32_t task, uint64_t from,
			 uint64_t to)
{
	const struct an_syscalls *calls = &g->calls;
	const struct an_syscall *c = an_syscalls_from(calls, task, from);

	for (; c && c < calls->v + calls->n && c->task == task && c->from < to;
	     c++)
		if (an_syscall_flips(c))
			return true;
	return false;
}

static bool waited_most(const struct an_gpu *g, uint32_t task, uint64_t from,
			uint64_t to)
{
	const struct an_fences *f = &g->fences;
	uint64_t at = from, sum = 0;

	while (at < to) {
		uint32_t wait = an_fences_wait_at(f, task, at);
		uint64_t begin, end;

		if (wait == AN_NONE)
			break;
		begin = f->waits[wait].since > at ? f->waits[wait].since : at;
		end = f->waits[wait].until < to ? f->waits[wait].until : to;
		if (begin >= to)
			break;
		sum += end > begin ? end - begin : 0;
		at = end > at ? end : at + 1;
	}
	return sum > (to - from) / 2;
}

/* It could have run, or did. */
static bool was_awake_most(const struct an_gpu *g, uint32_t task, uint64_t from,
			   uint64_t to)
{
	struct an_state_walk w;
	struct an_stretch i;
	uint64_t sum = 0;

	if (!g->sched)
		return false;
	an_state_walk(&w, g->sched, task, from, to);
	while (an_state_next(&w, &i))
		if (i.state == AN_STATE_RUNNING || i.state == AN_STATE_WAITING)
			sum += i.to - i.from;
	return sum > (to - from) / 2;
}

static uint32_t steps_of(const struct an_gpu *g, const struct an_delivery *d)
{
	return d->seq - g->clients.v[d->previous].seq - 1;
}

/* By a rule that calls longer times than `idle_ns` pauses. */
static bool was_held_up(const struct an_gpu *g, const struct an_delivery *d,
			uint64_t idle_ns)
{
	uint32_t task = g->clients.clients[d->client].task;
	uint64_t from = g->clients.v[d->previous].time;

	return task != AN_NONE && (flipped_soon(g, task, from, from + idle_ns) ||
				   waited_most(g, task, from, d->time) ||
				   was_awake_most(g, task, from, d->time));
}

static void judge(struct an_gpu *g, struct an_delivery *d)
{
	struct an_client *c = &g->clients.clients[d->client];

	if (!was_held_up(g, d, g->idle_ns))
		return;
	d->paused = false;
	d->missed = steps_of(g, d);
	c->pauses--;
	c->late += d->missed > 0;
	c->missed += d->missed;
}

/* Whatever was asked for now, numbers are those of the rule that all take who
 * ask for none. */
static bool has_number(const struct an_gpu *g, const struct an_delivery *d)
{
	if (d->paused ? !steps_of(g, d) : !d->missed)
		return false;
	return d->time - g->clients.v[d->previous].time <= AN_CLIENT_IDLE_NS ||
	       was_held_up(g, d, AN_CLIENT_IDLE_NS);
}

void an_pauses_judge(struct an_gpu *g)
{
	uint32_t n = 0;

	for (size_t i = 0; i < g->clients.n; i++)
		if (g->clients.v[i].paused)
			judge(g, &g->clients.v[i]);
	for (size_t i = 0; i < g->clients.n; i++)
		if (has_number(g, &g->clients.v[i]))
			g->clients.v[i].number = ++n;
}
