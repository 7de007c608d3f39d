/* The records of all CPUs of all buffers by time, each with the stacks that the
 * kernel wrote behind it. */
#ifndef RECORD_IMPORT_TRACEDAT_MERGE_H
#define RECORD_IMPORT_TRACEDAT_MERGE_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/span.h"
#include "record/import/tracedat/formats.h"
#include "record/import/tracedat/meta.h"
#include "record/import/tracedat/page.h"
#include "record/import/tracedat/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_dat_merge {
	struct rec_dat_layout layout;
	struct rec_dat_common common;
	const struct rec_dat_formats *formats;
	bool big;
	struct rec_dat_stream *streams;
	size_t n;
	size_t *heap;      /* streams that have a record, the next one first */
	size_t n_heap;
	struct buf record; /* of the row that was given last */
	struct buf stacks[2];
};

/* What the kernel wrote behind a record. */
struct rec_dat_stack {
	struct rec_dat_event *event; /* NULL: nothing */
	struct span record;
};

struct rec_dat_row {
	uint64_t time;
	uint32_t cpu, buffer;
	int32_t pid;       /* thread */
	uint64_t id;
	struct rec_dat_event *event; /* NULL: has no format */
	struct span record;
	struct rec_dat_stack kernel, user;
	bool lost;         /* something was, before it on its CPU */
	uint64_t n_lost;   /* 0: not told how much */
	bool hurt;         /* what was before it on its CPU made no sense */
};

/* Begins to read all buffers. The file, its parts and the formats must outlive
 * it. */
int rec_dat_merge_init(struct rec_dat_merge *m, struct rec_dat_file *f,
		       const struct rec_dat_meta *meta,
		       const struct rec_dat_formats *formats, struct err *err);
void rec_dat_merge_fini(struct rec_dat_merge *m); /* zeroed is fine */

/* The next row; its spans live until the next call. 1: there is no more. */
int rec_dat_merge_next(struct rec_dat_merge *m, struct rec_dat_row *row,
		       struct err *err);

#endif
