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

/* "-" is standard output, which must not be a terminal. */
int rec_output_open(struct rec_output *o, const char *path, struct err *err);

/* Ends it. Where nothing was recorded the file goes and the older one is put
 * back. Returns the failure of the last write-back; a zeroed one is fine. */
int rec_output_close(struct rec_output *o, bool recorded, struct err *err);

#endif
