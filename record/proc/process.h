/* Where a process is: in which pid namespace, under which number there, in
 * which cgroup. */
#ifndef RECORD_PROC_PROCESS_H
#define RECORD_PROC_PROCESS_H

#include "format/base/buf.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rec_process {
	uint64_t ns_pid;    /* in its own pid namespace; 0: not known */
	uint64_t pid_ns;    /* inode of that namespace; 0: not known */
	struct span cgroup; /* path in the v2 hierarchy; empty: not known */
};

/* The inode of the pid namespace of the caller; 0: not known. */
uint64_t rec_process_own_ns(const char *root);

/* Fills *out from ROOT/proc/PID; what cannot be known stays 0. `own_ns` saves
 * reading the long status file of those in that namespace. The cgroup's path is
 * in `text`. */
void rec_process_read(struct rec_process *out, const char *root, pid_t pid,
		      uint64_t own_ns, struct buf *text);

/* A kernel thread has no program. */
bool rec_process_is_kernel(const char *root, pid_t pid);

#endif
