/* A part of a file, in order, through a window: any stretch of up to a record's
 * size lies in one piece. */
#ifndef RECORD_IMPORT_PERFDATA_BYTES_H
#define RECORD_IMPORT_PERFDATA_BYTES_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_pd_bytes {
	int fd;
	uint64_t at, end;    /* offsets in the file: of the next byte, and behind
			      * the last one */
	uint8_t *window;
	size_t size;         /* of the window */
	size_t from, filled; /* what of it waits: [from, filled) */
};

/* [at, end) of the file. `window`: the longest stretch that will be asked for,
 * at least. */
int rec_pd_bytes_init(struct rec_pd_bytes *b, int fd, uint64_t at, uint64_t end,
		      size_t window, struct err *err);
void rec_pd_bytes_fini(struct rec_pd_bytes *b); /* zeroed is fine */

/* What goes beyond the window. */
int rec_pd_bytes_read(struct rec_pd_bytes *b, size_t n, struct span *out,
		      struct err *err);
bool rec_pd_bytes_jump(struct rec_pd_bytes *b, uint64_t n);

/* The next `n` bytes without taking them, until the next call; 1: there are
 * fewer, *out is what is left. */
static inline int rec_pd_bytes_peek(struct rec_pd_bytes *b, size_t n,
				    struct span *out, struct err *err)
{
	if (b->filled - b->from < n)
		return rec_pd_bytes_read(b, n, out, err);
	*out = span_of(b->window + b->from, n);
	return 0;
}

/* Takes what was peeked at, or any number of bytes; false: there are fewer, and
 * all of them are taken. */
static inline bool rec_pd_bytes_skip(struct rec_pd_bytes *b, uint64_t n)
{
	if (n >= b->filled - b->from)
		return rec_pd_bytes_jump(b, n);
	b->from += (size_t)n;
	b->at += n;
	return true;
}

/* [at, at + n) of a file into memory that the caller frees; never more than
 * `max` bytes. ERR_FORMAT: the file is shorter. */
int rec_pd_load(uint8_t **out, int fd, uint64_t at, uint64_t n, size_t max,
		struct err *err);

#endif
