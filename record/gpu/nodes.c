#include "record/gpu/nodes.h"

#include "format/base/mem.h"
#include "record/proc/folder.h"
#include "record/proc/procfs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
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
					     "/dev/nvidiactl", "/dev/nvidia0",
					     "/dev/nvidia-uvm" };
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_LEN(nodes); i++) {
		snprintf(path, sizeof(path), "%s%s", root, nodes[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

bool rec_gpu_has_major(const struct rec_gpu_majors *m, unsigned major)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i] == major)
			return true;
	return false;
}

static void add_major(struct rec_gpu_majors *m, uint64_t major)
{
	if (major <= UINT32_MAX && m->n < ARRAY_LEN(m->v) &&
	    !rec_gpu_has_major(m, (unsigned)major))
		m->v[m->n++] = (unsigned)major;
}

/* "195 nvidia", of characters: the list of blocks comes behind. */
static void take_major(struct rec_gpu_majors *m, struct span line)
{
	struct span number, name;
	uint64_t major;

	if (rec_word(&line, &number) && rec_word(&line, &name) &&
	    rec_number(number, 10, &major) && span_begins(name, "nvidia"))
		add_major(m, major);
}

void rec_gpu_majors_read(struct rec_gpu_majors *out, const char *root)
{
	struct err err = { 0 };
	struct span text, line;
	struct buf b;

	*out = (struct rec_gpu_majors){ { 226, 261, 195 }, 3 };
	buf_init(&b, 0);
	if (rec_procfs_read(&b, &err, root, "/proc/devices") == 0) {
		text = span_of(b.p, b.n);
		while (rec_line(&text, &line) &&
		       !span_begins(line, "Block devices"))
			take_major(out, line);
	}
	buf_fini(&b);
}

struct look {
	const char *root;
	rec_gpu_file_fn *each;
	void *ctx;
	struct err *err;
	pid_t pid;
	struct rec_gpu_majors majors; /* read when the first is asked for */
};

/* A name that says nothing, of something in /dev. */
static bool is_of_gpu(struct look *l, const char *path, const char *target)
{
	struct stat st;

	if (strncmp(target, "/dev/", 5) != 0 || stat(path, &st) ||
	    !S_ISCHR(st.st_mode))
		return false;
	if (!l->majors.n)
		rec_gpu_majors_read(&l->majors, l->root);
	return rec_gpu_has_major(&l->majors, major(st.st_rdev));
}

/* What cannot be read is no GPU that we could know of: it may have been closed
 * meanwhile. */
static int look_at(void *ctx, pid_t fd)
{
	struct look *l = ctx;
	char path[PATH_MAX], target[256];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/%d/fd/%d", l->root, (int)l->pid,
		 (int)fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return 0;
	target[n] = 0;
	return rec_gpu_is_node(target) || is_of_gpu(l, path, target) ?
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
	struct look l = { root, each, ctx, err, pid, { { 0 }, 0 } };

	return look_at_process(&l, pid);
}

int rec_gpu_all_files(const char *root, rec_gpu_file_fn *each, void *ctx,
		      struct err *err)
{
	struct look l = { root, each, ctx, err, 0, { { 0 }, 0 } };

	return rec_procfs_ids(root, "/proc", look_at_process, &l, err);
}
