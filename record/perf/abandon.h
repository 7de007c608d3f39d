/* Leaves descriptors behind that take long to close: the kernel waits for a
 * grace period at each tracepoint (measured: sched:* 1 s, syscalls:* 27 s). */
#ifndef RECORD_PERF_ABANDON_H
#define RECORD_PERF_ABANDON_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct rec_abandoned {
	pid_t pid;
	int fd; /* once it is closed, here and with the end of this process,
		 * the child goes, and with it the descriptors */
};

/* Forks a child in a session of its own that holds these descriptors and
 * nothing else: no file, pipe or terminal. The caller closes its own, then
 * a->fd. The child is not waited for. false: there is no child. */
bool rec_abandon(struct rec_abandoned *a, const int *fds, size_t n);

#endif
