#include "analyze/gpu/lack.h"

#include "format/base/time.h"

#include <stdio.h>

static bool lacks_submits(const struct an_gpu *g)
{
	for (size_t i = 0; i < g->jobs.n; i++)
		if (g->jobs.v[i].submit)
			return false;
	return true;
}

static bool lacks_runs(const struct an_gpu *g)
{
	for (size_t i = 0; i < g->jobs.n; i++)
		if (g->jobs.v[i].run && !g->jobs.v[i].guessed_run)
			return false;
	return true;
}

static bool lacks_ends(const struct an_gpu *g)
{
	for (size_t i = 0; i < g->jobs.n; i++)
		if (g->jobs.v[i].end)
			return false;
	return true;
}

static bool lacks_calls(const struct an_gpu *g, bool flips)
{
	for (size_t i = 0; i < g->calls.n; i++) {
		const struct an_syscall *c = &g->calls.v[i];

		if (c->to != c->from && (!flips || an_syscall_flips(c)))
			return false;
	}
	return true;
}

/* What tells of it: the general event, and a driver's own. */
static const struct {
	bool is_event;
	enum an_gpu_role a, b;
} tells[AN_N_LACKS] = {
	[AN_LACKS_VBLANKS] = { true, AN_GPU_VBLANK, AN_GPU_VBLANK },
	[AN_LACKS_DELIVERIES] = { true, AN_GPU_VBLANK_DELIVERED,
				  AN_GPU_VBLANK_DELIVERED },
	[AN_LACKS_WAIT_BEGINS] = { true, AN_GPU_FENCE_WAIT_START,
				   AN_GPU_I915_WAIT_BEGIN },
	[AN_LACKS_WAIT_ENDS] = { true, AN_GPU_FENCE_WAIT_END,
				 AN_GPU_I915_WAIT_END },
	[AN_LACKS_INITS] = { true, AN_GPU_FENCE_INIT, AN_GPU_XE_FENCE_CREATE },
	[AN_LACKS_SIGNALS] = { true, AN_GPU_FENCE_SIGNALED,
			       AN_GPU_XE_FENCE_SIGNAL },
};

static bool has_no_row(const struct an_gpu *g, enum an_lack what)
{
	switch (what) {
	case AN_LACKS_SWITCHES:
		return !g->sched || !an_sched_has_switches(g->sched);
	case AN_LACKS_WAKEUPS:
		return !g->sched || !an_sched_has_wakeups(g->sched);
	case AN_LACKS_WAKINGS:
		return !g->sched || !an_sched_has_wakings(g->sched);
	case AN_LACKS_JOBS:
		return !g->jobs.n;
	case AN_LACKS_SUBMITS:
		return lacks_submits(g);
	case AN_LACKS_RUNS:
		return lacks_runs(g);
	case AN_LACKS_JOB_ENDS:
		return lacks_ends(g);
	case AN_LACKS_CALLS:
		return lacks_calls(g, false);
	case AN_LACKS_FLIPS:
		return lacks_calls(g, true);
	default:
		return !g->events.count[tells[what].a] &&
		       !g->events.count[tells[what].b];
	}
}

bool an_gpu_lacks(const struct an_gpu *g, enum an_lack what)
{
	if (tells[what].is_event && (g->events.recorded[tells[what].a] ||
				     g->events.recorded[tells[what].b]))
		return false;
	return has_no_row(g, what);
}

/* What else must be there for it to be said; AN_N_LACKS: nothing. */
struct text {
	const char *text;
	enum an_lack with;
};

static const struct text texts[AN_N_LACKS] = {
	[AN_LACKS_SWITCHES] =
		{ "what threads did: no sched_switch", AN_N_LACKS },
	[AN_LACKS_WAKEUPS] =
		{ "who woke whom, and when: no sched_waking or sched_wakeup",
		  AN_LACKS_SWITCHES },
	[AN_LACKS_WAKINGS] =
		{ "who woke whom from another CPU: no sched_waking",
		  AN_LACKS_WAKEUPS },
	[AN_LACKS_VBLANKS] = { "vblanks: no drm_vblank_event", AN_N_LACKS },
	[AN_LACKS_DELIVERIES] =
		{ "frames that were shown: no drm_vblank_event_delivered",
		  AN_LACKS_VBLANKS },
	[AN_LACKS_CALLS] =
		{ "what threads waited in: no system calls with begin and end",
		  AN_LACKS_SWITCHES },
	[AN_LACKS_FLIPS] =
		{ "when frames were handed in: no sys_enter_ioctl and "
		  "sys_exit_ioctl of their clients", AN_LACKS_DELIVERIES },
	[AN_LACKS_WAIT_BEGINS] =
		{ "waits by events: no dma_fence_wait_start", AN_N_LACKS },
	[AN_LACKS_WAIT_ENDS] =
		{ "when waits ended: no dma_fence_wait_end",
		  AN_LACKS_WAIT_BEGINS },
	[AN_LACKS_INITS] =
		{ "who made fences, and for which jobs: no dma_fence_init",
		  AN_LACKS_SIGNALS },
	[AN_LACKS_SIGNALS] =
		{ "when fences were signalled: no dma_fence_signaled",
		  AN_N_LACKS },
	[AN_LACKS_JOBS] = { "jobs: no events of a GPU scheduler or driver",
			    AN_N_LACKS },
	[AN_LACKS_SUBMITS] =
		{ "who submitted jobs, and when: no drm_sched_job_queue or "
		  "drm_sched_job", AN_LACKS_JOBS },
	[AN_LACKS_RUNS] =
		{ "when jobs were given to their ring: no drm_sched_job_run, "
		  "drm_run_job or the like", AN_LACKS_JOBS },
	[AN_LACKS_JOB_ENDS] =
		{ "when jobs ended: no drm_sched_job_done, "
		  "drm_sched_process_job or the like", AN_LACKS_JOBS },
};

const char *an_lack_text(const struct an_gpu *g, enum an_lack what)
{
	const struct text *t = &texts[what];

	if (!has_no_row(g, what) ||
	    (t->with != AN_N_LACKS && has_no_row(g, t->with)))
		return NULL;
	return t->text;
}

void an_lack_hole_text(const struct an_hole *h, char to[AN_LACK_TEXT])
{
	char time[TIME_TEXT];
	int n;

	time_format(time, h->ns);
	n = snprintf(to, AN_LACK_TEXT, "%s for %s", texts[h->what].text, time);
	if (h->n > 1)
		n += snprintf(to + n, AN_LACK_TEXT - (size_t)n,
			      " in %zu places, the first", h->n);
	snprintf(to + n, AN_LACK_TEXT - (size_t)n, " from %.6f s on",
		 (double)h->from / 1e9);
}
