#include "record/sink/sink.h"

#include "format/base/mem.h"
#include "record/sink/file.h"

#include <stdlib.h>

#define N_FIXED REC_FILE_FIXED

struct rec_sink {
	struct rec_file *file;
	bool owner;            /* the first one, which frees the file */
	struct rec_batch *now; /* being filled */
	uint8_t slot[TF_TABLE_DYNAMIC]; /* table id → place in writing order */
	size_t n_tables; /* fixed and added */
	uint64_t *sent;  /* rows of this epoch in earlier batches, by table */
	uint32_t epoch;
	size_t sure;     /* records that have room without looking */
	size_t added_bytes; /* values of added tables in the batch */
};

/* Joins those who fill batches of a file. */
static int join(struct rec_sink **out, struct rec_file *f, struct err *err)
{
	struct rec_sink *s = calloc(1, sizeof(*s));

	if (!s)
		return err_nomem(err);
	s->file = f;
	s->n_tables = N_FIXED + f->n_added;
	s->sent = calloc(s->n_tables, sizeof(*s->sent));
	if (!s->sent) {
		free(s);
		return err_nomem(err);
	}
	for (size_t i = 0; i < N_FIXED; i++)
		s->slot[rec_file_order[i]] = (uint8_t)i;
	s->now = rec_queue_empty(&f->queue, false);
	s->epoch = f->next_epoch++;
	f->sinks[f->n_sinks++] = s;
	*out = s;
	return 0;
}

int rec_sink_new(struct rec_sink **out, struct tf_sink *to,
		 const struct tf_file_info *info, struct err *err)
{
	struct rec_file *f = NULL;
	int rc = rec_file_new(&f, to, info, err);

	if (rc == 0)
		rc = join(out, f, err);
	if (rc < 0) {
		rec_file_free(f);
		return rc;
	}
	(*out)->owner = true;
	return 0;
}

int rec_sink_share(struct rec_sink **out, struct rec_sink *of, struct err *err)
{
	struct rec_file *f = of->file;
	int rc;

	if (f->n_sinks == REC_SHARDS_MAX)
		return err_set(err, ERR_LIMIT, "more than %u shards",
			       REC_SHARDS_MAX);
	rc = rec_file_add_batches(f, REC_QUEUE_PER_SHARD, err);
	return rc < 0 ? rc : join(out, f, err);
}

int rec_sink_add_tables(struct rec_sink *s,
			const struct tf_table *const *tables, size_t n,
			struct err *err)
{
	uint64_t *sent = realloc(s->sent, (s->n_tables + n) * sizeof(*sent));
	int rc;

