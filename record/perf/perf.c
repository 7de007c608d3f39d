#include "record/perf/perf.h"

#include "format/base/mem.h"
#include "record/perf/abandon.h"
#include "record/perf/attr.h"
#include "record/perf/cgroup.h"
#include "record/perf/group.h"
#include "record/perf/limit.h"
#include "record/perf/perf_state.h"
#include "record/perf/refusal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* How often opening starts over because threads appeared meanwhile. */
#define TRIES_MAX 3

static int probe(struct rec_perf *p, struct err *err)
{
	int rc;

	rec_perf_facts_read(&p->facts, "");
	rc = rec_perf_features_probe(&p->have);
	if (!rc)
		return 0;
	return rec_perf_refused(&(struct rec_refusal){ .errnum = -rc,
						       .facts = &p->facts,
						       .root = "" },
				err);
}

static int choose_cpus(struct rec_perf *p, const struct rec_perf_config *cfg,
		       struct err *err)
{
	struct rec_cpus online = { 0 };
	int rc = rec_cpus_online(&online, "", err);

	if (!rc && !cfg->n_cpus) {
		p->cpus = online;
		return 0;
	}
	for (size_t i = 0; !rc && i < cfg->n_cpus; i++) {
		if (!rec_cpus_has(&online, cfg->cpus[i]))
			rc = err_set(err, ERR_USAGE, "cannot record CPU %d: it "
				     "is not online", cfg->cpus[i]);
		else
			rc = rec_cpus_add(&p->cpus, cfg->cpus[i], err);
	}
	rec_cpus_fini(&online);
	return rc;
}

static int choose_targets(struct rec_targets *t,
			  const struct rec_perf_config *cfg, struct err *err)
{
	int rc = 0;

	if (cfg->system_wide)
		return rec_targets_add(t, -1, -1, err);
	for (size_t i = 0; !rc && i < cfg->n_pids; i++) {
		rc = rec_targets_process(t, "", cfg->pids[i], err);
		if (rc == ERR_USAGE && cfg->pids_may_end)
			rc = 0;
	}
	for (size_t i = 0; !rc && i < cfg->n_tids; i++)
		rc = rec_targets_add(t, cfg->tids[i], cfg->tids[i], err);
	if (!rc && cfg->child)
		rc = rec_targets_add(t, cfg->child, cfg->child, err);
	if (!rc && !t->n)
		rc = err_set(err, ERR_USAGE, "nothing to record");
	return rc;
}

static int allocate(struct rec_perf *p, size_t n, struct err *err)
{
	p->events = calloc(n + 1, sizeof(*p->events));
	p->layouts = calloc(n + 1, sizeof(*p->layouts));
	p->cgroups = calloc(n + 1, sizeof(*p->cgroups));
	p->group_fds = calloc(n + 1, sizeof(*p->group_fds));
	/* A number of members, then three words each; the side band has four. */
	p->words = calloc(4 + 3 * n, sizeof(*p->words));
	return p->events && p->layouts && p->cgroups && p->group_fds &&
	       p->words ? 0 : err_nomem(err);
}

static int copy_event(struct rec_perf *p, size_t i,
		      const struct rec_perf_config *cfg, struct err *err)
{
	struct rec_event *e = &p->events[i];
	int rc = rec_event_copy(e, &cfg->events->items[i], err);

	if (rc)
		return rc;
	p->cgroups[i] = -1;
	p->n_events = i + 1;
	if (e->cgroup)
		rc = rec_cgroup_open(&p->cgroups[i], "", e->cgroup, err);
	if (!rc)
		rc = rec_attr_sample(e, i, cfg, &p->have, &p->facts, err);
	p->layouts[i] = rec_attr_layout(&e->attr);
	return rc;
}

