/* Reads files of /proc and /sys under a root prefix, so that a tree of files
 * is a test input. */
#ifndef RECORD_PROC_PROCFS_H
#define RECORD_PROC_PROCFS_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Appends the whole file ROOT + the formatted path; at most 64 MiB. */
int rec_procfs_read(struct buf *to, struct err *err, const char *root,
		    const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The first number of such a file; false where there is none. */
bool rec_procfs_number(uint64_t *out, const char *root, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Takes the next line, without its end; false at the end of the text. */
bool rec_line(struct span *text, struct span *line);

/* Takes the next word, skipping spaces and tabs before it. */
bool rec_word(struct span *line, struct span *word);

/* The whole word as a number; "0x" is allowed for base 16. */
bool rec_number(struct span word, unsigned base, uint64_t *out);

/* Calls `each` for every numeric directory name of ROOT + path; stops where it
 * returns non-zero and returns that. A missing directory is ERR_IO. */
int rec_procfs_ids(const char *root, const char *path,
		   int (*each)(void *ctx, pid_t id), void *ctx,
		   struct err *err);

#endif
