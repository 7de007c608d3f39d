/* What /proc says of processes that ran before the recording: names, threads,
 * executable mappings. */
#ifndef RECORD_PROC_MAPS_H
#define RECORD_PROC_MAPS_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* An executable mapping, one line of /proc/PID/maps. */
struct rec_map_line {
	uint64_t start, end, offset;
	uint32_t major, minor;
	uint64_t inode;
	struct span path; /* may be empty; " (deleted)" is part of it */
};

/* Parses a line; false: malformed, or not executable. */
bool rec_map_line(struct span line, struct rec_map_line *out);

/* Calls `each` for the executable mappings of a process. */
int rec_maps_read(const char *root, pid_t pid,
		  int (*each)(void *ctx, const struct rec_map_line *m),
		  void *ctx, struct err *err);

#endif
