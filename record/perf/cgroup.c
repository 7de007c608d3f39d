#include "record/perf/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* 2: perf_event's own, 1: the one of version 2, 0: neither. */
static int rank(const struct mntent *m)
{
	if (!strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "perf_event"))
		return 2;
	return !strcmp(m->mnt_type, "cgroup2");
}

static bool find(char at[PATH_MAX], const char *root)
{
	char path[PATH_MAX], line[3 * PATH_MAX];
	struct mntent m;
	int best = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/mounts", root);
	f = setmntent(path, "re");
	if (!f)
		return false;
	while (getmntent_r(f, &m, line, sizeof(line)))
		if (rank(&m) > best) {
			best = rank(&m);
			snprintf(at, PATH_MAX, "%s", m.mnt_dir);
		}
	endmntent(f);
	return best;
}

int rec_cgroup_open(int *fd, const char *root, const char *name,
		    struct err *err)
{
	char at[PATH_MAX], path[PATH_MAX];
	int n;

	if (!find(at, root))
		return err_set(err, ERR_UNSUPPORTED, "option '-G': no cgroup "
			       "hierarchy is mounted that perf events follow "
			       "(cgroup2, or perf_event of version 1)");
	n = snprintf(path, sizeof(path), "%s%s/%s", root, at, name);
	if (n < 0 || n >= PATH_MAX)
		return err_set(err, ERR_USAGE, "cgroup '%s': name too long",
			       name);
	*fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd >= 0)
		return 0;
	if (errno == ENOENT || errno == ENOTDIR)
		return err_set(err, ERR_USAGE, "no cgroup '%s' below '%s'",
			       name, at);
	return err_sys(err, errno, "cannot open cgroup '%s'", path);
}
