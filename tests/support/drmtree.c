#include "tests/support/drmtree.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void drmtree_link(const struct filetree *t, const char *path,
		  const char *target)
{
	char full[PATH_MAX];
	struct stat st;

	snprintf(full, sizeof(full), "%s%s", t->root, path);
	if (lstat(full, &st)) {
		/* The folders above it come with a file. */
		filetree_text(t, path, "");
	}
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink(target, full), 0);
}

void drmtree_other(const struct filetree *t, int pid, int fd,
		   const char *target)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	drmtree_link(t, path, target);
}

void drmtree_file(const struct filetree *t, int pid, int fd, const char *node,
		  const char *text)
{
	char path[64], target[64];

	snprintf(target, sizeof(target), "/dev/dri/%s", node);
	drmtree_other(t, pid, fd, target);
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
	filetree_text(t, path, text);
	filetree_text(t, "/dev/dri/card0", "");
}

void drmtree_comm(const struct filetree *t, int pid, const char *comm)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	snprintf(text, sizeof(text), "%s\n", comm);
	filetree_text(t, path, text);
}

/* A file that a reader has open stays readable when it is removed, unlike those
 * of /proc: empty it first. */
void drmtree_end(const struct filetree *t, int pid)
{
	char path[64], full[PATH_MAX];

	for (int fd = 0; fd < 64; fd++) {
		snprintf(full, sizeof(full), "%s/proc/%d/fdinfo/%d", t->root,
			 pid, fd);
		(void)!truncate(full, 0);
	}
	snprintf(path, sizeof(path), "/proc/%d", pid);
	filetree_remove(t, path);
}

const char *drmtree_xe(unsigned client)
{
	static char text[2048];

	snprintf(text, sizeof(text),
		 "pos:\t0\nflags:\t0100002\nmnt_id:\t26\nino:\t685\n"
		 "drm-driver:\txe\ndrm-client-id:\t%u\n"
		 "drm-pdev:\t0000:03:00.0\n"
		 "drm-total-system:\t0\ndrm-shared-system:\t0\n"
		 "drm-active-system:\t0\ndrm-resident-system:\t0\n"
		 "drm-purgeable-system:\t0\n"
		 "drm-total-gtt:\t192 KiB\ndrm-shared-gtt:\t0\n"
		 "drm-active-gtt:\t0\ndrm-resident-gtt:\t192 KiB\n"
		 "drm-total-vram0:\t23992 KiB\ndrm-shared-vram0:\t16 MiB\n"
		 "drm-active-vram0:\t0\ndrm-resident-vram0:\t23992 KiB\n"
		 "drm-total-stolen:\t0\ndrm-shared-stolen:\t0\n"
		 "drm-active-stolen:\t0\ndrm-resident-stolen:\t0\n"
		 "drm-cycles-rcs:\t28257900\n"
		 "drm-total-cycles-rcs:\t7655183225\n"
		 "drm-cycles-bcs:\t0\ndrm-total-cycles-bcs:\t7655183225\n"
		 "drm-cycles-vcs:\t0\ndrm-total-cycles-vcs:\t7655183225\n"
		 "drm-engine-capacity-vcs:\t2\n"
		 "drm-cycles-vecs:\t0\ndrm-total-cycles-vecs:\t7655183225\n"
		 "drm-engine-capacity-vecs:\t2\n"
		 "drm-cycles-ccs:\t0\ndrm-total-cycles-ccs:\t7655183225\n"
		 "drm-engine-capacity-ccs:\t4\n",
		 client);
	return text;
}
