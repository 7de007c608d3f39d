#include "record/sink/sink.h"

#include "format/base/mem.h"
#include "record/sink/queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* In writing order: what is referred to comes before what refers to it. */
static const uint32_t order[] = {
	TF_TABLE_STRING, TF_TABLE_IMAGE, TF_TABLE_TRACEPOINT, TF_TABLE_EVENT,
	TF_TABLE_PROCESS, TF_TABLE_THREAD, TF_TABLE_MAPPING, TF_TABLE_FRAME,
	TF_TABLE_STACK,	 TF_TABLE_SYMBOL, TF_TABLE_CLOCK,  TF_TABLE_FACT,
	TF_TABLE_LOSS,	 TF_TABLE_MARK,	  TF_TABLE_SAMPLE, TF_TABLE_SWITCH,
};
#define N_FIXED ARRAY_LEN(order)

/* Of an added table: most hold few rows at a time, some a storm. */
#define FIRST_ROWS 64u
/* Values of added tables that a batch holds, and what their arrays may keep. */
#define BATCH_BYTES ((size_t)6 << 20)
#define POOL_BYTES ((size_t)8 << 20)
/* Parts of one chunk, well within TF_MAX_PARTS. */
#define CHUNK_PARTS 512u

struct rec_sink {
	struct rec_queue queue;
	struct rec_batch batches[REC_QUEUE_BATCHES];
	struct rec_batch *now; /* being filled */
	uint8_t slot[TF_TABLE_DYNAMIC]; /* table id → index in `order` */
	size_t n_tables; /* fixed and added */
	uint64_t *sent;  /* rows of this epoch in earlier batches, by table */
	uint64_t watermark;
	uint32_t epoch;
	size_t sure;     /* records that have room without looking */
	size_t added_bytes; /* values of added tables in the batch */

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

static int write_batch(struct rec_sink *s, const struct rec_batch *b)
{
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < b->n; at += CHUNK_PARTS) {
		size_t n = b->n - at < CHUNK_PARTS ? b->n - at : CHUNK_PARTS;

		rc = tf_writer_data(s->writer, b->epoch, b->parts + at, n,
				    &s->failure);
	}
	return rc;
}

/* Empty again; what the arrays of added tables grew to in a storm goes back
 * when it is too much. */
static void clear_batch(struct rec_batch *b)
{
	size_t held = 0;

	for (size_t i = 0; i < b->n; i++)
		tf_builder_clear(b->parts[i]);
	for (size_t i = N_FIXED; i < b->n; i++)
		held += tf_builder_memory(b->parts[i]);
	for (size_t i = N_FIXED; i < b->n && held > POOL_BYTES; i++)
		tf_builder_shrink(b->parts[i], FIRST_ROWS);
}

/* Tables are known by the builders of any batch. */
static int announce_added(struct rec_sink *s, const struct rec_batch *b)
{
	size_t n = b->n - N_FIXED;
	const struct tf_table **tables;
	int rc;

	if (!n)
		return 0;
	tables = malloc(n * sizeof(*tables));
	if (!tables)
		return err_nomem(&s->failure);
	for (size_t i = 0; i < n; i++)
		tables[i] = b->parts[N_FIXED + i]->table;
	rc = tf_writer_add_tables(s->writer, tables, n, &s->failure);
	free(tables);
	return rc;
}

static int next_file(struct rec_sink *s, const struct rec_batch *b)
{
	uint64_t size;
	struct tf_file_info info = { .start_unix_ns = 0 };
	struct tf_sink *to;
	int rc = tf_writer_end(s->writer, &s->failure);

	if (rc < 0)
		return rc;
	size = tf_writer_size(s->writer);
	tf_writer_free(s->writer);
	s->writer = NULL;
	atomic_fetch_add(&s->bytes_before, size);
	atomic_store(&s->bytes, 0);
	rc = s->next.open(s->next.ctx, &to, &info, &s->failure);
	if (rc == 0)
		rc = tf_writer_new(&s->writer, to, &info, &s->failure);
	return rc < 0 ? rc : announce_added(s, b);
}

