#include "record/gpu/nodes.h"

#include "format/base/mem.h"
#include "record/proc/folder.h"
#include "record/proc/procfs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const places[] = { "/dev/dri/", "/dev/accel/",
				      "/dev/nvidia" };

bool rec_gpu_is_node(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (strncmp(path, places[i], strlen(places[i])) == 0)
			return true;
	return false;
}

bool rec_gpu_has_nodes(const char *root)
{
	static const char *const nodes[] = { "/dev/dri", "/dev/accel",
					     "/dev/nvidiactl" };
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_LEN(nodes); i++) {
		snprintf(path, sizeof(path), "%s%s", root, nodes[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

struct look {
	const char *root;
	rec_gpu_file_fn *each;
	void *ctx;
	struct err *err;
	pid_t pid;
};

/* What cannot be read is no GPU that we could know of: it may have been closed
 * meanwhile. */
static int look_at(void *ctx, pid_t fd)
{
	const struct look *l = ctx;
	char path[PATH_MAX], target[256];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/%d/fd/%d", l->root, (int)l->pid,
		 (int)fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return 0;
	target[n] = 0;
	return rec_gpu_is_node(target) ?
		       l->each(l->ctx, l->pid, fd, target, l->err) : 0;
}

static int look_at_process(void *ctx, pid_t pid)
{
	struct look *l = ctx;
	struct rec_folder f;
	char path[PATH_MAX];
	uint64_t fd;
	int rc;

	l->pid = pid;
	snprintf(path, sizeof(path), "%s/proc/%d/fd", l->root, (int)pid);
	rc = rec_folder_read(&f, path, l->err);
	if (rc)
		return rc < 0 ? rc : 0;
	for (size_t i = 0; i < f.n && !rc; i++)
		if (rec_number(span_of(f.names[i], strlen(f.names[i])), 10,
			       &fd) && fd <= INT_MAX)
			rc = look_at(l, (pid_t)fd);
	rec_folder_fini(&f);
	return rc;
}

int rec_gpu_files(const char *root, pid_t pid, rec_gpu_file_fn *each, void *ctx,
		  struct err *err)
{
	struct look l = { root, each, ctx, err, pid };

	return look_at_process(&l, pid);
}

int rec_gpu_all_files(const char *root, rec_gpu_file_fn *each, void *ctx,
		      struct err *err)
{
	struct look l = { root, each, ctx, err, 0 };

	return rec_procfs_ids(root, "/proc", look_at_process, &l, err);
}
