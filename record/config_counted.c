#include "record/config_counted.h"

#include "format/base/mem.h"
#include "record/perf/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rec_config_samples(const struct rec_args *a)
{
	return !a->count_only && (!a->interval || a->frequency ||
				  a->period_given || a->callgraph ||
				  a->call_graph || a->gpu ||
				  a->switch_events);
}

/* A group goes where its leader goes. */
static bool is_counted(const struct rec_events *e, size_t i, bool sampling)
{
	const struct rec_event *leader = &e->items[e->items[i].leader];

	return !sampling || !rec_perf_can_sample(leader);
}

static int move(struct rec_events *to, const struct rec_event *e,
		struct err *err)
{
	if (!mem_grow(&to->items, &to->cap, to->n + 1, sizeof(*to->items)))
		return err_nomem(err);
	to->items[to->n++] = *e;
	return 0;
}

/* Leaders are told by their place, which changes. */
static void find_leader(struct rec_events *to, size_t i, const size_t *places)
{
	to->items[i].leader = places[to->items[i].leader];
}

static int part(struct rec_config *c, const bool *counted, size_t *places,
		struct err *err)
{
	struct rec_events kept = { .root = c->events.root };
	int rc = 0;

	c->counted.root = c->events.root;
	for (size_t i = 0; rc == 0 && i < c->events.n; i++) {
		struct rec_events *to = counted[i] ? &c->counted : &kept;

		places[i] = to->n;
		rc = move(to, &c->events.items[i], err);
	}
	if (rc < 0) { /* all are where they were */
		free(kept.items);
		c->counted.n = 0;
		return rc;
	}
	for (size_t i = 0; i < kept.n; i++)
		find_leader(&kept, i, places);
	for (size_t i = 0; i < c->counted.n; i++)
		find_leader(&c->counted, i, places);
	free(c->events.items);
	c->events = kept;
	return 0;
}

/* A task is of one cgroup at a time: what is counted together is, too. */
static bool is_of_leaders(const struct rec_events *e, size_t i)
{
	const char *own = e->items[i].cgroup;
	const char *its = e->items[e->items[i].leader].cgroup;

	return own && its ? !strcmp(own, its) : own == its;
}

static int check(const struct rec_events *e, struct err *err)
{
	for (size_t i = 0; i < e->n; i++) {
		if (!is_of_leaders(e, i))
			return err_set(err, ERR_USAGE, "event '%s': a group is "
				       "counted in one cgroup, and its first "
				       "event's is another", e->items[i].name);
		if (e->items[i].leader_samples)
			return err_set(err, ERR_USAGE, "event '%s': ':S' is "
				       "for groups that are sampled",
				       e->items[i].name);
	}
	return 0;
}

static bool is_same(const struct rec_event *a, const struct rec_event *b)
{
	return !strcmp(a->name, b->name) &&
	       (a->cgroup && b->cgroup ? !strcmp(a->cgroup, b->cgroup) :
					 a->cgroup == b->cgroup);
}

/* What is counted is known by its name: a second one is NAME#2. */
static int tell_apart(struct rec_events *e, struct err *err)
{
	for (size_t i = e->n; i-- > 0;) {
		unsigned before = 0;
		char *name;

		for (size_t k = 0; k < i; k++)
			before += is_same(&e->items[k], &e->items[i]);
		if (!before)
			continue;
		if (asprintf(&name, "%s#%u", e->items[i].name, before + 1) < 0)
			return err_nomem(err);
		free(e->items[i].name);
		e->items[i].name = name;
	}
	return 0;
}

int rec_config_counted(struct rec_config *c, const struct rec_args *a,
		       struct err *err)
{
	size_t n = c->events.n;
	bool *counted, sampling = rec_config_samples(a);
	size_t *places;
	int rc = 0;

	if (!a->count_only && !c->interval_ns)
		return 0;
	counted = calloc(n + 1, sizeof(*counted));
	places = calloc(n + 1, sizeof(*places));
	for (size_t i = 0; counted && i < n; i++)
		counted[i] = is_counted(&c->events, i, sampling);
	rc = counted && places ? part(c, counted, places, err) :
				 err_nomem(err);
	free(counted);
	free(places);
	if (!rc)
		rc = check(&c->counted, err);
	return rc ? rc : tell_apart(&c->counted, err);
}
