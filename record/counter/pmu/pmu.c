#include "record/counter/pmu/pmu.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/counter/pmu/kind.h"
#include "record/counter/pmu/state.h"
#include "record/counter/pmu/watch.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

/* Words of a reading of a group: how many, enabled, running; and two a member. */
#define WORDS(n) (3 + 2 * (n))

static void pmu_close(void *state)
{
	struct rec_pmu *p = state;

	rec_pmu_watch_fini(p);
	for (size_t i = 0; i < p->n_fds; i++)
		if (p->fds[i].fd >= 0)
			close(p->fds[i].fd);
	for (size_t i = 0; p->cgroups && i < p->cfg->events->n; i++)
		if (p->cgroups[i] >= 0)
			close(p->cgroups[i]);
	rec_cpus_fini(&p->cpus);
	rec_targets_fini(&p->targets);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p->cgroups);
	free(p->missing);
	free(p->fds);
	free(p->cells);
	free(p->words);
	free(p->counts);
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
		.label = e->cgroup,
	});
}

void rec_pmu_name_cells(struct rec_pmu *p, struct rec_readings *to)
{
	for (; p->n_named < p->n_cells; p->n_named++) {
		struct rec_pmu_cell *c = &p->cells[p->n_named];

		c->series = add_series(p, c->event, c->cpu, to);
	}
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

static void make_lock(struct rec_pmu *p)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->wake, &attr);
	pthread_condattr_destroy(&attr);
}

static bool make_room(struct rec_pmu *p, size_t n)
{
	p->cgroups = malloc(n * sizeof(*p->cgroups));
	for (size_t i = 0; p->cgroups && i < n; i++)
		p->cgroups[i] = -1;
	p->missing = calloc(n, sizeof(*p->missing));
	p->words = calloc(WORDS(n), sizeof(*p->words));
	p->counts = calloc(n, sizeof(*p->counts));
	return p->cgroups && p->missing && p->words && p->counts;
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
	p->to = to;
	make_lock(p);
	rec_perf_facts_read(&p->facts, p->root);
	rc = make_room(p, n) ? rec_pmu_open(p, to, err) : err_nomem(err);
	if (rc == 0)
		rc = rec_pmu_watch_open(p, err);
	if (rc < 0) {
		pmu_close(p);
		return rc;
	}
	rec_pmu_name_cells(p, to);
	*state = p;
	return 0;
}

static void enable(struct rec_pmu *p)
{
	p->enabled = true;
	for (size_t i = 0; i < p->n_fds; i++)
		rec_pmu_enable(p, i);
	rec_pmu_watch_begin(p);
}

static void take(struct rec_pmu_cell *c, const struct rec_pmu_count *n)
{
	c->now.value += n->value;
	c->now.enabled += n->enabled;
	c->now.running += n->running;
}

/* A group, or one event, at one place. The kernel gives nothing of an event
 * that it had to give up. */
static void read_one(struct rec_pmu *p, size_t at)
{
	const struct rec_pmu_fd *f = &p->fds[at];
	bool good = rec_pmu_counts(p, at);

	for (uint32_t i = 0; i < f->members; i++)
		if (good)
			take(&p->cells[f[i].cell], &p->counts[i]);
		else if (f[i].fd >= 0)
			p->cells[f[i].cell].failed = true;
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
			read_one(p, i);
	}
	return i;
}

/* The clock of an event that is on goes on; of one of a single CPU it stands
 * still where that was away all the time. A cgroup's does where nothing of it
 * ran. */
static bool stood_still(const struct rec_pmu *p, const struct rec_pmu_cell *c)
{
	const struct rec_event *e = &p->cfg->events->items[c->event];

	return p->cfg->system_wide && c->cpu >= 0 && !e->cgroup &&
	       c->enabled && c->now.enabled == c->enabled;
}

/* On each CPU a task's event is enabled for as long as the task runs anywhere,
 * which is no time that the counter took turns in. Of all CPUs together it is
 * what is not running on any of them; of some nobody can say. */
static void settle_event(struct rec_pmu *p, uint32_t event)
{
	uint64_t enabled = 0, running = 0;
	double turns = 1;

	for (size_t i = 0; i < p->n_cells; i++) {
		const struct rec_pmu_cell *c = &p->cells[i];

		if (c->event != event)
			continue;
		running += c->now.running;
		if (c->now.enabled > enabled)
			enabled = c->now.enabled;
	}
	if (!p->cfg->n_cpus && !running)
		return;
	if (!p->cfg->n_cpus && running < enabled - enabled / 1000)
		turns = (double)enabled / (double)running;
	for (size_t i = 0; i < p->n_cells; i++) {
		struct rec_pmu_cell *c = &p->cells[i];
		uint64_t own = (uint64_t)((double)c->now.running * turns);

		if (c->event != event)
			continue;
		own = own > c->now.running ? own : c->now.running;
		c->now.enabled = own > c->enabled ? own : c->enabled;
	}
}

static void settle(struct rec_pmu *p, size_t leader)
{
	const struct rec_events *e = p->cfg->events;

	if (!p->cfg->n_cpus && !p->cfg->per_cpu)
		return;
	for (uint32_t i = (uint32_t)leader; i < e->n; i++)
		if (e->items[i].leader == leader &&
		    !rec_pmu_is_everywhere(p, &e->items[i]))
			settle_event(p, i);
}

static void put_cell(struct rec_pmu *p, struct rec_pmu_cell *c, uint64_t begin,
		     uint64_t end, struct rec_readings *to)
{
	struct rec_reading r;

	take(c, &c->kept);
	r = rec_reading_between(begin, end, (int64_t)c->now.value);
	r.enabled_ns = c->now.enabled;
	r.running_ns = c->now.running;
	if (c->failed || stood_still(p, c))
		r.state = TF_COUNTER_FAILED;
	rec_readings_add(to, c->series, &r);
	c->enabled = c->now.enabled;
	c->now = (struct rec_pmu_count){ 0 };
	c->failed = false;
}

static void put(struct rec_pmu *p, size_t leader, uint64_t begin, uint64_t end,
		struct rec_readings *to)
{
	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cfg->events->items[p->cells[i].event].leader == leader)
			put_cell(p, &p->cells[i], begin, end, to);
}

static void pmu_read(void *state, struct rec_readings *to)
{
	struct rec_pmu *p = state;

	pthread_mutex_lock(&p->lock);
	if (!p->enabled)
		enable(p);
	rec_pmu_watch_look(p);
	for (size_t i = 0; i < p->n_fds;) {
		size_t leader = p->cfg->events->items[p->fds[i].event].leader;
		uint64_t begin;

		tell_missing(p, leader, to);
		begin = time_now_ns(CLOCK_MONOTONIC);
		i = read_group(p, i);
		settle(p, leader);
		put(p, leader, begin, time_now_ns(CLOCK_MONOTONIC), to);
	}
	tell_missing(p, p->cfg->events->n, to);
	pthread_mutex_unlock(&p->lock);
}

const struct rec_counter_source rec_counter_pmu = {
	.name = "pmu",
	.open = pmu_open,
	.read = pmu_read,
	.close = pmu_close,
};