int rec_perf_ungroup(struct rec_perf *p, size_t i, struct err *err)
{
	struct rec_event *e = &p->events[i];
	int rc;

	e->leader = i;
	e->weak = false;
	e->leader_samples = false;
	e->attr.sample_period = p->cfg->events->items[i].attr.sample_period;
	e->attr.freq = p->cfg->events->items[i].attr.freq;
	rc = rec_attr_sample(e, i, p->cfg, &p->have, &p->facts, err);
	p->layouts[i] = rec_attr_layout(&e->attr);
	return rc;
}

static int copy_events(struct rec_perf *p, const struct rec_perf_config *cfg,
		       struct err *err)
{
	size_t n = cfg->events->n;
	int rc = allocate(p, n, err);

	for (size_t i = 0; !rc && i < n; i++)
		rc = copy_event(p, i, cfg, err);
	return rc;
}

/* Threads that were started while the others were being opened: some have
 * inherited their events and some not, and nothing tells which. */
static int targets_moved(const struct rec_perf *p,
			 const struct rec_perf_config *cfg, bool *moved,
			 struct err *err)
{
	struct rec_targets now = { 0 };
	int rc = choose_targets(&now, cfg, err);

	*moved = !rc && !rec_targets_same(&now, &p->targets);
	rec_targets_fini(&now);
	return rc;
}

/* Weak groups that the counters cannot hold are taken apart. */
static int open_in_groups(struct rec_perf *p, struct err *err)
{
	int rc;

	do {
		rc = rec_perf_open_all(p, err);
		if (rc == 1)
			rec_perf_close_all(p);
	} while (rc == 1);
	return rc;
}

static int open_until_settled(struct rec_perf *p,
			      const struct rec_perf_config *cfg,
			      struct err *err)
{
	bool moved = true;
	int rc = 0;

	for (int i = 0; !rc && moved && i < TRIES_MAX; i++) {
		rec_perf_close_all(p);
		rec_targets_fini(&p->targets);
		rc = choose_targets(&p->targets, cfg, err);
		if (!rc)
			rc = open_in_groups(p, err);
		if (rc || !cfg->n_pids || cfg->system_wide)
			return rc;
		rc = targets_moved(p, cfg, &moved, err);
	}
	if (!rc && moved)
		log_warn(cfg->log, "threads start and end faster than events "
			 "can be opened: some may be missing");
	return rc;
}

/* One descriptor of each task, on any CPU, tells whether it lives. */
static int choose_lives(struct rec_perf *p, struct err *err)
{
	p->lives = calloc(p->targets.n, sizeof(*p->lives));
	if (!p->lives)
		return err_nomem(err);
	for (size_t i = 0; i < p->n_fds; i++)
		if (p->fds[i].event == REC_PERF_SIDEBAND && !p->fds[i].ring)
			p->lives[p->n_lives++].fd = p->fds[i].fd;
	return 0;
}

static int make_counts(struct rec_perf *p, struct err *err)
{
	size_t cells = (p->n_events + 1) * p->rings.n;

	p->lost = calloc(cells, sizeof(*p->lost));
	p->lost_now = calloc(cells, sizeof(*p->lost_now));
	return p->lost && p->lost_now ? 0 : err_nomem(err);
}

/* A storm of system calls fills 4 MiB in less time than a busy machine may take
 * to let the recorder run. */
static size_t default_ring_size(const struct rec_perf *p)
{
	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].attr.type == PERF_TYPE_TRACEPOINT)
			return (size_t)16 << 20;
	return (size_t)4 << 20;
}

