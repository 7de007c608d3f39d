/* All that says marks into this recording, and the rows that they become. */
#ifndef RECORD_MARK_MARKS_H
#define RECORD_MARK_MARKS_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "record/mark/output.h"
#include "record/mark/socket.h"
#include "record/mark/tracer.h"
#include "record/state/defs.h"

#include <stdbool.h>
#include <stdint.h>

#define REC_MARK_KINDS 3

struct rec_marks {
	const char *root;
	const struct log *log;
	bool trace_marker;             /* was asked for */
	struct rec_mark_socket socket;
	struct rec_mark_tracer tracer;
	struct rec_mark_output *output; /* NULL: was not asked for */
	uint64_t since_ns;             /* begin of this window */
	size_t taken[REC_MARK_KINDS];  /* in it */
	uint64_t n;                    /* rows */
};

/* `regex`: what --mark-from-stdout gives, or NULL. Fails only for that one.
 * Comes before the command is forked; *m must outlive it. */
int rec_marks_init(struct rec_marks *m, const char *root, bool trace_marker,
		   const char *regex, const struct log *log, struct err *err);

/* What is to be the command's standard output; -1: what it is anyway. Closed
 * here once the command has it. */
int rec_marks_command_fd(const struct rec_marks *m);
void rec_marks_command_forked(struct rec_marks *m);

/* Opens the socket and what else was asked for. What cannot be had is said, is
 * a fact of the file where it was asked for, and no failure. */
int rec_marks_begin(struct rec_marks *m, struct rec_defs *defs,
		    struct err *err);

int rec_marks_fd(const struct rec_marks *m); /* -1: nothing to wait for */

/* Without waiting: what has come, as rows. Where it is much, some are left for
 * later: whoever sends without end waits. */
void rec_marks_poll(struct rec_marks *m, struct rec_defs *defs);

/* Takes no more but what has come; `ended`: so did the command. */
void rec_marks_end(struct rec_marks *m, struct rec_defs *defs, bool ended);

/* Waits until the command's output has been passed on, where it has ended. A
 * zeroed one is fine. */
void rec_marks_fini(struct rec_marks *m);

#endif
