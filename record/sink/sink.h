/* Rows to a file: pooled builders, one batch at a time handed to the writer
 * thread through a bounded queue. Memory is fixed after the start: when the
 * writer cannot keep up, rec_sink_reserve() says no, and the caller leaves what
 * it has to the kernel.
 *
 * The ids of definition rows restart with each epoch; whoever gives them out
 * compares its epoch with rec_sink_epoch(). */
#ifndef RECORD_SINK_SINK_H
#define RECORD_SINK_SINK_H

#include "format/base/err.h"
#include "format/builder.h"
#include "format/catalog.h"
#include "format/writer.h"

#include <stdbool.h>
#include <stdint.h>

/* Rows that one record from the kernel may add to any definition table: both
 * chains at the kernel's default limit, and what names them. */
#define REC_SINK_ROWS_PER_RECORD 512u

struct rec_sink;

int rec_sink_new(struct rec_sink **out, struct tf_sink *to,
		 const struct tf_file_info *info, struct err *err);

/* Another one who fills batches of the same file, in a thread and with epochs of
 * his own; comes behind rec_sink_add_tables() and before the first row. What is
 * said of rows below is said of each; watermark, segments and the end are the
 * first one's, between rounds. */
int rec_sink_share(struct rec_sink **out, struct rec_sink *of,
		   struct err *err);

/* Further tables of events: their ids are TF_TABLE_DYNAMIC and the numbers behind
 * it, in the order of all that were added. They must outlive the sink. May come
 * again later, while nobody shares the file: waits until the writer has written
 * what it was sent. After a failure only the end can be written. */
int rec_sink_add_tables(struct rec_sink *s,
			const struct tf_table *const *tables, size_t n,
			struct err *err);

/* Room for one record's rows in every table. Sends a batch where that is what
 * it takes. false: the writer is behind (or has failed: ask rec_sink_failed).*/
bool rec_sink_reserve(struct rec_sink *s);

/* The same for `more` rows of definitions beyond those, at most TF_PART_ROWS / 2.
 */
bool rec_sink_reserve_more(struct rec_sink *s, size_t more);

/* As reserve, but waits for the writer; false only after it failed. */
bool rec_sink_reserve_wait(struct rec_sink *s);

/* Room for a row of an added table, besides; as rec_sink_reserve(). */
bool rec_sink_reserve_row(struct rec_sink *s, uint32_t table);

/* The builder of a table; it has room after a reserve. */
struct tf_builder *rec_sink_rows(struct rec_sink *s, uint32_t table);

/* The id that the next row of a definition table will have in this epoch. */
uint32_t rec_sink_next_id(const struct rec_sink *s, uint32_t table);

/* No later row of any table of events will be older, but for marks and
 * counters. Rises only. */
void rec_sink_watermark(struct rec_sink *s, uint64_t time_ns);

/* Hands over what there is, if the queue has room; the next rows go into a new
 * batch. */
void rec_sink_flush(struct rec_sink *s);

/* Hands over the names alone (strings, images, symbols), so that those of rows
 * that are in the file follow soon; all other rows go on filling the batch, since
 * many small parts cost bytes. */
void rec_sink_flush_names(struct rec_sink *s);

/* As rec_sink_flush(), but waits for room; false only after the writer failed. */
bool rec_sink_flush_wait(struct rec_sink *s);

/* Ends the epoch (between rounds): what there is is handed over, ids restart at
 * 0. false:
 * the queue is full, try again. */
bool rec_sink_new_epoch(struct rec_sink *s);
uint32_t rec_sink_epoch(const struct rec_sink *s);

/* Where the next file of a recording comes from; called by the writer thread,
 * when the one before has its END. The sink ends no tf_sink. */
struct rec_sink_next {
	int (*open)(void *ctx, struct tf_sink **out, struct tf_file_info *info,
		    struct err *err);
	void *ctx;
};
void rec_sink_set_next(struct rec_sink *s, const struct rec_sink_next *next);

/* The same as a new epoch, which goes into the next file. Drains no slower: the
 * writer thread does it when it has written what came before. */
bool rec_sink_new_segment(struct rec_sink *s);

/* Whether the writer has begun the last one that was asked for, and the bytes
 * of that file so far. */
bool rec_sink_segment_begun(struct rec_sink *s);
uint64_t rec_sink_segment_bytes(struct rec_sink *s);

uint64_t rec_sink_bytes(struct rec_sink *s); /* written so far, in all files */
bool rec_sink_failed(struct rec_sink *s);
int rec_sink_failure(struct rec_sink *s, struct err *err); /* 0: none */

/* Writes what is left, index and END; ends the thread. Returns the first
 * failure of the writer. The sink accepts nothing more. */
int rec_sink_close(struct rec_sink *s, struct err *err);
void rec_sink_free(struct rec_sink *s); /* NULL is fine */

#endif
