/* The records inside COMPRESSED ones: one stream of zstd, cut anywhere. */
#ifndef RECORD_IMPORT_PERFDATA_INFLATE_H
#define RECORD_IMPORT_PERFDATA_INFLATE_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ZSTD_DCtx_s;

struct rec_pd_inflate {
	struct ZSTD_DCtx_s *zstd;
	struct span in;      /* what is not yet decompressed */
	uint8_t *out;        /* the window on the plain stream */
	size_t from, filled; /* what of it waits */
	bool full;           /* it was filled: there may be more to come */
};

void rec_pd_inflate_fini(struct rec_pd_inflate *z); /* zeroed is fine */

/* More of the stream, which must stay there until rec_pd_inflate_next() returns
 * 1. */
int rec_pd_inflate_feed(struct rec_pd_inflate *z, struct span in,
			struct err *err);

/* The next whole record, until the next call; 1: its rest is not there yet.
 * `foreign`: its head is big-endian. ERR_FORMAT: no more of this stream. */
int rec_pd_inflate_next(struct rec_pd_inflate *z, bool foreign,
			struct span *record, struct err *err);

/* Bytes of a record whose end never came. */
static inline size_t rec_pd_inflate_rest(const struct rec_pd_inflate *z)
{
	return z->filled - z->from;
}

#endif
