#include "record/counter/pmu/watch.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/counter/pmu/kind.h"
#include "record/perf/open.h"
#include "record/perf/sysfs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often a thread looks; more often while a CPU is away, since none of what
 * it does before it is found to be back is counted. */
#define LOOK_NS NSEC_PER_SEC
#define LOOK_AWAY_NS (NSEC_PER_SEC / 10)

/* Its driver chooses the CPU that it is counted on. */
static bool is_device(const struct rec_event *e)
{
	return e->no_tasks && e->cpus.n;
}

static struct rec_pmu_guard *guard_of(const struct rec_pmu *p, int cpu)
{
	for (size_t i = 0; i < p->n_guards; i++)
		if (p->guards[i].cpu == cpu)
			return &p->guards[i];
	return NULL;
}

static bool clock_of(int fd, uint64_t *enabled_ns)
{
	uint64_t words[2]; /* value, enabled */

	if (fd < 0 || read(fd, words, sizeof(words)) != sizeof(words))
		return false;
	*enabled_ns = words[1];
	return true;
}

static void open_guard(struct rec_pmu_guard *g)
{
	struct perf_event_attr a = rec_perf_dummy();

	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	a.disabled = 0;
	if (g->fd >= 0)
		close(g->fd);
	g->fd = rec_perf_call(&a, -1, g->cpu);
	if (g->fd < 0)
		g->fd = -1;
	g->at_ns = time_now_ns(CLOCK_MONOTONIC);
	if (!clock_of(g->fd, &g->enabled))
		g->enabled = 0;
	g->away = g->unwell = false;
}

static int add_guard(struct rec_pmu *p, int cpu, struct err *err)
{
	if (!mem_grow(&p->guards, &p->guards_cap, p->n_guards + 1,
		      sizeof(*p->guards)))
		return err_nomem(err);
	p->guards[p->n_guards] = (struct rec_pmu_guard){ .cpu = cpu,
							 .fd = -1 };
	open_guard(&p->guards[p->n_guards++]);
	return rec_cpus_add(&p->watched, cpu, err);
}

int rec_pmu_watch_open(struct rec_pmu *p, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && p->cfg->system_wide && i < p->n_fds; i++)
		if (!guard_of(p, p->fds[i].cpu) &&
		    !is_device(&p->cfg->events->items[p->fds[i].event]))
			rc = add_guard(p, p->fds[i].cpu, err);
	return rc;
}

static void count(struct rec_pmu *p, uint32_t away, uint32_t back,
		  uint32_t added, uint64_t away_ns)
{
	pthread_mutex_lock(&p->to->lock);
	p->to->cpus.away += away;
	p->to->cpus.back += back;
	p->to->cpus.added += added;
	p->to->cpus.away_ns += away_ns;
	pthread_mutex_unlock(&p->to->lock);
}

/* When a guard that stands still was taken off: its clock went on for so long
 * after the last look. */
static uint64_t left_at(const struct rec_pmu_guard *g, uint64_t now_ns)
{
	uint64_t clock, at = now_ns;

	if (clock_of(g->fd, &clock) && clock >= g->enabled)
		at = g->at_ns + (clock - g->enabled);
	return at < now_ns ? at : now_ns;
}

static void add_absence(struct rec_pmu *p, struct rec_pmu_guard *g)
{
	uint64_t now = time_now_ns(CLOCK_MONOTONIC);

	count(p, 0, 0, 0, now - g->at_ns);
	g->at_ns = now;
}

static void go_away(struct rec_pmu *p, struct rec_pmu_guard *g)
{
	g->at_ns = left_at(g, time_now_ns(CLOCK_MONOTONIC));
	g->away = true;
	g->unwell = false;
	count(p, 1, 0, 0, 0);
	log_warn(p->log, "CPU %d went offline: it is not counted", g->cpu);
}

static bool is_of(const struct rec_pmu *p, const struct rec_pmu_fd *f, int cpu)
{
	return f->cpu == cpu && f->members &&
	       !is_device(&p->cfg->events->items[f->event]);
}

