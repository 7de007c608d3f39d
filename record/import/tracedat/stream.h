/* The records of one CPU of one buffer, page after page. */
#ifndef RECORD_IMPORT_TRACEDAT_STREAM_H
#define RECORD_IMPORT_TRACEDAT_STREAM_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "record/import/tracedat/file.h"
#include "record/import/tracedat/page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_dat_stream {
	struct rec_dat_file *file;
	const struct rec_dat_layout *layout;
	uint32_t cpu, buffer; /* number of the buffer */
	uint32_t page_size;
	bool packed;
	uint64_t at, end;     /* in the file, of what is not yet read */
	uint32_t chunks;      /* packed: that are not yet read */
	struct rec_dat_part pages; /* read, unpacked */
	size_t used;          /* bytes of them */
	struct rec_dat_page page;
	bool begun;           /* the number of chunks was read */

	/* The record that comes next. */
	bool there;
	uint64_t time;
	struct span record;   /* until the next one is taken */

	uint64_t page_at;     /* in the file, of the page or of its chunk */

	/* Since the caller last looked at these, and reset them. */
	bool lost;
	uint64_t n_lost;      /* 0: not told how much */
	bool hurt;            /* the rest of a page made no sense */

	unsigned damaged;     /* pages whose rest makes no sense, passed over */
	struct err damage;    /* the first one */
};

void rec_dat_stream_fini(struct rec_dat_stream *s); /* zeroed is fine */

/* Goes on to the next record. 1: there is no more; where the file ends before
 * it should, that counts as a damaged page. Negative: no memory, or the file
 * cannot be read. */
int rec_dat_stream_next(struct rec_dat_stream *s, struct err *err);

#endif
