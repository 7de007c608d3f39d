#include "record/counter/pmu/state.h"

#include "format/base/mem.h"
#include "record/perf/cgroup.h"
#include "record/perf/filter.h"
#include "record/perf/open.h"
#include "record/perf/refusal.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Beside failures: this event, or the group, is not to be had. */
#define NOT_HERE 1

static void set_attr(const struct rec_pmu *p, uint32_t event)
{
	struct rec_event *e = &p->cfg->events->items[event];
	struct perf_event_attr *a = &e->attr;
	bool leads = e->leader == event;

	a->size = sizeof(*a);
	a->sample_period = 0;
	a->freq = 0;
	a->precise_ip = 0;
	a->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			 PERF_FORMAT_TOTAL_TIME_RUNNING;
	/* A group begins with its leader. */
	a->disabled = leads;
	a->inherit = !rec_pmu_is_everywhere(p, e) && p->cfg->inherit;
	a->enable_on_exec = leads && p->cfg->enable_on_exec &&
			    !rec_pmu_is_everywhere(p, e);
	/* Children's counts cannot be read by group. */
	if (!a->inherit)
		a->read_format |= PERF_FORMAT_GROUP | PERF_FORMAT_ID;
}

static int refused(const struct rec_pmu *p, uint32_t event, int errnum,
		   pid_t tid, int cpu, struct err *err)
{
	const struct rec_event *e = &p->cfg->events->items[event];

	return rec_perf_refused(&(struct rec_refusal){
		.errnum = errnum,
		.event = e,
		.in_group = e->leader != event,
		.tid = tid,
		.cpu = cpu,
		.n_needed = p->n_fds + 1,
		.facts = &p->facts,
		.root = p->root }, err);
}

/* Of these all counters would tell the same. */
static bool is_everybodys(int errnum)
{
	return errnum == EMFILE || errnum == ENFILE || errnum == ENOMEM ||
	       errnum == EACCES || errnum == EPERM;
}

static int cell_of(struct rec_pmu *p, uint32_t event, int cpu, uint32_t *cell,
		   struct err *err)
{
	int key = p->cfg->per_cpu ? cpu : -1;

	for (size_t i = p->n_cells; i-- > 0;)
		if (p->cells[i].event == event && p->cells[i].cpu == key) {
			*cell = (uint32_t)i;
			return 0;
		}
	if (!mem_grow(&p->cells, &p->cells_cap, p->n_cells + 1,
		      sizeof(*p->cells)))
		return err_nomem(err);
	*cell = (uint32_t)p->n_cells;
	p->cells[p->n_cells++] = (struct rec_pmu_cell){ .event = event,
							.cpu = key };
	return 0;
}

/* Takes fd over. */
static int adopt(struct rec_pmu *p, int fd, uint32_t event, int cpu,
		 struct err *err)
{
	struct rec_pmu_fd f = { .fd = fd, .event = event, .members = 1,
				.cpu = cpu };
	int rc = cell_of(p, event, cpu, &f.cell, err);

	if (rc == 0 && ioctl(fd, PERF_EVENT_IOC_ID, &f.id))
		rc = err_sys(err, errno, "cannot read an event's id");
	if (rc == 0 && !mem_grow(&p->fds, &p->fds_cap, p->n_fds + 1,
				 sizeof(*p->fds)))
		rc = err_nomem(err);
	if (rc < 0) {
		close(fd);
		return rc;
	}
	p->fds[p->n_fds++] = f;
	return 0;
}

static void miss(struct rec_pmu *p, uint32_t event, const char *why,
		 struct rec_readings *to)
{
	p->missing[event] = true;
	rec_readings_miss(to, p->cfg->events->items[event].name, why);
}

int rec_pmu_open_at(struct rec_pmu *p, uint32_t event, pid_t tid, int cpu,
		    int leader)
{
	bool in_cgroup = p->cgroups[event] >= 0;
	struct rec_perf_place at = {
		.pid = in_cgroup ? p->cgroups[event] : tid,
		.cpu = cpu,
		.group_fd = leader,
		.flags = in_cgroup ? PERF_FLAG_PID_CGROUP : 0,
	};

	return rec_perf_open_event(&p->cfg->events->items[event], &at, p->log);
}

/* `leader` is set where it is -1. */
static int open_one(struct rec_pmu *p, uint32_t event, pid_t tid, int cpu,
		    int *leader, struct rec_readings *to, struct err *err)
{
	struct rec_event *e = &p->cfg->events->items[event];
	int fd = rec_pmu_open_at(p, event, tid, cpu, *leader), rc;

	if (fd == -ESRCH)
		return 0; /* ended meanwhile */
	if (fd < 0) {
		rc = refused(p, event, -fd, tid, cpu, err);
		if (is_everybodys(-fd))
			return rc;
		miss(p, event, err->text, to);
		return NOT_HERE;
	}
	rc = adopt(p, fd, event, cpu, err);
	if (rc == 0 && e->filter)
		rc = rec_filter_set(e, fd, p->root, err);
	if (rc == 0 && *leader < 0)
		*leader = fd;
	return rc;
}

