/* Finished batches on their way to the writer thread, and the empty ones on
 * their way back: a fixed ring of them, moved, never copied. */
#ifndef RECORD_SINK_QUEUE_H
#define RECORD_SINK_QUEUE_H

#include "format/builder.h"
#include "record/state/row.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* A builder for every table of the recording, in writing order. */
struct rec_batch {
	uint32_t epoch;
	bool last; /* of its segment: what follows goes into the next file */
	struct tf_builder **parts;
	size_t n;
};

#define REC_QUEUE_BATCHES 4
#define REC_QUEUE_PER_SHARD 2u /* more for each further one who fills them */
#define REC_QUEUE_MAX                                                          \
	(REC_QUEUE_BATCHES + REC_QUEUE_PER_SHARD * (REC_SHARDS_MAX - 1))

struct rec_queue {
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	struct rec_batch *full[REC_QUEUE_MAX];
	struct rec_batch *empty[REC_QUEUE_MAX];
	size_t n_full, n_empty;
	bool closed;
};

int rec_queue_init(struct rec_queue *q);
void rec_queue_fini(struct rec_queue *q);

/* The producer: an empty batch, or NULL (at once, or after waiting only if the
 * queue was closed). */
struct rec_batch *rec_queue_empty(struct rec_queue *q, bool wait);
void rec_queue_send(struct rec_queue *q, struct rec_batch *b);
/* Waits until `n` batches are empty again, or the queue is closed. */
void rec_queue_settle(struct rec_queue *q, size_t n);
void rec_queue_close(struct rec_queue *q);

/* The consumer: the oldest full batch; NULL once closed and drained. */
struct rec_batch *rec_queue_receive(struct rec_queue *q);
void rec_queue_return(struct rec_queue *q, struct rec_batch *b);

#endif