	if (!sent)
		return err_nomem(err);
	s->sent = sent;
	rec_queue_settle(&s->file->queue,
			 s->file->n_batches - s->file->n_sinks);
	rc = rec_sink_failure(s, err);
	if (rc == 0)
		rc = rec_file_add_tables(s->file, tables, n, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		s->sent[s->n_tables++] = 0;
	return 0;
}

/* Marks and readings come when they come, some long after their time. */
static bool keeps_time(const struct tf_table *t)
{
	return t->kind == TF_KIND_EVENT && t->id != TF_TABLE_MARK &&
	       t->id != TF_TABLE_COUNTER;
}

static void hand_over(struct rec_sink *s, struct rec_batch *next, bool last)
{
	s->now->last = last;
	s->now->epoch = s->epoch;
	for (size_t i = 0; i < s->n_tables; i++) {
		struct tf_builder *b = s->now->parts[i];

		s->sent[i] += b->rows;
		b->watermark = keeps_time(b->table) ? s->file->watermark : 0;
	}
	rec_queue_send(&s->file->queue, s->now);
	s->now = next;
}

static bool send_batch(struct rec_sink *s, bool wait, bool last)
{
	struct rec_batch *next = rec_queue_empty(&s->file->queue, wait);

	if (!next)
		return false;
	hand_over(s, next, last);
	s->sure = 0;
	s->added_bytes = 0;
	return true;
}

static bool send(struct rec_sink *s, bool wait)
{
	return send_batch(s, wait, false);
}

/* Records that certainly have room, each with its definitions and `more` rows
 * in any table of them. */
static size_t room(const struct rec_sink *s, size_t more)
{
	size_t least = REC_BATCH_ROWS;

	for (size_t i = 0; i < N_FIXED; i++) {
		const struct tf_builder *b = s->now->parts[i];
		size_t left = b->max_rows - b->rows;
		size_t each = b->table->kind == TF_KIND_DEFINITION ?
				      more + REC_SINK_ROWS_PER_RECORD : 1;

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

	if (s->added_bytes > REC_BATCH_BYTES || b->raw_bytes > TF_PART_RAW_BYTES ||
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
	if (time_ns > s->file->watermark)
		s->file->watermark = time_ns;
}

void rec_sink_flush(struct rec_sink *s)
{
	if (has_rows(s))
		(void)send(s, false);
}

/* What says a name: symbols and what they refer to. */
static bool is_of_names(size_t place)
{
	uint32_t id = place < N_FIXED ? rec_file_order[place] : 0;

	return id == TF_TABLE_STRING || id == TF_TABLE_IMAGE ||
	       id == TF_TABLE_SYMBOL;
}

static bool has_names(const struct rec_sink *s)
{
	for (size_t i = 0; i < N_FIXED; i++)
		if (is_of_names(i) && s->now->parts[i]->rows)
			return true;
	return false;
}

static void change_places(struct tf_builder **a, struct tf_builder **b)
{
	struct tf_builder *was = *a;

	*a = *b;
	*b = was;
}

/* The builders of all other tables stay, full as they are: they change places
 * with the empty ones of the next batch. What had room still has it. */
void rec_sink_flush_names(struct rec_sink *s)
{
	struct rec_batch *next = NULL;

	if (has_names(s))
		next = rec_queue_empty(&s->file->queue, false);
	if (!next)
		return;
	for (size_t i = 0; i < s->n_tables; i++)
		if (!is_of_names(i))
			change_places(&s->now->parts[i], &next->parts[i]);
	hand_over(s, next, false);
}

bool rec_sink_flush_wait(struct rec_sink *s)
{
	return (!has_rows(s) || send(s, true)) && !rec_sink_failed(s);
}

static void begin_epoch(struct rec_sink *s)
{
	s->epoch = s->file->next_epoch++;
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
	s->file->next = *next;
}

bool rec_sink_new_segment(struct rec_sink *s)
{
	struct rec_file *f = s->file;

	for (size_t i = 0; i < f->n_sinks; i++)
		if (f->sinks[i] != s && has_rows(f->sinks[i]) &&
		    !send(f->sinks[i], false))
			return false;
	if (!send_batch(s, false, true))
		return false;
	f->segments_asked++;
	for (size_t i = 0; i < f->n_sinks; i++)
		begin_epoch(f->sinks[i]);
	return true;
}

bool rec_sink_segment_begun(struct rec_sink *s)
{
	return atomic_load(&s->file->segments_begun) ==
	       s->file->segments_asked;
}

uint64_t rec_sink_segment_bytes(struct rec_sink *s)
{
	return atomic_load(&s->file->bytes);
}

uint32_t rec_sink_epoch(const struct rec_sink *s)
{
	return s->epoch;
}

uint64_t rec_sink_bytes(struct rec_sink *s)
{
	return atomic_load(&s->file->bytes_before) +
	       atomic_load(&s->file->bytes);
}

bool rec_sink_failed(struct rec_sink *s)
{
	return atomic_load(&s->file->failed);
}

int rec_sink_failure(struct rec_sink *s, struct err *err)
{
	const struct rec_file *f = s->file;

	if (!atomic_load(&f->failed))
		return 0;
	if (err)
		*err = f->failure;
	return f->failure.code;
}

int rec_sink_close(struct rec_sink *s, struct err *err)
{
	struct rec_file *f = s->file;
	int rc;

	for (size_t i = 0; i < f->n_sinks; i++)
		if (has_rows(f->sinks[i]))
			(void)send(f->sinks[i], true);
	rec_file_stop(f);
	/* A file that misses what was recorded is not closed: its END would say
	 * that it is whole. */
	rc = rec_sink_failure(s, err);
	if (rc < 0)
		return rc;
	rc = tf_writer_end(f->writer, err);
	atomic_store(&f->bytes, tf_writer_size(f->writer));
	return rc;
}

void rec_sink_free(struct rec_sink *s)
{
	if (!s)
		return;
	if (s->owner)
		rec_file_free(s->file);
	free(s->sent);
	free(s);
}
