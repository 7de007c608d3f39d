/* Which files the recorded system calls are on: a call says "3", and only
 * /proc/PID/fd tells, while the process runs, what that is. */
#ifndef RECORD_PROC_FDS_H
#define RECORD_PROC_FDS_H

#include "format/base/intern.h"
#include "format/base/map64.h"
#include "record/state/defs.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In the rows of one shard. Those of before are told again each second. */
#define REC_FD_LIST 512u
#define REC_FD_KNOWN 1024u
#define REC_FD_CALLS 512u

struct rec_fd_uses {
	struct rec_fd_use { pid_t pid; int32_t fd; } list[REC_FD_LIST];
	unsigned n;
	uint64_t known[REC_FD_KNOWN]; /* (pid, fd) by hash: is in the list, or
				       * was since it was cleared */
	uint64_t cleared_ns;
	/* By number of a call: 0 not looked up yet, 1 it has no file, else its
	 * place among the arguments + 2. */
	uint8_t calls[REC_FD_CALLS];
};

/* A row of a tracepoint, whichever; of a call that begins its file is noted. */
void rec_fd_uses_note(struct rec_fd_uses *u, const struct rec_tracepoint *t,
		      struct span raw, pid_t pid);

/* What a file may hold of them; the rest is counted. */
#define REC_FDS_MAX 4096u

struct rec_fds {
	const char *root;      /* before /proc and /sys */
	struct rec_defs *defs; /* that the facts go to */

	/* its own */
	struct map64 index;    /* (pid, fd) → its latest sight */
	struct intern targets;
	struct rec_fd_sight {
		pid_t pid;
		int32_t fd;
		uint32_t target;    /* id in `targets` */
		bool again;         /* was another file before */
		uint64_t since_ns;  /* of the look that saw it first */
		uint64_t looked_ns; /* last; 0: before the first call */
	} *v;
	size_t n, cap;
	uint64_t left_out;     /* looks that would have been one more */
	bool said;             /* that something was left out, in the file */
};

void rec_fds_fini(struct rec_fds *f); /* zeroed is fine */

/* The files of processes that are about to be recorded, where calls are: one
 * that ends at once could not be asked later. `forked`: they have yet to execute
 * their program, and what is closed by that is none of its files. */
void rec_fds_begin(struct rec_fds *f, const struct rec_tracepoints *t,
		   const pid_t *pids, size_t n, bool forked);

/* Between rounds: looks at what the rows of a shard had, empties its list and
 * writes what is new as facts. A file is looked at once a second while calls are
 * on it. */
void rec_fds_take(struct rec_fds *f, struct rec_fd_uses *u, uint64_t now_ns);

/* All of it, for a new file. */
void rec_fds_facts(struct rec_fds *f);

#endif
