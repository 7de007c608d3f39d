#include "tests/support/filetree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void filetree_init(struct filetree *t)
{
	snprintf(t->root, sizeof(t->root), "/tmp/filetree-XXXXXX");
	assert_non_null(mkdtemp(t->root));
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

void filetree_fini(struct filetree *t)
{
	nftw(t->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void full_path(const struct filetree *t, char to[PATH_MAX],
		      const char *path)
{
	assert_true(snprintf(to, PATH_MAX, "%s%s", t->root, path) < PATH_MAX);
}

static void make_folders(char *path)
{
	for (char *c = path + 1; (c = strchr(c, '/')); *c++ = '/') {
		*c = '\0';
		assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
	}
}

void filetree_bytes(const struct filetree *t, const char *path, const void *p,
		    size_t n)
{
	char full[PATH_MAX];
	int fd;

	full_path(t, full, path);
	make_folders(full);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), (ssize_t)n);
	close(fd);
}

void filetree_text(const struct filetree *t, const char *path,
		   const char *text)
{
	filetree_bytes(t, path, text, strlen(text));
}

void filetree_remove(const struct filetree *t, const char *path)
{
	char full[PATH_MAX];

	full_path(t, full, path);
	assert_int_equal(nftw(full, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}
