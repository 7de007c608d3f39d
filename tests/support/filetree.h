/* A tree of files under a temporary folder, to stand for /proc and /sys. */
#ifndef TESTS_FILETREE_H
#define TESTS_FILETREE_H

#include <stddef.h>

struct filetree {
	char root[64];
};

void filetree_init(struct filetree *t);
void filetree_fini(struct filetree *t); /* removes it */

/* Writes a file, making the folders above it. `path` begins with '/'. */
void filetree_bytes(const struct filetree *t, const char *path, const void *p,
		    size_t n);
void filetree_text(const struct filetree *t, const char *path,
		   const char *text);
void filetree_remove(const struct filetree *t, const char *path);

#endif
