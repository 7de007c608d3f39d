#include "format/base/mem.h"
#include "record/perf/filter.h"
#include "record/perf/limit.h"
#include "record/perf/perf_state.h"
#include "record/perf/refusal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Beside failures. */
enum { TASK_ENDED = 1, TAKEN_APART = 2 };

static size_t n_needed(const struct rec_perf *p)
{
	size_t rings = p->rings.n;

	return rings * (REC_RING_KINDS + p->targets.n * (p->n_events + 1));
}

static int refused(const struct rec_perf *p, int errnum, int event, pid_t tid,
		   size_t ring, struct err *err)
{
	return rec_perf_refused(
		&(struct rec_refusal){
			.errnum = errnum,
			.event = event == REC_PERF_SIDEBAND ?
					 NULL : &p->events[event],
			.in_group = event != REC_PERF_SIDEBAND &&
				    p->events[event].leader != (size_t)event,
			.tid = tid,
			.cpu = p->rings.items[ring].cpu,
			.n_needed = n_needed(p),
			.facts = &p->facts,
			.root = "" },
		err);
}

static int remember_id(struct rec_perf *p, size_t index, struct err *err)
{
	uint32_t *kept;
	uint64_t id;
	bool is_new;

	if (ioctl(p->fds[index].fd, PERF_EVENT_IOC_ID, &id))
		return err_sys(err, errno, "cannot read an event's id");
	kept = map64_put(&p->ids, id, (uint32_t)index, &is_new);
	return kept ? 0 : err_nomem(err);
}

int rec_perf_set_up(struct rec_perf *p, size_t index, struct err *err)
{
	const struct rec_perf_fd *f = &p->fds[index];
	const struct rec_cpu_rings *c = &p->rings.items[f->ring];
	bool is_sideband = f->event == REC_PERF_SIDEBAND;
	int kind = is_sideband ? REC_RING_SIDEBAND : REC_RING_SAMPLES;
	int rc = 0;

	if (ioctl(f->fd, PERF_EVENT_IOC_SET_OUTPUT, c->fd[kind]))
		return err_sys(err, errno, "cannot redirect an event to the "
			       "ring of CPU %d", c->cpu);
	if (is_sideband)
		return 0;
	if (p->events[f->event].filter)
		rc = rec_filter_set(&p->events[f->event], f->fd, "", err);
	return rc ? rc : remember_id(p, index, err);
}

/* Takes fd over. */
static int adopt(struct rec_perf *p, int fd, int event, size_t ring,
		 struct err *err)
{
	if (!mem_grow(&p->fds, &p->fds_cap, p->n_fds + 1, sizeof(*p->fds))) {
		close(fd);
		return err_nomem(err);
	}
	p->fds[p->n_fds++] = (struct rec_perf_fd){
		.fd = fd, .event = event, .ring = (uint32_t)ring };
	return rec_perf_set_up(p, p->n_fds - 1, err);
}

static int open_sideband(struct rec_perf *p, pid_t tid, size_t ring,
			 struct err *err)
{
	int fd = rec_perf_call(&p->sideband, tid, p->rings.items[ring].cpu);

	if (fd == -ESRCH)
		return TASK_ENDED;
	if (fd < 0)
		return refused(p, -fd, REC_PERF_SIDEBAND, tid, ring, err);
	return adopt(p, fd, REC_PERF_SIDEBAND, ring, err);
}

static int take_apart(struct rec_perf *p, size_t leader, struct err *err)
{
	int rc = 0;

	log_verbose(p->log, "the group of '%s' cannot be counted together: "
		    "its events are opened one by one", p->events[leader].name);
	for (size_t i = 0; !rc && i < p->n_events; i++)
		if (p->events[i].leader == leader)
			rc = rec_perf_ungroup(p, i, err);
	return rc ? rc : TAKEN_APART;
}

/* What is to become of a failure to open an event. */
static int failed(struct rec_perf *p, size_t event, int errnum, pid_t tid,
		  size_t ring, struct err *err)
{
	const struct rec_event *e = &p->events[event];

	if (errnum == ESRCH)
		return TASK_ENDED;
	if (e->leader != event && p->events[e->leader].weak &&
	    errnum != EMFILE && errnum != ENFILE)
		return take_apart(p, e->leader, err);
	return refused(p, errnum, (int)event, tid, ring, err);
}

