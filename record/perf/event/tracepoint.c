/* SYSTEM:NAME, patterns in both. */
#include "record/perf/event/kind.h"

#include "record/perf/syscalls.h"
#include "record/perf/tracefs.h"
#include "record/proc/folder.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pattern {
	const char *system, *name; /* globs */
	bool several;              /* it is a pattern, not a name */
	const char *root, *tracefs;
	struct rec_syscall_set enter, exit; /* what it found of syscalls */
};

/* Every event is of interest, as perf has it. */
static int append(struct rec_events *to, const char *name, const char *system,
		  const char *event, uint64_t id, struct err *err)
{
	struct rec_event *e = rec_events_append(to, name, err);

	if (!e)
		return ERR_NOMEM;
	e->attr.type = PERF_TYPE_TRACEPOINT;
	e->attr.config = id;
	e->attr.sample_period = 1;
	e->system = strdup(system);
	e->tracepoint = strdup(event);
	return e->system && e->tracepoint ? 0 : err_nomem(err);
}

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[");
}

static int add_one(struct rec_events *to, struct pattern *p,
		   const char *system, const char *event, struct err *err)
{
	char name[2 * NAME_MAX + 2];
	uint64_t id;

	/* What has no number, as most of ftrace's own, is not to be opened. */
	if (!rec_tracefs_id(&id, p->root, p->tracefs, system, event))
		return 0;
	snprintf(name, sizeof(name), "%s:%s", system, event);
	return append(to, p->several ? name : NULL, system, event, id, err);
}

/* What cannot be sampled is left out of patterns. */
static bool is_asked(const struct pattern *p, const char *system,
		     const char *event)
{
	return !fnmatch(p->name, event, 0) &&
	       (!is_glob(p->name) || rec_tracefs_sampled(system, event));
}

static bool note_syscall(struct pattern *p, const char *system,
			 const char *event)
{
	return rec_syscall_note(system, event, !fnmatch(p->name, event, 0),
				&p->enter, &p->exit);
}

static int add_system(struct rec_events *to, struct pattern *p,
		      const char *system, struct err *err)
{
	char path[PATH_MAX];
	struct rec_folder f;
	int rc;

	snprintf(path, sizeof(path), "%s%s/events/%s", p->root, p->tracefs,
		 system);
	rc = rec_folder_read(&f, path, err);
	if (rc)
		return rc < 0 ? rc : 0;
	for (size_t i = 0; !rc && i < f.n; i++)
		if ((to->each || !note_syscall(p, system, f.names[i])) &&
		    is_asked(p, system, f.names[i]))
			rc = add_one(to, p, system, f.names[i], err);
	rec_folder_fini(&f);
	return rc;
}

static int add_by_key(struct rec_events *to, const struct pattern *p,
		      const struct rec_syscall_set *set, struct err *err)
{
	const char *event = set->is_exit ? "sys_exit" : "sys_enter";
	struct rec_event *e;
	uint64_t id;
	int rc;

	if (!set->n)
		return 0;
	if (!rec_tracefs_id(&id, p->root, p->tracefs, "raw_syscalls", event))
		return err_set(err, ERR_UNSUPPORTED, "this kernel has no "
			       "tracepoint 'raw_syscalls:%s'", event);
	rc = append(to, set->is_exit ? "syscalls:sys_exit_*" :
				       "syscalls:sys_enter_*",
		    "raw_syscalls", event, id, err);
	if (rc)
		return rc;
	e = &to->items[to->n - 1];
	e->by_key = true;
	return rec_syscall_filter(&e->filter, set, err);
}

static int add_pattern(struct rec_events *to, struct pattern *p,
		       struct err *err)
{
	char path[PATH_MAX];
	struct rec_folder f;
	int rc;

	p->exit.is_exit = true;
	snprintf(path, sizeof(path), "%s%s/events", p->root, p->tracefs);
	rc = rec_folder_read(&f, path, err);
	if (rc)
		return rc < 0 ? rc : 1;
	for (size_t i = 0; !rc && i < f.n; i++)
		if (!fnmatch(p->system, f.names[i], 0))
			rc = add_system(to, p, f.names[i], err);
	rec_folder_fini(&f);
	if (!rc)
		rc = add_by_key(to, p, &p->enter, err);
	return rc ? rc : add_by_key(to, p, &p->exit, err);
}

static int unknown(const struct pattern *p, struct err *err)
{
	char path[PATH_MAX];

	if (p->several)
		return err_set(err, ERR_USAGE, "no tracepoint matches '%s:%s'",
			       p->system, p->name);
	snprintf(path, sizeof(path), "%s%s/events/%s", p->root, p->tracefs,
		 p->system);
	if (access(path, F_OK))
		return 1;
	return err_set(err, ERR_USAGE, "no tracepoint '%s:%s' (try: rec list "
		       "'%s:*')", p->system, p->name, p->system);
}

static int parse_pattern(struct rec_events *to, struct pattern *p,
			 struct err *err)
{
	size_t first = to->n;
	int rc = rec_tracefs(&p->tracefs, p->root, err);

	if (rc)
		return rc;
	p->several = is_glob(p->system) || is_glob(p->name);
	if (p->several)
		rc = add_pattern(to, p, err);
	else
		rc = add_one(to, p, p->system, p->name, err);
	if (!rc && to->n == first)
		rc = unknown(p, err);
	return rc;
}

static int tracepoint_parse(struct rec_events *to, const char *name,
			    struct err *err)
{
	const char *colon = strchr(name, ':');
	struct pattern p = { .root = rec_events_root(to) };
	char *system;
	int rc;

	if (!colon || colon == name || !colon[1] || strchr(colon + 1, ':') ||
	    strchr(name, '/'))
		return 1;
	if (colon - name > NAME_MAX || strlen(colon) > NAME_MAX)
		return 1;
	system = strndup(name, (size_t)(colon - name));
	if (!system)
		return err_nomem(err);
	p.system = system;
	p.name = colon + 1;
	rc = parse_pattern(to, &p, err);
	free(system);
	return rc;
}

const struct rec_event_kind rec_kind_tracepoint = { tracepoint_parse, NULL };