static int open_recording(struct rec_perf *p,
			  const struct rec_perf_config *cfg, struct err *err)
{
	int rc = probe(p, err);

	if (!rc)
		rc = choose_cpus(p, cfg, err);
	if (!rc)
		rc = copy_events(p, cfg, err);
	if (rc)
		return rc;
	p->sideband = rec_attr_sideband(cfg, &p->have);
	p->sideband_layout = rec_attr_layout(&p->sideband);
	p->system_wide = cfg->system_wide;
	p->all_cpus = !cfg->n_cpus;
	p->log = cfg->log;
	p->cfg = cfg;
	(void)rec_limit_raise(p->cpus.n * REC_RING_KINDS);
	rc = rec_rings_init(&p->rings, &p->cpus, cfg->ring_size,
			    default_ring_size(p), &p->facts, cfg->log, err);
	if (!rc)
		rc = make_counts(p, err);
	if (!rc)
		rc = open_until_settled(p, cfg, err);
	if (!rc && !cfg->system_wide)
		rc = choose_lives(p, err);
	return rc;
}

int rec_perf_open(struct rec_perf **out, const struct rec_perf_config *cfg,
		  struct err *err)
{
	struct rec_perf_config c = *cfg;
	struct rec_perf *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return err_nomem(err);
	if (c.n_cpus && !c.n_pids && !c.n_tids && !c.child)
		c.system_wide = true;
	rc = open_recording(p, &c, err);
	if (rc) {
		rec_perf_close(p);
		return rc;
	}
	p->cfg = NULL;
	*out = p;
	return 0;
}

void rec_perf_close(struct rec_perf *p)
{
	if (!p)
		return;
	rec_perf_close_all(p);
	rec_rings_fini(&p->rings);
	for (size_t i = 0; i < p->n_events; i++) {
		rec_event_fini(&p->events[i]);
		if (p->cgroups[i] >= 0)
			close(p->cgroups[i]);
	}
	free(p->events);
	free(p->layouts);
	free(p->cgroups);
	free(p->group_fds);
	free(p->words);
	free(p->fds);
	free(p->lives);
	free(p->lost);
	free(p->lost_now);
	map64_fini(&p->ids);
	rec_targets_fini(&p->targets);
	rec_cpus_fini(&p->cpus);
	rec_hotplug_fini(&p->hotplug);
	free(p);
}

/* Only tracepoints take long. */
static size_t slow_ones(const struct rec_perf *p, int *fds)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_fds; i++) {
		const struct rec_perf_fd *f = &p->fds[i];

		if (f->event != REC_PERF_SIDEBAND &&
		    p->events[f->event].attr.type == PERF_TYPE_TRACEPOINT)
			fds[n++] = f->fd;
	}
	return n;
}

void rec_perf_abandon(struct rec_perf *p)
{
	struct rec_abandoned child = { .fd = -1 };
	size_t n = 0;
	int *fds;

	if (!p)
		return;
	fds = calloc(p->n_fds + 1, sizeof(*fds));
	if (fds)
		n = slow_ones(p, fds);
	if (n)
		(void)rec_abandon(&child, fds, n);
	free(fds);
	rec_perf_close(p);
	if (child.fd >= 0)
		close(child.fd);
}

/* Members of a group begin with their leader. */
static bool is_member(const struct rec_perf *p, const struct rec_perf_fd *f)
{
	return f->event != REC_PERF_SIDEBAND &&
	       p->events[f->event].leader != (size_t)f->event;
}

/* Events that are enabled without a look at the rings. */
#define ENABLE_AT_ONCE 64u

static int enable(struct rec_perf *p, bool sideband,
		  int (*between)(void *ctx, struct err *err), void *ctx,
		  struct err *err)
{
	unsigned n = 0;

