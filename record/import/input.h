/* Bytes to import: a file or a pipe, made plain on the way where they are
 * compressed (gzip, xz, zstd). */
#ifndef RECORD_IMPORT_INPUT_H
#define RECORD_IMPORT_INPUT_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdint.h>
#include <sys/types.h>

struct rec_input;
struct rec_stop;

/* "-" is standard input. */
int rec_input_open(struct rec_input **out, const char *path, struct err *err);

/* The same; once it is open signals are taken, and one of them is its end. */
int rec_input_open_until(struct rec_input **out, const char *path,
			 struct rec_stop *stop, struct err *err);
void rec_input_close(struct rec_input *in); /* NULL is fine */

/* Where the path is a folder with a file "data", as perf makes them, all that is
 * said here is of that file, and this is the folder's descriptor, owned by `in`;
 * -1: it is none. */
int rec_input_folder(const struct rec_input *in);

/* For messages. */
const char *rec_input_name(const struct rec_input *in);

/* The next `n` bytes (at most 64 KiB; fewer at the end) without taking them;
 * until the next call. */
int rec_input_peek(struct rec_input *in, size_t n, struct span *head,
		   struct err *err);

/* Takes up to `n` bytes. Returns how many, 0 at the end. Failures of a
 * decompressor name the place; they come once all before them was taken. */
ssize_t rec_input_read(struct rec_input *in, void *p, size_t n,
		       struct err *err);

/* A descriptor from which all of it, from the first byte on, can be read
 * anywhere: the file itself, or what could not be sought in, put into a file
 * without a name. Owned by `in`; not to be mixed with reading. It has what came
 * before a failure, if anything did. */
int rec_input_file(struct rec_input *in, int *fd, uint64_t *size,
		   struct err *err);

/* The failure that came behind all that could be read; 0: there was none so
 * far. */
int rec_input_failed(const struct rec_input *in, struct err *err);

#endif
