/* The file a recording goes to, or the files one after another. An older one of
 * that name is kept as FILE.old, as perf record does, and comes back if nothing
 * was recorded. */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include "format/base/err.h"
#include "format/io.h"
#include "format/writer.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_output {
	const char *path;
	struct tf_sink *sink;
	char old[PATH_MAX]; /* where the older file went; empty: there was none*/

	/* Of a split recording, see record/segment/name.h. */
	bool split;
	size_t max_files;   /* 0: all are kept */
	char now[PATH_MAX]; /* the file that is written */
	uint64_t named_ns;  /* the time in its name */
	char **kept;        /* the oldest first; only with max_files */
	size_t n_kept, kept_cap;
	uint64_t n_files;
	uint64_t n_stayed;  /* that could not be deleted */
};

/* Before the command is forked: takes standard output for "-", which must not
 * be a terminal. From then on what is said there, by the command too, goes to
 * standard error, so that nothing but the trace gets into the pipe. */
int rec_output_begin(struct rec_output *o, const char *path, struct err *err);

/* The recording will be of several files, of which the newest `max_files` are
 * kept. */
void rec_output_split(struct rec_output *o, size_t max_files);

/* Creates the file; to be called once all else that may fail has been done. */
int rec_output_open(struct rec_output *o, struct err *err);

/* Closes it and creates the next one, which is *out. The writer thread's, while
 * there is one. */
int rec_output_next(struct rec_output *o, struct tf_sink **out,
		    struct err *err);

/* What a file that begins now has in its header. */
void rec_output_info(struct tf_file_info *info);

/* Ends it. Where nothing was recorded the file goes and the older one is put
 * back. Returns the failure of the last write-back; a zeroed one is fine. */
int rec_output_close(struct rec_output *o, bool recorded, struct err *err);

#endif
