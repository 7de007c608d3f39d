#include "record/sink/file.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

const uint32_t rec_file_order[REC_FILE_FIXED] = {
	TF_TABLE_STRING, TF_TABLE_IMAGE, TF_TABLE_TRACEPOINT, TF_TABLE_EVENT,
	TF_TABLE_PROCESS, TF_TABLE_THREAD, TF_TABLE_MAPPING, TF_TABLE_SYMBOL,
	TF_TABLE_CLOCK,	 TF_TABLE_FACT,	  TF_TABLE_LOSS,    TF_TABLE_MARK,
	TF_TABLE_FRAME,	 TF_TABLE_STACK,  TF_TABLE_SAMPLE,  TF_TABLE_SWITCH,
	TF_TABLE_SERIES, TF_TABLE_COUNTER, TF_TABLE_USER_DUMP,
};

/* Of an added table: most hold few rows at a time, some a storm. */
#define FIRST_ROWS 64u
/* What the arrays of added tables in a batch may keep. */
#define POOL_BYTES ((size_t)8 << 20)
/* Parts of one chunk, well within TF_MAX_PARTS. */
#define CHUNK_PARTS 512u

/* The tables that few recordings have. */
static int announce_rare(struct rec_file *f, const struct rec_batch *b)
{
	int rc = 0;

	for (unsigned i = REC_FILE_USUAL; rc == 0 && i < REC_FILE_FIXED; i++) {
		bool *has = &f->has[i - REC_FILE_USUAL];

		if (*has || !b->parts[i]->rows)
			continue;
		*has = true;
		rc = tf_writer_add_tables(f->writer, &b->parts[i]->table, 1,
					  &f->failure);
	}
	return rc;
}

/* Whether the tables from that place on have more than a packed chunk holds. */
static bool is_much(const struct rec_batch *b, size_t from)
{
	size_t values = 0;

	for (size_t i = from; i < b->n; i++)
		values += (size_t)b->parts[i]->rows *
			  b->parts[i]->table->n_columns;
	return values > TF_PACK_LIMIT;
}

/* A batch is one chunk, unless it has too many parts. Beside much else the small
 * tables have one of their own, which can be packed: their streams are short, and
 * each by itself costs more than it holds (1.5 % of samples of a build). */
