#include "record/config_events.h"

#include "format/base/mem.h"
#include "record/config_counted.h"
#include "record/gpu/events.h"
#include "record/perf/event_modifiers.h"
#include "record/perf/filter.h"
#include "record/proc/procfs.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reading {
	struct rec_events *events;
	size_t last; /* first of those of the last -e */
	size_t n_cgroups;
};

static int add_event(struct reading *r, const char *text, struct err *err)
{
	r->last = r->events->n;
	return rec_events_add(r->events, text, err);
}

static int add_to_one(struct rec_event *e, const char *text, struct err *err)
{
	int rc;

	if (!e->tracepoint)
		return err_set(err, ERR_USAGE, "option '--filter': the event "
			       "before it, '%s', is no tracepoint", e->name);
	rc = rec_filter_add(&e->filter, text, err);
	return rc ? rc : rec_filter_add(&e->asked_filter, text, err);
}

/* As perf has it: for all events of the last -e, each of which must be a
 * tracepoint. */
static int add_filter(struct reading *r, const char *text, struct err *err)
{
	struct rec_events *e = r->events;
	int rc = 0;

	if (r->last == e->n)
		return err_set(err, ERR_USAGE, "option '--filter': there is no "
			       "event before '%s' (-e SYSTEM:NAME --filter …)",
			       text);
	for (size_t i = r->last; !rc && i < e->n; i++)
		rc = add_to_one(&e->items[i], text, err);
	return rc;
}

static int set_cgroup(struct rec_event *e, const char *name, size_t n,
		      struct err *err)
{
	char *copy;

	if (!n)
		return 0;
	copy = strndup(name, n);
	if (!copy)
		return err_nomem(err);
	free(e->cgroup);
	e->cgroup = copy;
	return 0;
}

/* Where there are several the name of an event that is sampled tells which it is
 * of; a count has a label for that. */
static int show_cgroups(struct rec_events *e, struct err *err)
{
	for (size_t i = 0; i < e->n; i++) {
		struct rec_event *x = &e->items[i];
		char *full = NULL;

		if (!x->cgroup)
			continue;
		if (asprintf(&full, "%s@%s", x->name, x->cgroup) < 0)
			return err_nomem(err);
		free(x->name);
		x->name = full;
	}
	return 0;
}

/* The n-th name is for the n-th event, an empty one for the whole system. */
static int add_cgroups(struct reading *r, const char *list, struct err *err)
{
	int rc = 0;

	for (const char *at = list; !rc; at += strcspn(at, ",") + 1) {
		size_t n = strcspn(at, ",");

		if (r->n_cgroups >= r->events->n)
			return err_set(err, ERR_USAGE, "option '-G': '%.*s' has "
				       "no event before it", (int)n, at);
		rc = set_cgroup(&r->events->items[r->n_cgroups], at, n, err);
		r->n_cgroups++;
		if (!at[n])
			break;
	}
	/* A single one is for all events so far. */
	for (size_t i = 1; !rc && r->n_cgroups == 1 && i < r->events->n; i++)
		rc = set_cgroup(&r->events->items[i], list, strlen(list), err);
	return rc;
}

static int read_option(struct reading *r, const struct opt *row,
		       const char *value, struct err *err)
{
	if (row->letter == 'e')
		return add_event(r, value, err);
	if (row->letter == 'G')
		return add_cgroups(r, value, err);
	return add_filter(r, value, err);
}

static int all_levels(struct rec_events *e, const char *modifier,
		      struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < e->n; i++) {
		struct rec_event *x = &e->items[i];

		/* Without the kernel nothing is left of a tracepoint. */
		if (x->tracepoint)
			continue;
		rc = rec_modifiers_apply(x, x->name, modifier, err);
		if (!rc)
			rc = rec_event_show_modifiers(x, modifier, err);
	}
	return rc;
}

static void make_group(struct rec_events *e)
{
	for (size_t i = 0; i < e->n; i++)
		e->items[i].leader = 0;
}

/* NULL where they are not all of one. */
static const char *common_cgroup(const struct rec_events *e)
{
	const char *name = e->items[0].cgroup;

	for (size_t i = 1; i < e->n; i++)
		if (!name || !e->items[i].cgroup ||
		    strcmp(name, e->items[i].cgroup))
			return NULL;
	return name;
}

static int add_switches(struct rec_events *e, struct err *err)
{
	const char *cgroup = common_cgroup(e);
	int rc = rec_events_add(e, "dummy/name=switch/u", err);

	if (rc)
		return rc;
	e->items[e->n - 1].switches = true;
	return cgroup ? set_cgroup(&e->items[e->n - 1], cgroup, strlen(cgroup),
				   err) : 0;
}

/* Those of perf stat, or the one to sample. */
static int add_default(struct rec_config *c, const struct rec_args *a,
		       struct err *err)
{
	int rc;

	if (rec_config_samples(a))
		return rec_events_default(&c->events, &c->default_why, err);
	rc = rec_events_add(&c->events, c->system_wide ? "cpu-clock" :
							 "task-clock", err);
	return rc ? rc : rec_events_add(&c->events, "context-switches,"
					"cpu-migrations,page-faults,cycles,"
					"instructions,branches,branch-misses",
					err);
}

