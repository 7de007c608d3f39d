/* Processes that go on without their events: the kernel ends the events of a
 * task that executes a set-user-ID program or one it may not read, with an exit
 * record as if the task had ended (fs/exec.c, begin_new_exec). */
#ifndef RECORD_STATE_ESCAPES_H
#define RECORD_STATE_ESCAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rec_escapes {
	const char *root; /* prefix of /proc */
	bool watching;    /* only recordings of tasks can lose one */
	pid_t *ended;     /* said to have ended, not yet looked at */
	size_t n;
	size_t cap;
	uint64_t found;
	pid_t pid;        /* the first one found, and its name */
	char comm[64];
};

void rec_escapes_fini(struct rec_escapes *e); /* zeroed is ready to use */

/* An exit record of a process came. false: out of memory. */
bool rec_escapes_note(struct rec_escapes *e, pid_t pid);

/* Looks whether those that were noted have really ended. */
void rec_escapes_look(struct rec_escapes *e);

#endif