static int write_batch(struct rec_file *f, const struct rec_batch *b)
{
	size_t at = 0, n = is_much(b, REC_FILE_SMALL) ? REC_FILE_SMALL :
							CHUNK_PARTS;
	int rc = announce_rare(f, b);

	while (rc == 0 && at < b->n) {
		if (n > b->n - at)
			n = b->n - at;
		rc = tf_writer_data(f->writer, b->epoch, b->parts + at, n,
				    &f->failure);
		at += n;
		n = CHUNK_PARTS;
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
	for (size_t i = REC_FILE_FIXED; i < b->n; i++)
		held += tf_builder_memory(b->parts[i]);
	for (size_t i = REC_FILE_FIXED; i < b->n && held > POOL_BYTES; i++)
		tf_builder_shrink(b->parts[i], FIRST_ROWS);
}

static int announce_added(struct rec_file *f)
{
	if (!f->n_added)
		return 0;
	return tf_writer_add_tables(f->writer, f->added, f->n_added,
				    &f->failure);
}

static int next_file(struct rec_file *f)
{
	uint64_t size;
	struct tf_file_info info = { .start_unix_ns = 0 };
	struct tf_sink *to;
	int rc = tf_writer_end(f->writer, &f->failure);

	if (rc < 0)
		return rc;
	size = tf_writer_size(f->writer);
	tf_writer_free(f->writer);
	f->writer = NULL;
	memset(f->has, 0, sizeof(f->has));
	atomic_fetch_add(&f->bytes_before, size);
	atomic_store(&f->bytes, 0);
	rc = f->next.open(f->next.ctx, &to, &info, &f->failure);
	if (rc == 0)
		rc = tf_writer_new(&f->writer, to, &info, &f->failure);
	return rc < 0 ? rc : announce_added(f);
}

static int take_batch(struct rec_file *f, const struct rec_batch *b)
{
	int rc = write_batch(f, b);

	if (rc == 0 && b->last) {
		rc = next_file(f);
		atomic_fetch_add(&f->segments_begun, 1);
	}
	return rc;
}

static void *writer_main(void *arg)
{
	struct rec_file *f = arg;
	struct rec_batch *b;

	while ((b = rec_queue_receive(&f->queue))) {
		/* After a failure batches still come back, so that the
		 * recording can end in good order. */
		if (!atomic_load(&f->failed) && take_batch(f, b) < 0)
			atomic_store(&f->failed, true);
		if (f->writer)
			atomic_store(&f->bytes, tf_writer_size(f->writer));
		clear_batch(b);
		rec_queue_return(&f->queue, b);
	}
	return NULL;
}

static int add_builders(struct rec_batch *b,
			const struct tf_table *const *tables, size_t n,
			struct err *err)
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

static uint32_t rows_of(uint32_t table)
{
	switch (table) {
	case TF_TABLE_USER_DUMP:
		return TF_USER_DUMP_ROWS;
	case TF_TABLE_FRAME:
	case TF_TABLE_STACK:
	case TF_TABLE_SAMPLE:
		return REC_BATCH_ROWS;
	default:
		return TF_PART_ROWS;
	}
}

static int batch_init(struct rec_file *f, struct rec_batch *b, struct err *err)
{
	b->parts = calloc(REC_FILE_FIXED, sizeof(*b->parts));
	if (!b->parts)
		return err_nomem(err);
	for (; b->n < REC_FILE_FIXED; b->n++) {
		uint32_t id = rec_file_order[b->n];
		int rc = tf_builder_new(&b->parts[b->n], tf_catalog_table(id),
					rows_of(id), err);

		if (rc < 0)
			return rc;
	}
	return f->n_added ? add_builders(b, f->added, f->n_added, err) : 0;
}

int rec_file_add_batches(struct rec_file *f, size_t n, struct err *err)
{
	for (size_t i = 0; i < n && f->n_batches < REC_QUEUE_MAX; i++) {
		struct rec_batch *b = &f->batches[f->n_batches++];
		int rc = batch_init(f, b, err);

		if (rc < 0)
			return rc;
		rec_queue_return(&f->queue, b);
	}
	return 0;
}

/* All batches but those that are being filled have come back: the writer thread
 * waits for the next one and touches nothing. */
int rec_file_add_tables(struct rec_file *f,
			const struct tf_table *const *tables, size_t n,
			struct err *err)
{
	const struct tf_table **added =
		realloc(f->added, (f->n_added + n) * sizeof(*added));
	int rc = 0;

	if (!added)
		return err_nomem(err);
	f->added = added;
	memcpy(f->added + f->n_added, tables, n * sizeof(*tables));
	f->n_added += n;
	for (size_t i = 0; i < f->n_batches && rc == 0; i++)
		rc = add_builders(&f->batches[i], tables, n, err);
	return rc < 0 ? rc : tf_writer_add_tables(f->writer, tables, n, err);
}

static int start(struct rec_file *f, struct err *err)
{
	int rc = rec_file_add_batches(f, REC_QUEUE_BATCHES, err);

	if (rc < 0)
		return rc;
	if (pthread_create(&f->thread, NULL, writer_main, f))
		return err_set(err, ERR_NOMEM, "cannot start a thread");
	f->running = true;
	return 0;
}

int rec_file_new(struct rec_file **out, struct tf_sink *to,
		 const struct tf_file_info *info, struct err *err)
{
	struct rec_file *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return err_nomem(err);
	if (rec_queue_init(&f->queue)) {
		free(f);
		return err_nomem(err);
	}
	rc = tf_writer_new(&f->writer, to, info, err);
	if (rc == 0)
		rc = start(f, err);
	if (rc < 0) {
		rec_file_free(f);
		return rc;
	}
	*out = f;
	return 0;
}

void rec_file_stop(struct rec_file *f)
{
	if (!f->running)
		return;
	rec_queue_close(&f->queue);
	pthread_join(f->thread, NULL);
	f->running = false;
}

static void free_batch(struct rec_batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		tf_builder_free(b->parts[i]);
	free(b->parts);
}

void rec_file_free(struct rec_file *f)
{
	if (!f)
		return;
	rec_file_stop(f);
	rec_queue_fini(&f->queue);
	for (size_t i = 0; i < f->n_batches; i++)
		free_batch(&f->batches[i]);
	tf_writer_free(f->writer);
	free(f->added);
	free(f);
}
