/* The writer thread and what goes round between it and those who fill batches:
 * the file's side of a sink. */
#ifndef RECORD_SINK_FILE_H
#define RECORD_SINK_FILE_H

#include "format/base/err.h"
#include "format/catalog.h"
#include "format/writer.h"
#include "record/sink/queue.h"
#include "record/sink/sink.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In writing order: what is referred to comes before what refers to it. The first
 * ones are small. Those behind the usual ones are announced by the first batch that
 * has rows of them. */
extern const uint32_t rec_file_order[];
#define REC_FILE_SMALL 12u
#define REC_FILE_USUAL 16u
#define REC_FILE_FIXED 19u

/* Samples, their frames and stacks that a batch holds: what many CPUs sample in
 * the time between two flushes. Fewer rows a part cost more bytes a row: twice as
 * many as of a usual part save 1 % on samples of a build. */
#define REC_BATCH_ROWS (2 * TF_PART_ROWS)
/* Values of added tables that a batch holds. */
#define REC_BATCH_BYTES ((size_t)6 << 20)

struct rec_file {
	struct rec_queue queue;
	struct rec_batch batches[REC_QUEUE_MAX];
	size_t n_batches;
	const struct tf_table **added; /* tables besides the fixed ones */
	size_t n_added;
	bool has[REC_FILE_FIXED - REC_FILE_USUAL]; /* the file has announced
			       * that table */
	uint64_t watermark;   /* set between rounds */
	uint32_t next_epoch;

	struct rec_sink *sinks[REC_SHARDS_MAX]; /* who fill batches */
	size_t n_sinks;

	struct tf_writer *writer; /* the thread's, until it is joined */
	pthread_t thread;
	bool running;
	struct err failure;
	atomic_bool failed;
	atomic_uint_fast64_t bytes;        /* of this file */
	atomic_uint_fast64_t bytes_before; /* of the files before */
	struct rec_sink_next next;
	uint32_t segments_asked;
	atomic_uint segments_begun;
};

int rec_file_new(struct rec_file **out, struct tf_sink *to,
		 const struct tf_file_info *info, struct err *err);
void rec_file_free(struct rec_file *f); /* NULL is fine */

/* So many more batches in circulation. */
int rec_file_add_batches(struct rec_file *f, size_t n, struct err *err);
int rec_file_add_tables(struct rec_file *f,
			const struct tf_table *const *tables, size_t n,
			struct err *err);

/* Waits until all that was sent is written. */
void rec_file_stop(struct rec_file *f);

#endif
