#include "record/sink/sink.h"

#include "format/base/mem.h"
#include "record/sink/queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* In writing order: what is referred to comes before what refers to it. */
static const uint32_t order[] = {
	TF_TABLE_STRING, TF_TABLE_IMAGE,  TF_TABLE_EVENT, TF_TABLE_PROCESS,
	TF_TABLE_THREAD, TF_TABLE_MAPPING, TF_TABLE_FRAME, TF_TABLE_STACK,
	TF_TABLE_SYMBOL, TF_TABLE_CLOCK,  TF_TABLE_FACT,  TF_TABLE_LOSS,
	TF_TABLE_SAMPLE,
};
#define N_TABLES ARRAY_LEN(order)
#define MAX_TABLE_ID TF_TABLE_DYNAMIC

struct rec_sink {
	struct rec_queue queue;
	struct rec_batch batches[REC_QUEUE_BATCHES];
	struct rec_batch *now; /* being filled */
	uint8_t slot[MAX_TABLE_ID]; /* table id → index in `order` */
	uint64_t sent[N_TABLES]; /* rows of this epoch in earlier batches */
	uint64_t watermark[N_TABLES];
	uint32_t epoch;

	struct tf_writer *writer; /* the thread's, until it is joined */
	pthread_t thread;
	bool running;
	struct err failure;
	atomic_bool failed;
	atomic_uint_fast64_t bytes;
};

static void *writer_main(void *arg)
{
	struct rec_sink *s = arg;
	struct rec_batch *b;

	while ((b = rec_queue_receive(&s->queue))) {
		/* After a failure batches still come back, so that the
		 * recording can end in good order. */
		if (!atomic_load(&s->failed) &&
		    tf_writer_data(s->writer, b->epoch, b->parts, b->n,
				   &s->failure) < 0)
			atomic_store(&s->failed, true);
		atomic_store(&s->bytes, tf_writer_size(s->writer));
		for (size_t i = 0; i < b->n; i++)
			tf_builder_clear(b->parts[i]);
		rec_queue_return(&s->queue, b);
	}
	return NULL;
}

static int batch_init(struct rec_batch *b, struct err *err)
{
	for (b->n = 0; b->n < N_TABLES; b->n++) {
		int rc = tf_builder_new(&b->parts[b->n],
					tf_catalog_table(order[b->n]),
					TF_PART_ROWS, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int start(struct rec_sink *s, struct err *err)
{
	for (size_t i = 0; i < N_TABLES; i++)
		s->slot[order[i]] = (uint8_t)i;
	for (size_t i = 0; i < REC_QUEUE_BATCHES; i++) {
		int rc = batch_init(&s->batches[i], err);

		if (rc < 0)
			return rc;
		rec_queue_return(&s->queue, &s->batches[i]);
	}
	s->now = rec_queue_empty(&s->queue, false);
	if (pthread_create(&s->thread, NULL, writer_main, s))
		return err_set(err, ERR_NOMEM, "cannot start a thread");
	s->running = true;
	return 0;
}

int rec_sink_new(struct rec_sink **out, struct tf_sink *to,
		 const struct tf_file_info *info, struct err *err)
{
	struct rec_sink *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_nomem(err);
	if (rec_queue_init(&s->queue)) {
		free(s);
		return err_nomem(err);
	}
	rc = tf_writer_new(&s->writer, to, info, err);
	if (rc == 0)
		rc = start(s, err);
	if (rc < 0) {
		rec_sink_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

static bool send(struct rec_sink *s, bool wait)
{
	struct rec_batch *next = rec_queue_empty(&s->queue, wait);

	if (!next)
		return false;
	s->now->epoch = s->epoch;
	for (size_t i = 0; i < N_TABLES; i++) {
		s->sent[i] += s->now->parts[i]->rows;
		s->now->parts[i]->watermark = s->watermark[i];
	}
	rec_queue_send(&s->queue, s->now);
	s->now = next;
	return true;
}

static bool has_room(const struct rec_sink *s, size_t n)
{
	for (size_t i = 0; i < N_TABLES; i++) {
		const struct tf_builder *b = s->now->parts[i];

		if (b->rows + n > b->max_rows &&
		    (b->table->kind == TF_KIND_DEFINITION ||
		     tf_builder_full(b)))
			return false;
		if (b->raw_bytes > TF_PART_RAW_BYTES)
			return false;
	}
	return true;
}

static bool has_rows(const struct rec_sink *s)
{
	for (size_t i = 0; i < N_TABLES; i++)
		if (s->now->parts[i]->rows)
			return true;
	return false;
}

bool rec_sink_reserve(struct rec_sink *s)
{
	return rec_sink_reserve_more(s, 0);
}

bool rec_sink_reserve_more(struct rec_sink *s, size_t more)
{
	return has_room(s, REC_SINK_ROWS_PER_RECORD + more) || send(s, false);
}

bool rec_sink_reserve_wait(struct rec_sink *s)
{
	if (!has_room(s, REC_SINK_ROWS_PER_RECORD) && !send(s, true))
		return false;
	return !rec_sink_failed(s);
}

struct tf_builder *rec_sink_rows(struct rec_sink *s, uint32_t table)
{
	return s->now->parts[s->slot[table]];
}

uint32_t rec_sink_next_id(const struct rec_sink *s, uint32_t table)
{
	size_t i = s->slot[table];

	return (uint32_t)(s->sent[i] + s->now->parts[i]->rows);
}

void rec_sink_watermark(struct rec_sink *s, uint32_t table, uint64_t time_ns)
{
	uint64_t *w = &s->watermark[s->slot[table]];

	if (time_ns > *w)
		*w = time_ns;
}

void rec_sink_flush(struct rec_sink *s)
{
	if (has_rows(s))
		(void)send(s, false);
}

bool rec_sink_new_epoch(struct rec_sink *s)
{
	if (has_rows(s) && !send(s, false))
		return false;
	s->epoch++;
	for (size_t i = 0; i < N_TABLES; i++)
		s->sent[i] = 0;
	return true;
}

uint32_t rec_sink_epoch(const struct rec_sink *s)
{
	return s->epoch;
}

uint64_t rec_sink_bytes(struct rec_sink *s)
{
	return atomic_load(&s->bytes);
}

bool rec_sink_failed(struct rec_sink *s)
{
	return atomic_load(&s->failed);
}

static void stop(struct rec_sink *s)
{
	if (!s->running)
		return;
	rec_queue_close(&s->queue);
	pthread_join(s->thread, NULL);
	s->running = false;
}

int rec_sink_close(struct rec_sink *s, struct err *err)
{
	int rc;

	if (has_rows(s))
		(void)send(s, true);
	stop(s);
	if (atomic_load(&s->failed)) {
		/* A file that misses what was recorded is not closed: its END
		 * would say that it is whole. */
		if (err)
			*err = s->failure;
		return s->failure.code;
	}
	rc = tf_writer_end(s->writer, err);
	atomic_store(&s->bytes, tf_writer_size(s->writer));
	return rc;
}

void rec_sink_free(struct rec_sink *s)
{
	if (!s)
		return;
	stop(s);
	rec_queue_fini(&s->queue);
	for (size_t i = 0; i < REC_QUEUE_BATCHES; i++)
		for (size_t k = 0; k < s->batches[i].n; k++)
			tf_builder_free(s->batches[i].parts[k]);
	tf_writer_free(s->writer);
	free(s);
}
