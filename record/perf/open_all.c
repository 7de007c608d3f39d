#include "format/base/mem.h"
#include "record/perf/perf_state.h"
#include "record/perf/refusal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

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
			.tid = tid,
			.cpu = p->rings.items[ring].cpu,
			.n_needed = n_needed(p),
			.facts = &p->facts,
			.root = "" },
		err);
}

static int remember_id(struct rec_perf *p, int fd, int event, struct err *err)
{
	uint32_t *index;
	uint64_t id;
	bool is_new;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return err_sys(err, errno, "cannot read an event's id");
	index = map64_put(&p->ids, id, (uint32_t)event, &is_new);
	return index ? 0 : err_nomem(err);
}

/* Takes fd over. */
static int adopt(struct rec_perf *p, int fd, int event, size_t ring,
		 struct err *err)
{
	const struct rec_cpu_rings *c = &p->rings.items[ring];
	int kind = event == REC_PERF_SIDEBAND ? REC_RING_SIDEBAND :
						REC_RING_SAMPLES;

	if (!mem_grow(&p->fds, &p->fds_cap, p->n_fds + 1, sizeof(*p->fds))) {
		close(fd);
		return err_nomem(err);
	}
	p->fds[p->n_fds++] = (struct rec_perf_fd){
		.fd = fd, .event = event, .ring = (uint32_t)ring };
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, c->fd[kind]))
		return err_sys(err, errno, "cannot redirect an event to the "
			       "ring of CPU %d", c->cpu);
	return event == REC_PERF_SIDEBAND ? 0 : remember_id(p, fd, event, err);
}

/* 1: the task has ended. */
static int open_one(struct rec_perf *p, const struct log *log, int event,
		    pid_t tid, size_t ring, struct err *err)
{
	int cpu = p->rings.items[ring].cpu;
	int fd = event == REC_PERF_SIDEBAND ?
			 rec_perf_call(&p->sideband, tid, cpu) :
			 rec_perf_open_event(&p->events[event], tid, cpu, log);

	if (fd == -ESRCH)
		return 1;
	if (fd < 0)
		return refused(p, -fd, event, tid, ring, err);
	return adopt(p, fd, event, ring, err);
}

static int open_target(struct rec_perf *p, const struct log *log, pid_t tid,
		       struct err *err)
{
	for (size_t ring = 0; ring < p->rings.n; ring++)
		for (int e = REC_PERF_SIDEBAND; e < (int)p->n_events; e++) {
			int rc = open_one(p, log, e, tid, ring, err);

			if (rc)
				return rc;
		}
	return 0;
}

int rec_perf_open_all(struct rec_perf *p, const struct rec_perf_config *cfg,
		      struct err *err)
{
	size_t gone = 0;

	for (size_t i = 0; i < p->targets.n; i++) {
		int rc = open_target(p, cfg->log, p->targets.items[i].tid,
				     err);

		if (rc < 0)
			return rc;
		gone += (size_t)rc;
	}
	if (gone == p->targets.n)
		return err_set(err, ERR_USAGE, "no such process: %d",
			       p->targets.items[0].from);
	if (gone)
		log_verbose(cfg->log, "%zu of %zu threads ended before they "
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