static bool has_any(const struct rec_pmu *p, int cpu)
{
	for (size_t i = 0; i < p->n_fds; i++)
		if (is_of(p, &p->fds[i], cpu))
			return true;
	return false;
}

/* One that fails does not keep the others from being counted. */
static int reopen_all(struct rec_pmu *p, const struct rec_pmu_guard *g,
		      struct err *err)
{
	int rc = 0;

	if (!has_any(p, g->cpu)) /* it came anew and went at once */
		return rec_pmu_open_on(p, g->cpu, p->to, err);
	for (size_t i = 0; i < p->n_fds; i++) {
		struct err why = { 0 };
		int failed;

		if (!is_of(p, &p->fds[i], g->cpu) ||
		    (g->unwell && p->fds[i].fd >= 0))
			continue;
		rec_pmu_retire(p, i);
		failed = rec_pmu_reopen(p, i, g->cpu, &why);
		if (failed < 0 && rc == 0) {
			rc = failed;
			*err = why;
		}
	}
	return rc;
}

/* Where an event cannot be had again it stays away, and is tried at each look. */
static int come_back(struct rec_pmu *p, struct rec_pmu_guard *g,
		     struct err *err)
{
	int rc = reopen_all(p, g, err);

	add_absence(p, g);
	g->unwell = rc < 0;
	if (rc < 0)
		return err_in(err, rc, "CPU %d came back", g->cpu);
	open_guard(g);
	count(p, 0, 1, 0, 0);
	log_warn(p->log, "CPU %d came back and is counted again", g->cpu);
	return 0;
}

static int come_anew(struct rec_pmu *p, int cpu, struct err *err)
{
	int rc = add_guard(p, cpu, err);
	struct rec_pmu_guard *g = guard_of(p, cpu);

	if (rc == 0)
		rc = rec_pmu_open_on(p, cpu, p->to, err);
	if (rc < 0 && g)
		g->away = g->unwell = true;
	if (rc < 0)
		return err_in(err, rc, "CPU %d came online", cpu);
	count(p, 0, 0, 1, 0);
	log_warn(p->log, "CPU %d came online and is counted from now on", cpu);
	return 0;
}

static int change(void *ctx, int cpu, bool back, struct err *err)
{
	struct rec_pmu *p = ctx;
	struct rec_pmu_guard *g = guard_of(p, cpu);

	if (!g)
		return come_anew(p, cpu, err);
	if (back)
		return come_back(p, g, err);
	go_away(p, g);
	return 0;
}

/* It was away and came back between two looks, or all were while the machine
 * slept. */
static int look_at_guard(struct rec_pmu *p, struct rec_pmu_guard *g,
			 struct err *err)
{
	uint64_t clock, again;

	if (g->away) {
		add_absence(p, g);
		return g->unwell ? come_back(p, g, err) : 0;
	}
	if (!clock_of(g->fd, &clock) || !clock_of(g->fd, &again))
		return 0;
	if (clock == again) {
		go_away(p, g);
		return come_back(p, g, err);
	}
	g->enabled = again;
	g->at_ns = time_now_ns(CLOCK_MONOTONIC);
	return 0;
}

/* Where the driver of a device has it counted now and nothing of this event
 * is; -1: nowhere. */
static int new_place(struct rec_pmu *p, const struct rec_pmu_fd *f)
{
	const struct rec_event *e = &p->cfg->events->items[f->event];
	char pmu[NAME_MAX + 1], list[REC_SYSFS_MAX];
	struct rec_cpus mask = { 0 };
	int cpu = -1;

	rec_pmu_name(pmu, sizeof(pmu), p->root, e->attr.type);
	if (!*pmu || !rec_sysfs_line(list, sizeof(list), p->root,
				     REC_PMU_DEVICES "/%s/cpumask", pmu) ||
	    rec_cpus_parse(&mask, list, NULL))
		mask.n = 0;
	for (size_t i = 0; cpu < 0 && i < mask.n; i++) {
		cpu = mask.items[i];
		for (size_t k = 0; k < p->n_fds; k++)
			if (&p->fds[k] != f && p->fds[k].cpu == cpu &&
			    p->fds[k].event == f->event)
				cpu = -1;
	}
	rec_cpus_fini(&mask);
	return cpu;
}

