/* Finds who has DRM files open: by the links in /proc/PID/fd.
 *
 * To look at a process costs some 25 to 50 us (its folder is opened, each link
 * read), so that 2,000 of them cannot be looked at each second. Each second those
 * are that are new since, twice; all of them when somebody opened a node (the
 * kernel tells that of files of /dev/dri and /dev/accel, by inotify), and
 * otherwise now and then, since containers have nodes of their own and open
 * files are handed on. Each of both may cost 0.2 % of a CPU: what that does not
 * pay for comes later, or with the next look at all; but new ones are looked at
 * in any second in which somebody opened a node. */
#ifndef RECORD_COUNTER_FDINFO_SWEEP_H
#define RECORD_COUNTER_FDINFO_SWEEP_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* An open file of the node "renderD128". */
typedef void rec_drm_file_fn(void *ctx, pid_t pid, int fd, const char *node);

struct rec_drm_pids { /* rising */
	pid_t *items;
	size_t n, cap;
	uint64_t at_ns;       /* when they were listed */
};

struct rec_drm_sweep {
	int proc;             /* ROOT/proc */
	void *names;          /* room to list a folder */
	int notify;           /* -1: the kernel does not tell */
	const pid_t *only;    /* n_only 0: all processes */
	size_t n_only;
	rec_drm_file_fn *each;
	void *ctx;
	struct rec_drm_pids now, before, long_before;
	uint64_t latest;      /* number of a process when `now` was listed; 0:
			       * unknown */
	bool none_began;      /* it was that of `before`, too */
	int64_t for_new_ns;   /* CPU time that may be spent: on new ones, */
	int64_t for_all_ns;   /* on looks at all */
	uint64_t ticked_ns;
	uint64_t cost_ns;     /* of the last look at all */
	uint64_t all_ns;      /* when it began; 0: there was none */
	uint64_t watched_ns;  /* a file that is found now and that was opened
			       * since the last look had not been there then; 0:
			       * it may have been anywhere */
	uint64_t denied;      /* processes that could not be looked at, then */
	bool opened;          /* somebody opened a node since */
};

/* Looks at all processes, or at those of `only`, which must stay. `each` is
 * called for each file, now and later. */
int rec_drm_sweep_open(struct rec_drm_sweep *s, const char *root,
		       const pid_t *only, size_t n_only, rec_drm_file_fn *each,
		       void *ctx, struct err *err);
void rec_drm_sweep_close(struct rec_drm_sweep *s);

/* Looks where it is time to; at most once a second. false: it was not yet. */
bool rec_drm_sweep_tick(struct rec_drm_sweep *s, uint64_t now_ns);

/* Looks at all. */
void rec_drm_sweep_all(struct rec_drm_sweep *s);

#endif
