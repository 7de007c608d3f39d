/* Trees of /proc and /sys of machines with GPUs. Nobody here has these GPUs: texts
 * are made by hand after the kernel's documentation of the drivers. */
#ifndef TESTS_SUPPORT_DRMTREE_H
#define TESTS_SUPPORT_DRMTREE_H

#include "tests/support/filetree.h"

#include <stdint.h>

/* A symbolic link, with the folders above it. What was there goes. */
void drmtree_link(const struct filetree *t, const char *path,
		  const char *target);

/* The file `fd` of process `pid` is the node "renderD128", and `text` is its
 * fdinfo. */
void drmtree_file(const struct filetree *t, int pid, int fd, const char *node,
		  const char *text);

/* Another file of a process: "socket:[77]". */
void drmtree_other(const struct filetree *t, int pid, int fd,
		   const char *target);

void drmtree_comm(const struct filetree *t, int pid, const char *comm);
void drmtree_end(const struct filetree *t, int pid); /* it is gone */

/* What xe tells of a client: 35 lines of values. Until the next call. */
const char *drmtree_xe(unsigned client);

#endif
