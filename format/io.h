/* Where bytes come from and go to: files, pipes, memory, and faults in tests.*/
#ifndef FORMAT_IO_H
#define FORMAT_IO_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/span.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Random access. Reading is safe from several threads at once. */
struct tf_source {
	/* Reads exactly n bytes or fails; 1: they are past the end. */
	int (*read)(struct tf_source *s, void *to, size_t n, uint64_t at,
		    struct err *err);
	void (*close)(struct tf_source *s);
	uint64_t size;
	const char *name; /* for messages; owned by the source */
};

/* Judges the first bytes, fewer only where there are no more. */
#define TF_FRONT_SIZE 64
typedef int tf_front_check(struct span front, struct err *err);

/* Opens a file; "-" or a pipe is copied to an unlinked temporary file first,
 * after `check` (NULL: anything goes) has found nothing wrong with its front: a
 * stream of something else may have no end. A directory, a device or an
 * unreadable file is an error that names it. */
int tf_source_open(struct tf_source **out, const char *path,
		   tf_front_check *check, struct err *err);

/* The same from a descriptor, which is duplicated; `name` is for messages. */
int tf_source_open_fd(struct tf_source **out, int fd, const char *name,
		      tf_front_check *check, struct err *err);

/* Reads from memory that the caller keeps. */
int tf_source_memory(struct tf_source **out, struct span bytes,
		     struct err *err);
void tf_source_close(struct tf_source *s); /* NULL is fine */

/* A file without a name, to be read and written, in $TMPDIR or else in /var/tmp,
 * which is on disk where /tmp may be memory. Returns its descriptor. */
int tf_temporary_file(struct err *err);

/* Append only. */
struct tf_sink {
	/* Appends all or fails; a failure may leave part of it. */
	int (*append)(struct tf_sink *s, const struct iovec *v, int n,
		      struct err *err);
	/* Cuts back to `size`; ERR_UNSUPPORTED on a pipe. */
	int (*cut)(struct tf_sink *s, uint64_t size, struct err *err);
	int (*close)(struct tf_sink *s, struct err *err);
	const char *name;
};

/* Creates (0600) or truncates a file; "-" is standard output. */
int tf_sink_open(struct tf_sink **out, const char *path, struct err *err);
/* Appends to a buffer that the caller keeps. */
int tf_sink_memory(struct tf_sink **out, struct buf *to, struct err *err);
/* Returns the failure of the last write-back, if any; NULL is fine. */
int tf_sink_close(struct tf_sink *s, struct err *err);

#endif