/* A descriptor, or -errno. */
static int open_at(struct rec_perf *p, size_t event, pid_t tid, size_t ring)
{
	struct rec_event *e = &p->events[event];
	bool in_cgroup = p->cgroups[event] >= 0;
	struct rec_perf_place at = {
		.pid = in_cgroup ? p->cgroups[event] : tid,
		.cpu = p->rings.items[ring].cpu,
		.group_fd = e->leader == event ? -1 : p->group_fds[e->leader],
		.flags = in_cgroup ? PERF_FLAG_PID_CGROUP : 0,
	};

	return rec_perf_open_event(e, &at, p->log);
}

int rec_perf_open_again(struct rec_perf *p, size_t index)
{
	const struct rec_perf_fd *f = &p->fds[index];

	if (f->event == REC_PERF_SIDEBAND)
		return rec_perf_call(&p->sideband, -1,
				     p->rings.items[f->ring].cpu);
	return open_at(p, (size_t)f->event, -1, f->ring);
}

static int open_event(struct rec_perf *p, size_t event, pid_t tid, size_t ring,
		      struct err *err)
{
	const struct rec_event *e = &p->events[event];
	int fd;

	p->group_fds[event] = -1;
	if (rec_event_is_held(e) ||
	    (e->cpus.n &&
	     !rec_cpus_has(&e->cpus, p->rings.items[ring].cpu)))
		return 0;
	fd = open_at(p, event, tid, ring);
	if (fd < 0)
		return failed(p, event, -fd, tid, ring, err);
	p->group_fds[event] = fd;
	return adopt(p, fd, (int)event, ring, err);
}

static int open_target(struct rec_perf *p, pid_t tid, struct err *err)
{
	int rc = 0;

	for (size_t ring = 0; !rc && ring < p->rings.n; ring++) {
		rc = open_sideband(p, tid, ring, err);
		for (size_t e = 0; !rc && e < p->n_events; e++)
			rc = open_event(p, e, tid, ring, err);
	}
	return rc;
}

static int too_many(const struct rec_perf *p, struct err *err)
{
	return rec_perf_refused(&(struct rec_refusal){
		.errnum = EMFILE, .n_needed = n_needed(p), .facts = &p->facts,
		.root = "" }, err);
}

/* An event that only some CPUs can count is recorded on one of them, at least,
 * and one that no task can have only of whole CPUs. */
static int check_place(const struct rec_perf *p, const struct rec_event *e,
		       struct err *err)
{
	if (e->no_tasks && !p->system_wide)
		return err_set(err, ERR_USAGE, "event '%s' counts for CPUs, not "
			       "for tasks (try: -a)", e->name);
	for (size_t i = 0; i < p->rings.n; i++)
		if (!e->cpus.n ||
		    rec_cpus_has(&e->cpus, p->rings.items[i].cpu))
			return 0;
	return err_set(err, ERR_USAGE, "event '%s' counts on CPU %d%s, which "
		       "%s not recorded", e->name, e->cpus.items[0],
		       e->cpus.n > 1 ? " and others" : "",
		       e->cpus.n > 1 ? "are" : "is");
}

static int check_places(const struct rec_perf *p, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->n_events; i++)
		rc = check_place(p, &p->events[i], err);
	if (!rc && !rec_limit_raise(n_needed(p)))
		rc = too_many(p, err);
	return rc;
}

int rec_perf_open_all(struct rec_perf *p, struct err *err)
{
	size_t gone = 0;
	int rc = check_places(p, err);

	for (size_t i = 0; !rc && i < p->targets.n; i++) {
		rc = open_target(p, p->targets.items[i].tid, err);
		gone += rc == TASK_ENDED;
		if (rc == TASK_ENDED)
			rc = 0;
	}
	if (rc)
		return rc == TAKEN_APART ? 1 : rc;
	if (gone == p->targets.n)
		return err_set(err, ERR_USAGE, "no such process: %d",
			       p->targets.items[0].from);
	if (gone)
		log_verbose(p->log, "%zu of %zu threads ended before they "
			    "could be recorded", gone, p->targets.n);
	return 0;
}

void rec_perf_close_all(struct rec_perf *p)
{
	for (size_t i = 0; i < p->n_fds; i++)
		close(p->fds[i].fd);
	p->n_fds = 0;
	map64_clear(&p->ids);
}
