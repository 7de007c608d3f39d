#include "record/perf/perf.h"

#include "format/base/mem.h"
#include "record/perf/attr.h"
#include "record/perf/perf_state.h"
#include "record/perf/refusal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

/* How often opening starts over because threads appeared meanwhile. */
#define TRIES_MAX 3

static void raise_descriptor_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == lim.rlim_max)
		return;
	lim.rlim_cur = lim.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &lim);
}

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
	for (size_t i = 0; !rc && i < cfg->n_pids; i++)
		rc = rec_targets_process(t, "", cfg->pids[i], err);
	for (size_t i = 0; !rc && i < cfg->n_tids; i++)
		rc = rec_targets_add(t, cfg->tids[i], cfg->tids[i], err);
	if (!rc && cfg->child)
		rc = rec_targets_add(t, cfg->child, cfg->child, err);
	if (!rc && !t->n)
		rc = err_set(err, ERR_USAGE, "nothing to record");
	return rc;
}

static int copy_events(struct rec_perf *p, const struct rec_perf_config *cfg,
		       struct err *err)
{
	size_t n = cfg->events->n;
	int rc = 0;

	if (!n)
		return err_set(err, ERR_USAGE, "no event to record");
	p->events = calloc(n, sizeof(*p->events));
	if (!p->events)
		return err_nomem(err);
	for (size_t i = 0; !rc && i < n; i++) {
		struct rec_event *e = &p->events[i];

		*e = cfg->events->items[i];
		p->n_events = i + 1;
		e->name = strdup(e->name);
		if (!e->name)
			return err_nomem(err);
		rc = rec_attr_sample(e, cfg, &p->have, &p->facts, err);
	}
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
			rc = rec_perf_open_all(p, cfg, err);
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
	p->sample_layout = rec_attr_layout(&p->events[0].attr);
	rc = rec_rings_init(&p->rings, &p->cpus, cfg->ring_size, &p->facts,
			    cfg->log, err);
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
	raise_descriptor_limit();
	rc = open_recording(p, &c, err);
	if (rc) {
		rec_perf_close(p);
		return rc;
	}
	*out = p;
	return 0;
}

void rec_perf_close(struct rec_perf *p)
{
	if (!p)
		return;
	rec_perf_close_all(p);
	rec_rings_fini(&p->rings);
	for (size_t i = 0; i < p->n_events; i++)
		free(p->events[i].name);
	free(p->events);
	free(p->fds);
	free(p->lives);
	free(p->lost);
	free(p->lost_now);
	map64_fini(&p->ids);
	rec_targets_fini(&p->targets);
	rec_cpus_fini(&p->cpus);
	free(p);
}

static int enable(struct rec_perf *p, bool sideband, struct err *err)
{
	for (size_t i = 0; i < p->n_fds; i++) {
		if ((p->fds[i].event == REC_PERF_SIDEBAND) != sideband)
			continue;
		if (ioctl(p->fds[i].fd, PERF_EVENT_IOC_ENABLE, 0))
			return err_sys(err, errno, "cannot enable an event");
	}
	return 0;
}

int rec_perf_enable_sideband(struct rec_perf *p, struct err *err)
{
	return enable(p, true, err);
}

int rec_perf_enable_events(struct rec_perf *p, struct err *err)
{
	return enable(p, false, err);
}

void rec_perf_disable(struct rec_perf *p)
{
	for (size_t i = 0; i < p->n_fds; i++)
		(void)ioctl(p->fds[i].fd, PERF_EVENT_IOC_DISABLE, 0);
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
	return &p->sample_layout;
}

const struct rec_layout *rec_perf_event_layout(const struct rec_perf *p,
					       size_t event)
{
	(void)event;
	return &p->sample_layout;
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

int rec_perf_event_of(const struct rec_perf *p, uint64_t id)
{
	uint32_t index;

	return map64_get(&p->ids, id, &index) ? (int)index : -1;
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
