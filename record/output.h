/* The file a recording goes to. An older one of that name is kept as FILE.old,
 * as perf record does, and comes back if nothing was recorded. */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include "format/base/err.h"
#include "format/io.h"

#include <limits.h>
#include <stdbool.h>

struct rec_output {
	const char *path;
	struct tf_sink *sink;
	char old[PATH_MAX]; /* where the older file went; empty: there was none*/
};

/* Before the command is forked: takes standard output for "-", which must not
 * be a terminal. From then on what is said there, by the command too, goes to
 * standard error, so that nothing but the trace gets into the pipe. */
int rec_output_begin(struct rec_output *o, const char *path, struct err *err);

/* Creates the file; to be called once all else that may fail has been done. */
int rec_output_open(struct rec_output *o, struct err *err);

/* Ends it. Where nothing was recorded the file goes and the older one is put
 * back. Returns the failure of the last write-back; a zeroed one is fine. */
int rec_output_close(struct rec_output *o, bool recorded, struct err *err);

#endif