/* perf_pmu_migrate_context() has moved it with its device, and then its clock
 * goes on; a driver that does not call it leaves it behind. */
static int look_at_device(struct rec_pmu *p, size_t at, struct err *err)
{
	struct rec_pmu_fd *f = &p->fds[at];
	uint64_t clock;
	int cpu, rc;

	if (f->fd >= 0) {
		if (!rec_pmu_counts(p, at))
			return 0;
		clock = p->counts[0].enabled;
		if (!rec_pmu_counts(p, at) || clock != p->counts[0].enabled)
			return 0;
		rec_pmu_retire(p, at);
	}
	cpu = new_place(p, f);
	if (cpu < 0)
		return 0;
	rc = rec_pmu_reopen(p, at, cpu, err);
	if (rc == 0)
		log_warn(p->log, "'%s' is counted on CPU %d now",
			 p->cfg->events->items[f->event].name, cpu);
	return rc;
}

static void look(struct rec_pmu *p)
{
	bool all = p->cfg->system_wide && !p->cfg->n_cpus;
	struct err err = { 0 };
	int rc = 0;

	p->looked_ns = time_now_ns(CLOCK_MONOTONIC);
	if (p->n_guards)
		rc = rec_hotplug_look(&p->hotplug, p->root, &p->watched, all,
				      change, p, &err);
	for (size_t i = 0; rc == 0 && i < p->n_guards; i++)
		rc = look_at_guard(p, &p->guards[i], &err);
	for (size_t i = 0; rc == 0 && i < p->n_fds; i++)
		if (p->fds[i].members &&
		    is_device(&p->cfg->events->items[p->fds[i].event]))
			rc = look_at_device(p, i, &err);
	/* What stays so is not said each second. */
	if (rc && strcmp(err.text, p->said.text) != 0)
		log_warn(p->log, "%s", err.text);
	p->said = err;
}

static bool any_away(const struct rec_pmu *p)
{
	for (size_t i = 0; i < p->n_guards; i++)
		if (p->guards[i].away)
			return true;
	return false;
}

void rec_pmu_watch_look(struct rec_pmu *p)
{
	if (any_away(p) ||
	    time_now_ns(CLOCK_MONOTONIC) - p->looked_ns >= LOOK_NS)
		look(p);
}

static void *thread_main(void *arg)
{
	struct rec_pmu *p = arg;

	pthread_mutex_lock(&p->lock);
	while (!p->over) {
		uint64_t at_ns = time_now_ns(CLOCK_MONOTONIC) +
				 (any_away(p) ? LOOK_AWAY_NS : LOOK_NS);
		const struct timespec at = { (time_t)(at_ns / NSEC_PER_SEC),
					     (long)(at_ns % NSEC_PER_SEC) };

		while (!p->over &&
		       !pthread_cond_timedwait(&p->wake, &p->lock, &at))
			;
		if (!p->over)
			look(p);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static bool has_device(const struct rec_pmu *p)
{
	for (size_t i = 0; i < p->n_fds; i++)
		if (is_device(&p->cfg->events->items[p->fds[i].event]))
			return true;
	return false;
}

void rec_pmu_watch_begin(struct rec_pmu *p)
{
	if (p->n_guards || has_device(p))
		p->running = !pthread_create(&p->thread, NULL, thread_main, p);
}

void rec_pmu_watch_fini(struct rec_pmu *p)
{
	if (p->running) {
		pthread_mutex_lock(&p->lock);
		p->over = true;
		pthread_cond_broadcast(&p->wake);
		pthread_mutex_unlock(&p->lock);
		pthread_join(p->thread, NULL);
	}
	for (size_t i = 0; i < p->n_guards; i++)
		if (p->guards[i].fd >= 0)
			close(p->guards[i].fd);
	free(p->guards);
	rec_cpus_fini(&p->watched);
	rec_hotplug_fini(&p->hotplug);
}
