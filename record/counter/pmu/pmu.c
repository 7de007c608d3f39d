#include "record/counter/pmu/pmu.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/counter/pmu/kind.h"
#include "record/counter/pmu/state.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Of a reading: how many, enabled, running; then a value each. Without
 * PERF_FORMAT_GROUP the value is first. */
#define GROUP_WORDS 3u

static void pmu_close(void *state)
{
	struct rec_pmu *p = state;

	for (size_t i = 0; i < p->n_fds; i++)
		close(p->fds[i].fd);
	rec_cpus_fini(&p->cpus);
	rec_targets_fini(&p->targets);
	free(p->missing);
	free(p->fds);
	free(p->cells);
	free(p->words);
	free(p);
}

static uint32_t add_series(const struct rec_pmu *p, uint32_t event, int cpu,
			   struct rec_readings *to)
{
	const struct rec_event *e = &p->cfg->events->items[event];
	char pmu[NAME_MAX + 1];
	struct rec_pmu_kind kind;

	rec_pmu_name(pmu, sizeof(pmu), p->root, e->attr.type);
	kind = rec_pmu_kind_of(pmu, e->name, e->attr.config);
	return rec_readings_series(to, &(struct rec_series){
		.name = e->name,
		.unit = kind.unit ? kind.unit :
			e->pmu_unit ? e->pmu_unit : e->unit,
		.kind = kind.kind,
		.scale = e->scale,
		.source = TF_SERIES_PMU,
		.cpu = (uint32_t)(cpu + 1),
		.device = pmu,
		.run = p->cfg->run,
	});
}

static void name_series(struct rec_pmu *p, struct rec_readings *to)
{
	for (size_t i = 0; i < p->n_cells; i++)
		p->cells[i].series = add_series(p, p->cells[i].event,
						p->cells[i].cpu, to);
}

/* An event that is not to be had is a series, too, which says so; in its place
 * among the others, before the event `until`. */
static void tell_missing(struct rec_pmu *p, size_t until,
			 struct rec_readings *to)
{
	uint64_t now = time_now_ns(CLOCK_MONOTONIC);
	struct rec_reading none = rec_reading_between(now, now, 0);

	none.state = TF_COUNTER_NONE;
	for (; p->told < until; p->told++)
		if (p->missing[p->told])
			rec_readings_add(to, add_series(p, p->told, -1, to),
					 &none);
}

static int pmu_open(void **state, const struct rec_counter_opening *how,
		    struct rec_readings *to, struct err *err)
{
	size_t n = how->pmu->events->n;
	struct rec_pmu *p;
	int rc;

	if (!n)
		return err_set(err, ERR_UNSUPPORTED, "no event to count"), 1;
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_nomem(err);
	p->cfg = how->pmu;
	p->log = how->log;
	p->root = how->root;
	rec_perf_facts_read(&p->facts, p->root);
	p->missing = calloc(n, sizeof(*p->missing));
	p->words = calloc(n + GROUP_WORDS, sizeof(*p->words));
	rc = p->missing && p->words ? rec_pmu_open(p, to, err) :
				      err_nomem(err);
	if (rc < 0) {
		pmu_close(p);
		return rc;
	}
	name_series(p, to);
	*state = p;
	return 0;
}

static void enable(struct rec_pmu *p)
{
	p->enabled = true;
	for (size_t i = 0; i < p->n_fds; i++)
		if (p->fds[i].members &&
		    !p->cfg->events->items[p->fds[i].event]
			     .attr.enable_on_exec)
			(void)ioctl(p->fds[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void take(struct rec_pmu_cell *c, uint64_t value, uint64_t enabled,
		 uint64_t running)
{
	c->value += value;
	c->enabled += enabled;
	c->running += running;
}

/* A group, or one event, at one place. The kernel gives nothing of an event
 * that it had to give up. */
static void read_one(struct rec_pmu *p, const struct rec_pmu_fd *f)
{
	uint64_t *w = p->words;
	bool group = p->cfg->events->items[f->event].attr.read_format &
		     PERF_FORMAT_GROUP;
	size_t want = (GROUP_WORDS + (group ? f->members : 0)) * sizeof(*w);
	ssize_t n = read(f->fd, w, want);

	if (n != (ssize_t)want || (group && w[0] != f->members)) {
		for (uint32_t i = 0; i < f->members; i++)
			p->cells[f[i].cell].failed = true;
		return;
	}
	if (!group)
		take(&p->cells[f->cell], w[0], w[1], w[2]);
	for (uint32_t i = 0; group && i < f->members; i++)
		take(&p->cells[f[i].cell], w[GROUP_WORDS + i], w[1], w[2]);
}

/* All of one group, everywhere: [from, to) of fds. */
static size_t read_group(struct rec_pmu *p, size_t from)
{
	size_t leader = p->cfg->events->items[p->fds[from].event].leader;
	size_t i = from;

	for (; i < p->n_fds; i++) {
		const struct rec_pmu_fd *f = &p->fds[i];

		if (p->cfg->events->items[f->event].leader != leader)
			break;
		if (f->members)
			read_one(p, f);
	}
	return i;
}

static void put(struct rec_pmu *p, size_t leader, uint64_t begin, uint64_t end,
		struct rec_readings *to)
{
	for (size_t i = 0; i < p->n_cells; i++) {
		struct rec_pmu_cell *c = &p->cells[i];
		struct rec_reading r =
			rec_reading_between(begin, end, (int64_t)c->value);

		if (p->cfg->events->items[c->event].leader != leader)
			continue;
		r.enabled_ns = c->enabled;
		r.running_ns = c->running;
		if (c->failed)
			r.state = TF_COUNTER_FAILED;
		rec_readings_add(to, c->series, &r);
		c->value = c->enabled = c->running = 0;
		c->failed = false;
	}
}

static void pmu_read(void *state, struct rec_readings *to)
{
	struct rec_pmu *p = state;

	if (!p->enabled)
		enable(p);
	for (size_t i = 0; i < p->n_fds;) {
		size_t leader = p->cfg->events->items[p->fds[i].event].leader;
		uint64_t begin;

		tell_missing(p, leader, to);
		begin = time_now_ns(CLOCK_MONOTONIC);
		i = read_group(p, i);
		put(p, leader, begin, time_now_ns(CLOCK_MONOTONIC), to);
	}
	tell_missing(p, p->cfg->events->n, to);
}

const struct rec_counter_source rec_counter_pmu = {
	.name = "pmu",
	.open = pmu_open,
	.read = pmu_read,
	.close = pmu_close,
};
