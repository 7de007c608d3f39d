/* Events of CPUs that came while others are counted. */
#include "record/counter/pmu/state.h"

#include "format/base/time.h"
#include "record/perf/filter.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int reopen_one(struct rec_pmu *p, struct rec_pmu_fd *f, int cpu,
		      int leader, struct err *err)
{
	const struct rec_event *e = &p->cfg->events->items[f->event];
	int fd = rec_pmu_open_at(p, f->event, -1, cpu, leader);
	int rc = 0;

	if (fd < 0)
		return err_sys(err, -fd, "cannot count '%s'", e->name);
	f->fd = fd;
	f->cpu = cpu;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &f->id))
		rc = err_sys(err, errno, "cannot read an event's id");
	if (rc == 0 && e->filter)
		rc = rec_filter_set(e, fd, p->root, err);
	return rc;
}

int rec_pmu_reopen(struct rec_pmu *p, size_t at, int cpu, struct err *err)
{
	uint32_t n = p->fds[at].members;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < n; i++)
		rc = reopen_one(p, &p->fds[at + i], cpu,
				i ? p->fds[at].fd : -1, err);
	for (uint32_t i = 0; rc < 0 && i < n; i++) {
		if (p->fds[at + i].fd >= 0)
			close(p->fds[at + i].fd);
		p->fds[at + i].fd = -1;
	}
	if (rc == 0 && p->enabled)
		rec_pmu_enable(p, at);
	return rc;
}

static size_t leader_of(const struct rec_pmu *p, const struct rec_pmu_fd *f)
{
	return p->cfg->events->items[f->event].leader;
}

/* Those from `from` on go behind the others of their group; all are in the order
 * of groups already. */
static void put_in_order(struct rec_pmu *p, size_t from)
{
	for (size_t i = from; i < p->n_fds; i++) {
		struct rec_pmu_fd f = p->fds[i];
		size_t to = i;

		for (; to && leader_of(p, &p->fds[to - 1]) > leader_of(p, &f);
		     to--)
			p->fds[to] = p->fds[to - 1];
		p->fds[to] = f;
	}
}

/* From when a series of its own counts: from nothing, and from now on. */
static void begin_series(struct rec_pmu *p, struct rec_readings *to)
{
	const uint64_t now = time_now_ns(CLOCK_MONOTONIC);
	const struct rec_reading none = rec_reading_between(now, now, 0);
	size_t from = p->n_named;

	rec_pmu_name_cells(p, to);
	for (size_t i = from; i < p->n_cells; i++)
		rec_readings_add(to, p->cells[i].series, &none);
}

int rec_pmu_open_on(struct rec_pmu *p, int cpu, struct rec_readings *to,
		    struct err *err)
{
	const struct rec_events *e = p->cfg->events;
	size_t from = p->n_fds;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < e->n; i++) {
		const struct rec_event *x = &e->items[i];

		if (x->leader == i && !x->no_tasks &&
		    (!x->cpus.n || rec_cpus_has(&x->cpus, cpu)))
			rc = rec_pmu_open_group(p, i, -1, cpu, to, err);
	}
	begin_series(p, to);
	for (size_t i = from; p->enabled && i < p->n_fds; i++)
		rec_pmu_enable(p, i);
	put_in_order(p, from);
	return rc;
}
