/* The standard output of the command, passed on as it comes by a thread of its
 * own, and each line that matches is a mark. However slowly our own standard
 * output is read, the recorder does not wait for it. */
#ifndef RECORD_MARK_OUTPUT_H
#define RECORD_MARK_OUTPUT_H

#include "format/base/err.h"
#include "record/mark/mark.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_mark_output;

/* Compiles the POSIX extended expression, which is matched against the first
 * REC_MARK_TEXT_MAX bytes of each line, and makes the pipe. */
int rec_mark_output_new(struct rec_mark_output **out, const char *regex,
			struct err *err);

/* The end of the pipe that is the command's standard output; -1 once it was
 * closed here. */
int rec_mark_output_fd(const struct rec_mark_output *o);
void rec_mark_output_close_fd(struct rec_mark_output *o);

/* Starts to pass on to descriptor `to`. Signals are blocked in the thread. */
int rec_mark_output_start(struct rec_mark_output *o, int to, struct err *err);

/* Without waiting: 0, *out is the next mark and lives until the next call; 1:
 * there is none now. */
int rec_mark_output_take(struct rec_mark_output *o, struct rec_mark *out);

/* The command ended: passes on what is in the pipe and no more, even where a
 * process that the command left has it open. Waits for that so long at most;
 * false: it is not done. */
bool rec_mark_output_finish(struct rec_mark_output *o, uint64_t timeout_ns);

/* Matching lines that came faster than they were taken. */
uint64_t rec_mark_output_missed(struct rec_mark_output *o);

/* Finishes, however long that takes. NULL is fine. */
void rec_mark_output_free(struct rec_mark_output *o);

#endif