int rec_pmu_open_group(struct rec_pmu *p, uint32_t first, pid_t tid, int cpu,
		       struct rec_readings *to, struct err *err)
{
	const struct rec_events *e = p->cfg->events;
	size_t from = p->n_fds;
	int leader = -1, rc = 0;

	for (uint32_t i = first; rc >= 0 && i < e->n; i++)
		if (e->items[i].leader == first && !p->missing[i])
			rc = open_one(p, i, tid, cpu, &leader, to, err);
	if (rc < 0 || p->n_fds == from ||
	    !(e->items[first].attr.read_format & PERF_FORMAT_GROUP))
		return rc < 0 ? rc : 0;
	p->fds[from].members = (uint32_t)(p->n_fds - from);
	for (size_t i = from + 1; i < p->n_fds; i++)
		p->fds[i].members = 0;
	return 0;
}

/* On each CPU that its PMU counts on, or those of the recording. */
static int open_everywhere(struct rec_pmu *p, uint32_t first,
			   struct rec_readings *to, struct err *err)
{
	const struct rec_event *e = &p->cfg->events->items[first];
	const struct rec_cpus *on = e->cpus.n ? &e->cpus : &p->cpus;
	bool chosen = p->cfg->n_cpus && !e->no_tasks;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < on->n; i++)
		if (!chosen || rec_cpus_has(&p->cpus, on->items[i]))
			rc = rec_pmu_open_group(p, first, -1, on->items[i], to,
						err);
	return rc;
}

static int open_for_tasks(struct rec_pmu *p, uint32_t first,
			  struct rec_readings *to, struct err *err)
{
	int rc = 0;

	for (size_t t = 0; rc == 0 && t < p->targets.n; t++) {
		pid_t tid = p->targets.items[t].tid;

		if (!p->cfg->n_cpus && !p->cfg->per_cpu)
			rc = rec_pmu_open_group(p, first, tid, -1, to, err);
		else
			for (size_t c = 0; rc == 0 && c < p->cpus.n; c++)
				rc = rec_pmu_open_group(p, first, tid,
							p->cpus.items[c], to,
							err);
	}
	return rc;
}

static int find_cpus(struct rec_pmu *p, struct err *err)
{
	const struct rec_pmu_config *c = p->cfg;
	struct rec_cpus online = { 0 };
	int rc = rec_cpus_online(&online, p->root, err);

	for (size_t i = 0; rc == 0 && i < c->n_cpus; i++)
		rc = rec_cpus_has(&online, c->cpus[i]) ?
			     rec_cpus_add(&p->cpus, c->cpus[i], err) :
			     err_set(err, ERR_IO, "cannot count on CPU %d: it "
				     "is not online", c->cpus[i]);
	if (c->n_cpus)
		rec_cpus_fini(&online);
	else
		p->cpus = online;
	return rc;
}

static int find_targets(struct rec_pmu *p, struct err *err)
{
	const struct rec_pmu_config *c = p->cfg;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->n_pids; i++) {
		rc = rec_targets_process(&p->targets, p->root, c->pids[i],
					 err);
		if (rc == ERR_USAGE && c->pids_may_end)
			rc = 0;
	}
	for (size_t i = 0; rc == 0 && i < c->n_tids; i++)
		rc = rec_targets_add(&p->targets, c->tids[i], c->tids[i], err);
	if (rc == 0 && c->child)
		rc = rec_targets_add(&p->targets, c->child, c->child, err);
	return rc ? rc : find_cpus(p, err);
}

/* A device's events are of no task, so of no cgroup either. */
static int open_cgroup(struct rec_pmu *p, uint32_t event,
		       struct rec_readings *to, struct err *err)
{
	const struct rec_event *e = &p->cfg->events->items[event];

	p->cgroups[event] = -1;
	if (!e->cgroup)
		return 0;
	if (!e->no_tasks)
		return rec_cgroup_open(&p->cgroups[event], p->root, e->cgroup,
				       err);
	miss(p, event, "it counts for the whole machine, not for a cgroup", to);
	return 0;
}

int rec_pmu_open(struct rec_pmu *p, struct rec_readings *to, struct err *err)
{
	const struct rec_events *e = p->cfg->events;
	int rc = find_targets(p, err);

	for (uint32_t i = 0; i < e->n; i++)
		set_attr(p, i);
	for (uint32_t i = 0; rc == 0 && i < e->n; i++)
		rc = open_cgroup(p, i, to, err);
	for (uint32_t i = 0; rc == 0 && i < e->n; i++) {
		if (e->items[i].leader != i)
			continue;
		if (e->items[i].no_tasks && !p->cfg->system_wide)
			log_warn(p->log, "'%s' counts for the whole machine, "
				 "not only for what is recorded",
				 e->items[i].name);
		rc = rec_pmu_is_everywhere(p, &e->items[i]) ?
			     open_everywhere(p, i, to, err) :
			     open_for_tasks(p, i, to, err);
	}
	return rc;
}