	for (size_t i = 0; i < p->n_fds; i++) {
		int rc = 0;

		if ((p->fds[i].event == REC_PERF_SIDEBAND) != sideband ||
		    is_member(p, &p->fds[i]))
			continue;
		if (ioctl(p->fds[i].fd, PERF_EVENT_IOC_ENABLE, 0))
			return err_sys(err, errno, "cannot enable an event");
		if (between && ++n % ENABLE_AT_ONCE == 0)
			rc = between(ctx, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int rec_perf_enable_sideband(struct rec_perf *p, struct err *err)
{
	p->sideband_on = true;
	return enable(p, true, NULL, NULL, err);
}

int rec_perf_enable_events(struct rec_perf *p,
			   int (*between)(void *ctx, struct err *err),
			   void *ctx, struct err *err)
{
	p->events_on = true;
	return enable(p, false, between, ctx, err);
}

void rec_perf_disable(struct rec_perf *p)
{
	for (size_t i = 0; i < p->n_fds; i++)
		(void)ioctl(p->fds[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	p->sideband_on = p->events_on = false;
}

size_t rec_perf_n_rings(const struct rec_perf *p)
{
	return p->rings.n;
}

int rec_perf_ring_cpu(const struct rec_perf *p, size_t ring)
{
	return p->rings.items[ring].cpu;
}

struct rec_ring *rec_perf_sideband(struct rec_perf *p, size_t ring)
{
	return p->rings.items[ring].ring[REC_RING_SIDEBAND];
}

struct rec_ring *rec_perf_samples(struct rec_perf *p, size_t ring)
{
	return p->rings.items[ring].ring[REC_RING_SAMPLES];
}

size_t rec_perf_ring_size(const struct rec_perf *p)
{
	return p->rings.size[REC_RING_SAMPLES];
}

int rec_perf_fd(const struct rec_perf *p)
{
	return p->rings.epoll;
}

const struct rec_layout *rec_perf_sample_layout(const struct rec_perf *p)
{
	return p->n_events ? &p->layouts[0] : &p->sideband_layout;
}

const struct rec_layout *rec_perf_event_layout(const struct rec_perf *p,
					       size_t event)
{
	return &p->layouts[event];
}

const struct rec_layout *rec_perf_sideband_layout(const struct rec_perf *p)
{
	return &p->sideband_layout;
}

size_t rec_perf_n_events(const struct rec_perf *p)
{
	return p->n_events;
}

const struct rec_event *rec_perf_event(const struct rec_perf *p, size_t i)
{
	return &p->events[i];
}

size_t rec_perf_n_thinned(const struct rec_perf *p,
			  const struct rec_event **first)
{
	size_t n = 0;

	for (size_t i = p->n_events; i-- > 0;) {
		const struct rec_event *e = &p->events[i];

		if (!e->tracepoint || !e->attr.freq)
			continue;
		*first = e;
		n++;
	}
	return n;
}

int rec_perf_event_of(const struct rec_perf *p, uint64_t id)
{
	uint32_t index;

	if (map64_get(&p->ids, id, &index))
		return p->fds[index].event;
	/* Where two recorders count page faults of one task, Linux prepares the
	 * record once: both find the id of one of them in it (since 6.3,
	 * do_perf_sw_event). What is in our rings is ours all the same. */
	return p->n_events == 1 ? 0 : -1;
}

int rec_perf_group_each(struct rec_perf *p, const struct rec_sample *s,
			uint64_t read_format,
			void (*each)(void *ctx, size_t event, uint64_t delta),
			void *ctx)
{
	struct rec_group_reading g;
	struct rec_group_value v;

	if (!rec_group_begin(&g, read_format, s->read))
		return ERR_FORMAT;
	/* The first is the leader, which has a row of its own. */
	for (bool first = true; rec_group_next(&g, &v); first = false) {
		struct rec_perf_fd *f;
		uint64_t delta;
		uint32_t index;

		if (first || !map64_get(&p->ids, v.id, &index))
			continue;
		f = &p->fds[index];
		delta = v.value - f->count;
		f->count = v.value;
		if (delta)
			each(ctx, (size_t)f->event, delta);
	}
	return 0;
}

bool rec_perf_hung_up(const struct rec_perf *p)
{
	if (!p->n_lives || poll(p->lives, p->n_lives, 0) < 0)
		return false;
	for (size_t i = 0; i < p->n_lives; i++)
		if (!(p->lives[i].revents & POLLHUP))
			return false;
	return true;
}
