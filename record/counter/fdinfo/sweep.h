/* Finds who has DRM files open: by the links in /proc/PID/fd.
 *
 * To look at a process costs some 25 to 50 us (its folder is opened, each link
 * read), so that 2,000 of them cannot be looked at each second. Who opened a node
 * of this machine is looked at with the next reading, where the kernel says who
 * that was. Each second those are that are new since, twice;
 * where somebody opened a node and nobody says who, with the next reading, too,
 * and then all as soon as that is paid for. All are looked at now and then
 * besides, since containers have nodes of their own and open files are handed on.
 * Looks at all may cost 0.2 % of a CPU, at new ones as much, at who opened a node
 * 1 %, which is some 300 of them a second: what that does not pay for comes later,
 * or with the next look at all; but new ones are looked at in any second in which
 * nobody knows who opened a node.
 */
#ifndef RECORD_COUNTER_FDINFO_SWEEP_H
#define RECORD_COUNTER_FDINFO_SWEEP_H

#include "format/base/err.h"
#include "record/counter/fdinfo/opens.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* An open file of the node "renderD128". true: it is of a new client. */
typedef bool rec_drm_file_fn(void *ctx, pid_t pid, int fd, const char *node);

struct rec_drm_pids { /* rising */
	pid_t *items;
	size_t n, cap;
	uint64_t at_ns;       /* when they were listed */
};

#define REC_DRM_OPENERS 64u

struct rec_drm_sweep {
	int proc;             /* ROOT/proc */
	bool own;             /* it has the numbers that this process knows */
	void *names;          /* room to list a folder */
	struct rec_drm_opens opens;
	struct rec_drm_opener {
		pid_t pid;
		uint64_t since_ns; /* it opened one after that */
		unsigned opened, looks;
		uint64_t clients; /* new ones that it has */
	} openers[REC_DRM_OPENERS]; /* to be looked at */
	size_t n_openers;
	const pid_t *only;    /* n_only 0: all processes */
	size_t n_only;
	rec_drm_file_fn *each;
	void *ctx;
	struct rec_drm_pids now, before, long_before;
	uint64_t latest;      /* number of a process when `now` was listed; 0:
			       * unknown */
	bool none_began;      /* it was that of `before`, too */
	int64_t for_openers_ns; /* CPU time that may be spent: on them, */
	int64_t for_new_ns;   /* on new ones, */
	int64_t for_all_ns;   /* on looks at all */
	uint64_t ticked_ns;   /* when it last was time for new ones, */
	uint64_t earned_ns;   /* and when there last was a reading */
	uint64_t cost_ns;     /* of the last look at all */
	uint64_t all_ns;      /* when it began; 0: there was none */
	uint64_t watched_ns;  /* a file that is found now and that was opened
			       * since the last look had not been there then; 0:
			       * it may have been anywhere */
	uint64_t denied;      /* processes that could not be looked at, then */
	bool opened;          /* somebody may have opened a node since */
	bool heard;           /* somebody unknown did, by the latest reading, */
	bool somebody;        /* or since it last was time for new ones */
	uint64_t clients;     /* new ones that were found so far */
};

/* Looks at all processes, or at those of `only`, which must stay. `each` is
 * called for each file, now and later. */
int rec_drm_sweep_open(struct rec_drm_sweep *s, const char *root,
		       const pid_t *only, size_t n_only, rec_drm_file_fn *each,
		       void *ctx, struct err *err);
void rec_drm_sweep_close(struct rec_drm_sweep *s);

/* With each reading: looks where it is time to. false: not at all that are new,
 * which it does once a second. */
bool rec_drm_sweep_tick(struct rec_drm_sweep *s, uint64_t now_ns);

/* Looks at all. */
void rec_drm_sweep_all(struct rec_drm_sweep *s);

#endif
