/* The command to record: started so that it waits before its exec until the
 * events are open, and waited for. */
#ifndef RECORD_TARGET_LAUNCH_H
#define RECORD_TARGET_LAUNCH_H

#include "format/base/err.h"

#include <signal.h>
#include <sys/types.h>

/* Exit statuses as the shell gives them. */
#define REC_EXIT_NOT_EXECUTABLE 126
#define REC_EXIT_NOT_FOUND 127
#define REC_EXIT_SIGNAL 128 /* + the signal's number */

struct rec_launch {
	pid_t pid;    /* 0: there is none, or its end has been taken */
	int pidfd;    /* readable once it ended; -1 on kernels before 5.3 */
	int go_fd;    /* a byte written here lets it go on */
	int fail_fd;  /* the errno of its exec, or end of file */
	int status;   /* exit status, once rec_launch_ended() returned 0 */
};

/* Forks a child that waits. It has `mask` as its signal mask (NULL: that of
 * the caller); ignored signals stay ignored, as exec has it: ignore none of
 * one's own before. Its standard output is descriptor `out`, -1: that of the
 * caller. It ends by itself if the caller does. On failure *l is as
 * if zeroed by rec_launch_fini(). */
int rec_launch_fork(struct rec_launch *l, char *const argv[],
		    const sigset_t *mask, int out, struct err *err);

/* Lets it execute the command and returns when it has. A failure names the
 * command; l->status is then 127 (not found) or 126. */
int rec_launch_go(struct rec_launch *l, char *const argv[], struct err *err);

/* Without waiting: 0 ended, l->status tells how; 1 still running. */
int rec_launch_ended(struct rec_launch *l, struct err *err);

/* Sends the signal (0: none) and waits for the end, however long it takes. */
int rec_launch_wait(struct rec_launch *l, int signal, struct err *err);

/* A child that was never let go is ended and taken; one that runs is left
 * running. */
void rec_launch_fini(struct rec_launch *l);

#endif
