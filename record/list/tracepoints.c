/* Tracepoints, out of tracefs. */
#include "record/proc/folder.h"
#include "record/list/list.h"
#include "record/perf/tracefs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define NAME_SIZE 512

/* Asked once for all: it holds for each, and trying takes a while. */
struct asked {
	bool done;
	const char *needs;
};

static const char *permission(const struct rec_machine *m)
{
	int errnum;

	if (m->tracing != REC_TRACING_OPEN)
		return "tracefs readable (see: rec doctor)";
	errnum = rec_machine_try_tracepoint(m);
	if (errnum != EACCES && errnum != EPERM)
		return NULL;
	if (rec_machine_perfmon(m) || rec_machine_reach(m))
		return "a permission (see: rec doctor)";
	return "perf_event_paranoid -1 or cap_perfmon";
}

static void ask(struct rec_list *l, struct asked *asked)
{
	asked->done = true;
	asked->needs = permission(l->m);
}

static int add_event(struct rec_list *l, const char *folder,
		     const char *system, const char *event,
		     struct asked *asked, struct err *err)
{
	struct rec_listed *item;
	char name[NAME_SIZE], path[PATH_MAX];
	int rc;

	/* What has no id, as most of ftrace's own, is no event to open. */
	if (snprintf(path, sizeof(path), "%s/%s/id", folder, event) >=
		    PATH_MAX ||
	    access(path, F_OK) ||
	    snprintf(name, sizeof(name), "%s:%s", system, event) >= NAME_SIZE)
		return 0;
	rc = rec_list_add(l, REC_LISTED_TRACEPOINT, name, NULL, &item, err);
	if (rc)
		return rc < 0 ? rc : 0;
	if (!asked->done)
		ask(l, asked);
	item->needs = asked->needs;
	if (!item->needs && !rec_tracefs_sampled(system, event))
		item->needs = "a kernel that lets it be sampled";
	return 0;
}

static int add_system(struct rec_list *l, const char *events,
		      const char *system, struct asked *asked, struct err *err)
{
	char path[PATH_MAX];
	struct rec_folder f;
	int rc;

	if (snprintf(path, sizeof(path), "%s/%s", events, system) >= PATH_MAX)
		return 0;
	rc = rec_folder_read(&f, path, err);
	if (rc)
		return rc < 0 ? rc : 0;
	for (size_t i = 0; !rc && i < f.n; i++)
		rc = add_event(l, path, system, f.names[i], asked, err);
	rec_folder_fini(&f);
	return rc;
}

static const char *why_none(enum rec_tracing tracing)
{
	switch (tracing) {
	case REC_TRACING_ABSENT:
		return "this kernel has no tracefs";
	case REC_TRACING_UNMOUNTED:
		return "tracefs is not mounted (try: mount -t tracefs nodev "
		       "/sys/kernel/tracing)";
	case REC_TRACING_CLOSED:
		return "tracefs cannot be read by this user (see: rec doctor)";
	default:
		return NULL;
	}
}

int rec_list_tracepoints(struct rec_list *l, struct err *err)
{
	struct asked asked = { 0 };
	char path[PATH_MAX];
	struct rec_folder f;
	int rc;

	if (!rec_patterns_want(l->patterns, REC_LISTED_TRACEPOINT))
		return 0;
	l->no_tracepoints = why_none(l->m->tracing);
	if (l->no_tracepoints ||
	    snprintf(path, sizeof(path), "%s%s/events", l->m->root,
		     l->m->tracing_at) >= PATH_MAX)
		return 0;
	rc = rec_folder_read(&f, path, err);
	if (rc)
		return rc < 0 ? rc : 0;
	for (size_t i = 0; !rc && i < f.n; i++)
		rc = add_system(l, path, f.names[i], &asked, err);
	rec_folder_fini(&f);
	return rc;
}
