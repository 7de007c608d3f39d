#include "record/perf/targets.h"

#include "format/base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A process that starts threads faster than they can be listed never holds
 * still: the last reading is taken then. */
#define READINGS_MAX 8

void rec_targets_fini(struct rec_targets *t)
{
	free(t->items);
	*t = (struct rec_targets){ 0 };
}

int rec_targets_add(struct rec_targets *t, pid_t tid, pid_t from,
		    struct err *err)
{
	size_t at = t->n;

	while (at && t->items[at - 1].tid > tid)
		at--;
	if (at && t->items[at - 1].tid == tid)
		return 0;
	if (!mem_grow(&t->items, &t->cap, t->n + 1, sizeof(*t->items)))
		return err_nomem(err);
	memmove(t->items + at + 1, t->items + at,
		(t->n - at) * sizeof(*t->items));
	t->items[at] = (struct rec_target){ tid, from };
	t->n++;
	return 0;
}

bool rec_targets_same(const struct rec_targets *a,
		      const struct rec_targets *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->items[i].tid != b->items[i].tid)
			return false;
	return true;
}

static int reading(struct rec_targets *t, const char *path, pid_t pid,
		   struct err *err)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int rc = 0;

	/* The process is gone, or was never there. */
	if (!dir && (errno == ENOENT || errno == ESRCH))
		return err_set(err, ERR_USAGE, "no such process: %d", pid);
	if (!dir)
		return err_sys(err, errno, "cannot open '%s'", path);
	while (!rc && (e = readdir(dir))) {
		char *end;
		long tid = strtol(e->d_name, &end, 10);

		if (end != e->d_name && !*end && tid > 0 && tid <= INT_MAX)
			rc = rec_targets_add(t, (pid_t)tid, pid, err);
	}
	closedir(dir);
	return rc;
}

/* Takes readings until two agree; *now holds the last one. */
static int settled(struct rec_targets *now, const char *path, pid_t pid,
		   struct err *err)
{
	struct rec_targets before = { 0 };
	int rc = reading(now, path, pid, err);

	for (int i = 1; !rc && i < READINGS_MAX; i++) {
		rec_targets_fini(&before);
		before = *now;
		*now = (struct rec_targets){ 0 };
		rc = reading(now, path, pid, err);
		if (rc || rec_targets_same(now, &before))
			break;
	}
	rec_targets_fini(&before);
	return rc;
}

int rec_targets_process(struct rec_targets *t, const char *root, pid_t pid,
			struct err *err)
{
	struct rec_targets threads = { 0 };
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "%s/proc/%d/task", root, pid);
	rc = settled(&threads, path, pid, err);
	for (size_t i = 0; !rc && i < threads.n; i++)
		rc = rec_targets_add(t, threads.items[i].tid, pid, err);
	if (!rc && !threads.n)
		rc = err_set(err, ERR_USAGE, "no such process: %d", pid);
	rec_targets_fini(&threads);
	return rc;
}