static int take_batch(struct rec_sink *s, const struct rec_batch *b)
{
	int rc = write_batch(s, b);

	if (rc == 0 && b->last) {
		rc = next_file(s, b);
		atomic_fetch_add(&s->segments_begun, 1);
	}
	return rc;
}

static void *writer_main(void *arg)
{
	struct rec_sink *s = arg;
	struct rec_batch *b;

	while ((b = rec_queue_receive(&s->queue))) {
		/* After a failure batches still come back, so that the
		 * recording can end in good order. */
		if (!atomic_load(&s->failed) && take_batch(s, b) < 0)
			atomic_store(&s->failed, true);
		if (s->writer)
			atomic_store(&s->bytes, tf_writer_size(s->writer));
		clear_batch(b);
		rec_queue_return(&s->queue, b);
	}
	return NULL;
}

static int batch_init(struct rec_batch *b, struct err *err)
{
	b->parts = calloc(N_FIXED, sizeof(*b->parts));
	if (!b->parts)
		return err_nomem(err);
	for (; b->n < N_FIXED; b->n++) {
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
	for (size_t i = 0; i < N_FIXED; i++)
		s->slot[order[i]] = (uint8_t)i;
	s->n_tables = N_FIXED;
	s->sent = calloc(N_FIXED, sizeof(*s->sent));
	if (!s->sent)
		return err_nomem(err);
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

static int batch_add(struct rec_batch *b, const struct tf_table *const *tables,
		     size_t n, struct err *err)
{
	struct tf_builder **parts = realloc(b->parts, (b->n + n) *
						      sizeof(*parts));

	if (!parts)
		return err_nomem(err);
	b->parts = parts;
	for (size_t i = 0; i < n; i++, b->n++) {
		int rc = tf_builder_new_growing(&b->parts[b->n], tables[i],
						FIRST_ROWS, TF_PART_ROWS, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* The writer thread waits for its first batch all the while. */
int rec_sink_add_tables(struct rec_sink *s,
			const struct tf_table *const *tables, size_t n,
			struct err *err)
{
	uint64_t *sent = realloc(s->sent, (N_FIXED + n) * sizeof(*sent));
	int rc = 0;

	if (!sent)
		return err_nomem(err);
	s->sent = sent;
	for (size_t i = 0; i < REC_QUEUE_BATCHES && rc == 0; i++)
		rc = batch_add(&s->batches[i], tables, n, err);
	if (rc == 0)
		rc = tf_writer_add_tables(s->writer, tables, n, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		s->sent[N_FIXED + i] = 0;
	s->n_tables = N_FIXED + n;
	return 0;
}

static bool send_batch(struct rec_sink *s, bool wait, bool last)
{
	struct rec_batch *next = rec_queue_empty(&s->queue, wait);

	if (!next)
		return false;
	s->now->last = last;
	s->now->epoch = s->epoch;
	for (size_t i = 0; i < s->n_tables; i++) {
		struct tf_builder *b = s->now->parts[i];

		s->sent[i] += b->rows;
		b->watermark = b->table->kind == TF_KIND_EVENT ?
				       s->watermark : 0;
	}
	rec_queue_send(&s->queue, s->now);
	s->now = next;
	s->sure = 0;
	s->added_bytes = 0;
	return true;
}

static bool send(struct rec_sink *s, bool wait)
{
	return send_batch(s, wait, false);
}

/* Records that certainly have room, each with its definitions and `more` rows
 * in any table. */
static size_t room(const struct rec_sink *s, size_t more)
{
	size_t least = TF_PART_ROWS;

	for (size_t i = 0; i < N_FIXED; i++) {
		const struct tf_builder *b = s->now->parts[i];
		size_t left = b->max_rows - b->rows;
		size_t each = more + (b->table->kind == TF_KIND_DEFINITION ?
					      REC_SINK_ROWS_PER_RECORD : 1);

		if (left / each < least)
			least = left / each;
		if (b->raw_bytes > TF_PART_RAW_BYTES)
			return 0;
	}
	return least;
}

static bool has_rows(const struct rec_sink *s)
{
	for (size_t i = 0; i < s->n_tables; i++)
		if (s->now->parts[i]->rows)
			return true;
	return false;
}

static bool reserve(struct rec_sink *s, bool wait)
{
	if (s->sure) {
		s->sure--;
		return true;
	}
	s->sure = room(s, 0);
	if (!s->sure) {
		if (!send(s, wait))
			return false;
		s->sure = room(s, 0);
	}
	s->sure--;
	return true;
}

bool rec_sink_reserve(struct rec_sink *s)
{
	return reserve(s, false);
}

bool rec_sink_reserve_more(struct rec_sink *s, size_t more)
{
	if (more <= REC_SINK_ROWS_PER_RECORD / 2)
		return reserve(s, false);
	s->sure = 0;
	return room(s, more) || send(s, false);
}

bool rec_sink_reserve_wait(struct rec_sink *s)
{
	return reserve(s, true) && !rec_sink_failed(s);
}

static size_t slot(const struct rec_sink *s, uint32_t table)
{
	return table < TF_TABLE_DYNAMIC ? s->slot[table] :
					  N_FIXED + (table - TF_TABLE_DYNAMIC);
}

bool rec_sink_reserve_row(struct rec_sink *s, uint32_t table)
{
	struct tf_builder *b = s->now->parts[slot(s, table)];
	size_t size = b->table->n_columns * sizeof(uint64_t);

	if (s->added_bytes > BATCH_BYTES || b->raw_bytes > TF_PART_RAW_BYTES ||
	    !tf_builder_grow(b)) {
		if (!send(s, false))
			return false;
	}
	s->added_bytes += size;
	return true;
}

struct tf_builder *rec_sink_rows(struct rec_sink *s, uint32_t table)
{
	return s->now->parts[slot(s, table)];
}

uint32_t rec_sink_next_id(const struct rec_sink *s, uint32_t table)
{
	size_t i = slot(s, table);

	return (uint32_t)(s->sent[i] + s->now->parts[i]->rows);
}

void rec_sink_watermark(struct rec_sink *s, uint64_t time_ns)
{
	if (time_ns > s->watermark)
		s->watermark = time_ns;
}

void rec_sink_flush(struct rec_sink *s)
{
	if (has_rows(s))
		(void)send(s, false);
}

static void begin_epoch(struct rec_sink *s)
{
	s->epoch++;
	for (size_t i = 0; i < s->n_tables; i++)
		s->sent[i] = 0;
}

bool rec_sink_new_epoch(struct rec_sink *s)
{
	if (has_rows(s) && !send(s, false))
		return false;
	begin_epoch(s);
	return true;
}

void rec_sink_set_next(struct rec_sink *s, const struct rec_sink_next *next)
{
	s->next = *next;
}

bool rec_sink_new_segment(struct rec_sink *s)
{
	if (!send_batch(s, false, true))
		return false;
	s->segments_asked++;
	begin_epoch(s);
	return true;
}

bool rec_sink_segment_begun(struct rec_sink *s)
{
	return atomic_load(&s->segments_begun) == s->segments_asked;
}

uint64_t rec_sink_segment_bytes(struct rec_sink *s)
{
	return atomic_load(&s->bytes);
}

uint32_t rec_sink_epoch(const struct rec_sink *s)
{
	return s->epoch;
}

uint64_t rec_sink_bytes(struct rec_sink *s)
{
	return atomic_load(&s->bytes_before) + atomic_load(&s->bytes);
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

static void free_batch(struct rec_batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		tf_builder_free(b->parts[i]);
	free(b->parts);
}

void rec_sink_free(struct rec_sink *s)
{
	if (!s)
		return;
	stop(s);
	rec_queue_fini(&s->queue);
	for (size_t i = 0; i < REC_QUEUE_BATCHES; i++)
		free_batch(&s->batches[i]);
	tf_writer_free(s->writer);
	free(s->sent);
	free(s);
}
