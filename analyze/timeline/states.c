#include "analyze/timeline/states.h"

void an_agreed_walk(struct an_agreed_walk *w, const struct an_sched *s,
		    uint32_t task, uint64_t from, uint64_t to)
{
	w->splits = false;
	an_state_walk(&w->states, s, task, from, to);
}

static bool next_part(struct an_agreed_walk *w, struct an_stretch *out)
{
	struct an_cpu_interval c;

	if (!an_cpu_next(&w->cpu, &c))
		return false;
	*out = w->now;
	out->from = c.from;
	out->to = c.to;
	if (c.task != w->states.task)
		out->state = AN_STATE_UNKNOWN;
	return true;
}

bool an_agreed_next(struct an_agreed_walk *w, struct an_stretch *out)
{
	for (;;) {
		if (w->splits && next_part(w, out))
			return true;
		w->splits = false;
		if (!an_state_next(&w->states, &w->now))
			return false;
		if (w->now.state != AN_STATE_RUNNING || w->now.cpu == AN_NONE) {
			*out = w->now;
			return true;
		}
		an_cpu_walk(&w->cpu, w->states.s, w->now.cpu, w->now.from,
			    w->now.to);
		w->splits = true;
	}
}
