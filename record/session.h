/* A recording from start to end: opens everything, runs the loop, closes the
 * file. */
#ifndef RECORD_SESSION_H
#define RECORD_SESSION_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "format/version.h"
#include "record/config.h"

#define REC_VERSION COLTRACE_VERSION

enum rec_exit {
	REC_EXIT_DONE = 0,
	REC_EXIT_FAILED = 125, /* rec itself; else the command's own status */
};

/* What could not be had is said in *cfg. *status is what the program exits with:
 * the command's status, or where there is none or the recording failed, a
 * rec_exit; 126 and 127 as the shell. */
int rec_session_run(struct rec_config *cfg, const struct log *log,
		    int *status, struct err *err);

#endif
