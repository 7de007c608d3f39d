/* What the numbers of open files stand for: the facts "file.PID.FD" and
 * "gpu.file.PID.FD" of a trace (spec/tables.md). */
#ifndef ANALYZE_SYSCALL_FILES_H
#define ANALYZE_SYSCALL_FILES_H

#include "analyze/syscall/ioctl_names.h"
#include "analyze/trace.h"

/* Seen at a descriptor, from a time on. */
struct an_file_sight {
	uint32_t source;     /* as of a thread */
	uint32_t pid, fd;
	uint64_t since;      /* ns; 0: from the first on */
	uint32_t target;     /* string */
	uint32_t order;      /* in the file */
	enum an_ioctl_space space; /* whose ioctls those on it are */
};

struct an_files {
	const struct an_trace *t;
	struct an_file_sight *v; /* by source, pid, fd and time */
	size_t n, cap;
};

int an_files_make(struct an_files *out, const struct an_trace *t,
		  struct err *err);
void an_files_fini(struct an_files *f); /* a zeroed one is fine */

/* What a process had there at a time; NULL: not known. *doubt: other looks saw
 * another file there, so near the change it may be either. */
const struct an_file_sight *an_files_find(const struct an_files *f,
					  uint32_t source, int32_t pid,
					  int32_t fd, uint64_t time,
					  bool *doubt);

#endif