/* Those that perf stat -d, -dd and -ddd add. */
static int add_detailed(struct rec_events *e, int steps, struct err *err)
{
	static const char *const lists[] = {
		"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,"
		"LLC-load-misses",
		"L1-icache-loads,L1-icache-load-misses,dTLB-loads,"
		"dTLB-load-misses,iTLB-loads,iTLB-load-misses",
		"L1-dcache-prefetches,L1-dcache-prefetch-misses",
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_LEN(lists) && steps > (int)i; i++)
		rc = rec_events_add(e, lists[i], err);
	return rc;
}

/* Its events have a rate of their own: one that is given is of something to
 * sample beside them. */
static bool is_gpu_enough(const struct rec_args *a)
{
	return a->gpu && !a->count_only && !a->frequency && !a->period_given;
}

static int read_all(struct rec_config *c, const struct rec_args *a,
		    size_t *n_cgroups, struct err *err)
{
	struct reading r = { .events = &c->events };
	int rc = 0;

	c->events.each = !rec_config_samples(a);
	for (size_t i = 0; !rc && i < a->events.n; i++)
		rc = read_option(&r, a->events.rows[i], a->events.items[i],
				 err);
	c->event_named = c->events.n || is_gpu_enough(a) || a->aliases.n;
	if (!rc && !c->event_named && !a->no_default)
		rc = add_default(c, a, err);
	if (!rc && !a->no_default)
		rc = add_detailed(&c->events, a->detailed, err);
	*n_cgroups = r.n_cgroups;
	return rc;
}

/* Behind all that is about the events of -e. */
static int add_gpu(struct rec_config *c, const struct rec_args *a,
		   struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < a->aliases.n; i++)
		rc = rec_gpu_alias(&c->events, a->aliases.items[i], err);
	if (!rc && a->gpu && !a->count_only)
		rc = rec_gpu_events(&c->events, &c->gpu, c->system_wide, err);
	return rc;
}

static bool has_cgroup(const struct rec_events *e)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->items[i].cgroup)
			return true;
	return false;
}

int rec_config_events(struct rec_config *c, const struct rec_args *a,
		      struct err *err)
{
	size_t n_cgroups;
	int rc = read_all(c, a, &n_cgroups, err);

	if (rc)
		return rc;
	if (has_cgroup(&c->events) && !c->system_wide)
		return err_set(err, ERR_USAGE, "option '-G' chooses from the "
			       "whole system (try: -a)");
	if (a->all_user && a->all_kernel)
		return err_set(err, ERR_USAGE, "--all-user and --all-kernel do "
			       "not go together");
	if (a->all_user || a->all_kernel)
		rc = all_levels(&c->events, a->all_user ? "u" : "k", err);
	if (a->group)
		make_group(&c->events);
	if (!rc)
		rc = rec_config_counted(c, a, err);
	if (!rc && n_cgroups > 1)
		rc = show_cgroups(&c->events, err);
	if (!rc)
		rc = add_gpu(c, a, err);
	if (!rc && a->switch_events)
		rc = add_switches(&c->events, err);
	return rc;
}

struct owned {
	struct rec_config *c;
	const char *root;
	uid_t uid;
	struct err *err;
};

static int take_process(void *ctx, pid_t pid)
{
	struct owned *o = ctx;
	struct rec_ids_list *l = &o->c->pids;
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/%d", o->root, (int)pid);
	if (pid == getpid() || stat(path, &st) || st.st_uid != o->uid)
		return 0;
	if (!mem_grow(&l->items, &l->cap, l->n + 1, sizeof(*l->items)))
		return err_nomem(o->err);
	l->items[l->n++] = pid;
	return 0;
}

static int find_user(uid_t *uid, const char *text, struct err *err)
{
	const struct passwd *p = getpwnam(text);
	uint64_t n;

	if (p) {
		*uid = p->pw_uid;
		return 0;
	}
	if (!rec_number(span_of(text, strlen(text)), 10, &n) || n >= UINT32_MAX)
		return err_set(err, ERR_USAGE, "option '-u': no user '%s'",
			       text);
	*uid = (uid_t)n;
	return 0;
}

int rec_config_users(struct rec_config *c, const struct rec_args *a,
		     const char *root, struct err *err)
{
	struct owned o = { .c = c, .root = root, .err = err };
	size_t before = c->pids.n;
	int rc = 0;

	for (size_t i = 0; !rc && i < a->users.n; i++) {
		rc = find_user(&o.uid, a->users.items[i], err);
		if (!rc)
			rc = rec_procfs_ids(root, "/proc", take_process, &o,
					    err);
	}
	c->pids_may_end = a->users.n != 0;
	if (!rc && a->users.n && c->pids.n == before)
		rc = err_set(err, ERR_USAGE, "option '-u': user '%s' has no "
			     "processes", a->users.items[0]);
	return rc;
}
