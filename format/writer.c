#include "format/writer.h"

#include "format/base/map64.h"
#include "format/base/mem.h"
#include "format/batch.h"
#include "format/catalog.h"
#include "format/head.h"
#include "format/index.h"

#include <stdlib.h>
#include <string.h>

/* An epoch that chunks are still written of. */
struct open_epoch {
	uint32_t number;
	uint64_t *rows; /* of each table so far, by its place */
	size_t n, cap;
};

struct tf_writer {
	struct tf_sink *sink;
	uint8_t file_id[TF_FILE_ID_SIZE];
	uint64_t size; /* of whole chunks, header included */
	uint64_t seq;
	struct tf_batch batch;
	struct tf_index index;
	uint64_t tables_now; /* of the chunk that is being made: for the index */
	const struct tf_table **tables;
	size_t n_tables, tables_cap;
	size_t n_announced;   /* of them, the first ones are in the file */
	struct map64 numbers; /* table id to its place in `tables` */
	struct open_epoch open[TF_MAX_OPEN_EPOCHS];
	size_t n_open;
	uint32_t newest; /* epoch: what other chunks are counted to */
	uint64_t *next_rows;  /* with the chunk that is being made */
	size_t next_rows_cap;
	struct buf schema;
	uint64_t schema_at;   /* offset of the last whole schema */
	int failure;          /* code of the append that failed, or 0 */
	bool torn;            /* and what it left could not be cut off */
	bool ended;
};

static int cut_back(struct tf_writer *w, int rc, struct err *err)
{
	struct err cut = { 0 };

	w->failure = rc;
	if (w->sink->cut(w->sink, w->size, &cut)) {
		w->torn = true;
		if (err && err->code == rc)
			err_in(err, rc, "the last chunk is unfinished");
	}
	return rc;
}

static int append(struct tf_writer *w, const struct tf_head *h,
		  const struct tf_sealed *s, struct err *err)
{
	struct tf_chunk_info info = tf_head_info(h);
	int rc;

	info.tables = h->type == TF_CHUNK_DATA ? w->tables_now : 0;
	/* Before the append: a chunk in the file but not in the index would
	 * make the index a lie. */
	if (!tf_index_add(&w->index, &info))
		return err_nomem(err);
	rc = w->sink->append(w->sink, s->v, s->n, err);
	if (rc) {
		w->index.n--;
		return cut_back(w, rc, err);
	}
	w->size += s->size;
	w->seq++;
	return 0;
}

static struct tf_head next_head(const struct tf_writer *w, uint16_t type)
{
	return (struct tf_head){ .type = type,
				 .offset = w->size,
				 .seq = w->seq,
				 .epoch = w->newest };
}

/* Announces the tables from number `first` on. */
static int write_schema(struct tf_writer *w, size_t first, struct err *err)
{
	struct tf_head h = next_head(w, TF_CHUNK_SCHEMA);
	struct tf_sealed s;
	int rc;

	buf_clear(&w->schema);
	tf_schema_put(&w->schema, w->tables + first, w->n_tables - first);
	rc = tf_batch_seal_bytes(&w->batch, &h, w->file_id, &w->schema, &s,
				 err);
	if (rc == 0)
		rc = append(w, &h, &s, err);
	if (rc == 0)
		w->n_announced = w->n_tables;
	return rc;
}

static int announce(struct tf_writer *w, struct err *err)
{
	return w->n_announced < w->n_tables ?
		       write_schema(w, w->n_announced, err) : 0;
}

static int check_free(const struct tf_writer *w, const struct tf_table *t,
		      struct err *err)
{
	uint32_t at;

	if (map64_get(&w->numbers, t->id, &at))
		return err_set(err, ERR_USAGE,
			       "table '%s': its id %u is taken by '%s'",
			       t->name, t->id, w->tables[at]->name);
	if (!t->n_columns || t->n_columns > TF_MAX_COLUMNS ||
	    w->n_tables >= TF_MAX_TABLES)
		return err_set(err, ERR_LIMIT, "table '%s': too many or no "
			       "columns, or too many tables", t->name);
	return 0;
}

static int remember_table(struct tf_writer *w, const struct tf_table *t,
			  struct err *err)
{
	bool is_new;
	int rc = check_free(w, t, err);

	if (rc)
		return rc;
	if (!mem_grow(&w->tables, &w->tables_cap, w->n_tables + 1,
		      sizeof(*w->tables)) ||
	    !map64_put(&w->numbers, t->id, (uint32_t)w->n_tables, &is_new))
		return err_nomem(err);
	w->tables[w->n_tables] = t;
	w->n_tables++;
	return 0;
}

static int refuse(const struct tf_writer *w, struct err *err)
{
	if (w->ended)
		return err_set(err, ERR_USAGE, "'%s' has its end already",
			       w->sink->name);
	return err_set(err, w->failure,
		       "writing '%s' failed before: only its end can be written",
		       w->sink->name);
}

int tf_writer_add_tables(struct tf_writer *w,
			 const struct tf_table *const *tables, size_t n,
			 struct err *err)
{
	if (w->failure || w->ended)
		return refuse(w, err);
	for (size_t i = 0; i < n; i++) {
		int rc = remember_table(w, tables[i], err);

		if (rc)
			return rc;
	}
	return announce(w, err);
}

static int write_file_header(struct tf_writer *w,
			     const struct tf_file_info *info, struct err *err)
{
	struct tf_file_header h = { .major = TF_MAJOR,
				    .minor = TF_MINOR,
				    .start_unix_ns = info->start_unix_ns };
	uint8_t bytes[TF_FILE_HEADER_SIZE];
	struct iovec v = { bytes, sizeof(bytes) };
	int rc;

	memcpy(h.file_id, info->file_id, TF_FILE_ID_SIZE);
	tf_file_header_put(bytes, &h);
	rc = w->sink->append(w->sink, &v, 1, err);
	if (rc)
		return cut_back(w, rc, err);
	w->size = sizeof(bytes);
	return 0;
}

int tf_writer_new(struct tf_writer **out, struct tf_sink *sink,
		  const struct tf_file_info *info, struct err *err)
{
	return tf_writer_new_with(out, sink, info, tf_catalog,
				  tf_catalog_usual, err);
}

int tf_writer_set_level(struct tf_writer *w, int level, struct err *err)
{
	if (!tf_batch_set_level(&w->batch, level))
		return err_set(err, ERR_USAGE, "there is no compression level "
			       "%d (try: 1 to 19)", level);
	return 0;
}

int tf_writer_new_with(struct tf_writer **out, struct tf_sink *sink,
		       const struct tf_file_info *info,
		       const struct tf_table *const *tables, size_t n,
		       struct err *err)
{
	struct tf_writer *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return err_nomem(err);
	w->sink = sink;
	memcpy(w->file_id, info->file_id, TF_FILE_ID_SIZE);
	rc = tf_batch_init(&w->batch, err);
	if (rc == 0)
		rc = write_file_header(w, info, err);
	if (rc == 0)
		rc = tf_writer_add_tables(w, tables, n, err);
	if (rc)
		goto fail;
	w->schema_at = w->size;
	*out = w;
	return 0;
fail:
	tf_writer_free(w);
	return rc;
}

void tf_writer_free(struct tf_writer *w)
{
	if (!w)
		return;
	tf_batch_fini(&w->batch);
	tf_index_fini(&w->index);
	map64_fini(&w->numbers);
	buf_fini(&w->schema);
	free(w->tables);
	for (size_t i = 0; i < TF_MAX_OPEN_EPOCHS; i++)
		free(w->open[i].rows);
	free(w->next_rows);
	free(w);
}

/* The epoch of that number, which opens where it is new: the oldest one is
 * closed for it. NULL: it was closed before. */
static struct open_epoch *open_epoch(struct tf_writer *w, uint32_t number)
{
	struct open_epoch *oldest = &w->open[0];

	for (size_t i = 0; i < w->n_open; i++) {
		if (w->open[i].number == number)
			return &w->open[i];
		if (w->open[i].number < oldest->number)
			oldest = &w->open[i];
	}
	if (w->n_open < TF_MAX_OPEN_EPOCHS)
		oldest = &w->open[w->n_open++];
	else if (number < oldest->number)
		return NULL;
	oldest->number = number;
	oldest->n = 0;
	return oldest;
}

/* The numbers that rows of this chunk will have; they hold once it is in the
 * file. */
static int begin_rows(struct tf_writer *w, const struct open_epoch *e,
		      struct err *err)
{
	if (!mem_grow(&w->next_rows, &w->next_rows_cap, w->n_tables,
		      sizeof(*w->next_rows)))
		return err_nomem(err);
	memset(w->next_rows, 0, w->n_tables * sizeof(*w->next_rows));
	if (e->n)
		memcpy(w->next_rows, e->rows, e->n * sizeof(*e->rows));
	return 0;
}

static void keep_rows(struct tf_writer *w, struct open_epoch *e)
{
	memcpy(e->rows, w->next_rows, w->n_tables * sizeof(*e->rows));
	e->n = w->n_tables;
	if (e->number > w->newest)
		w->newest = e->number;
}

/* Before anything is written of it. */
static int enter_epoch(struct tf_writer *w, uint32_t number,
		       struct open_epoch **e, struct err *err)
{
	*e = open_epoch(w, number);
	if (!*e)
		return err_set(err, ERR_USAGE, "epoch %u after %u newer ones",
			       number, TF_MAX_OPEN_EPOCHS);
	if (!mem_grow(&(*e)->rows, &(*e)->cap, w->n_tables,
		      sizeof(*(*e)->rows)))
		return err_nomem(err);
	return begin_rows(w, *e, err);
}

/* Tables that found no memory before are announced now. Far from the last one,
 * the whole schema is repeated, so that a file that lost its head still
 * explains itself. */
static int repeat_schema(struct tf_writer *w, struct err *err)
{
	int rc;

	if (w->size - w->schema_at < TF_SCHEMA_EVERY)
		return announce(w, err);
	rc = write_schema(w, 0, err);
	if (rc == 0)
		w->schema_at = w->size;
	return rc;
}

static int add_part(struct tf_writer *w, const struct tf_builder *b,
		    struct err *err)
{
	uint32_t at;
	int rc;

	if (!b->rows)
		return 0;
	if (!map64_get(&w->numbers, b->table->id, &at) ||
	    w->tables[at] != b->table)
		return err_set(err, ERR_USAGE, "table '%s' was not announced",
			       b->table->name);
	rc = tf_batch_add(&w->batch, b, w->next_rows[at], err);
	if (rc)
		return err_in(err, rc, "table '%s'", b->table->name);
	w->next_rows[at] += b->rows;
	w->tables_now |= tf_table_bit(b->table->id);
	return 0;
}

static int write_parts(struct tf_writer *w, uint32_t epoch,
		       struct tf_builder *const *parts, size_t n,
		       struct err *err)
{
	struct tf_head h = next_head(w, TF_CHUNK_DATA);
	struct tf_sealed s;
	int rc = 0;

	h.epoch = epoch;
	w->tables_now = 0;
	tf_batch_clear(&w->batch);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add_part(w, parts[i], err);
	if (rc || !w->batch.n_parts)
		return rc;
	rc = tf_batch_seal(&w->batch, &h, w->file_id, &s, err);
	return rc ? rc : append(w, &h, &s, err);
}

int tf_writer_data(struct tf_writer *w, uint32_t epoch,
		   struct tf_builder *const *parts, size_t n, struct err *err)
{
	struct open_epoch *e = NULL;
	int rc;

	if (w->failure || w->ended)
		return refuse(w, err);
	rc = repeat_schema(w, err);
	if (rc == 0)
		rc = enter_epoch(w, epoch, &e, err);
	if (rc == 0)
		rc = write_parts(w, epoch, parts, n, err);
	if (rc == 0)
		keep_rows(w, e);
	return rc;
}

static int seal_index(struct tf_writer *w, struct tf_head *h,
		      struct tf_sealed *s, struct err *err)
{
	struct tf_builder *b;
	int rc = tf_index_build(&w->index, &b, err);

	if (rc)
		return rc;
	tf_batch_clear(&w->batch);
	rc = tf_batch_add(&w->batch, b, 0, err);
	if (rc == 0)
		rc = tf_batch_seal(&w->batch, h, w->file_id, s, err);
	tf_builder_free(b);
	return rc;
}

/* *at becomes the offset of the index, or 0 where there could be none: a file
 * is whole without. */
static void write_index(struct tf_writer *w, uint64_t *at)
{
	struct tf_head h = next_head(w, TF_CHUNK_INDEX);
	struct tf_sealed s;

	*at = 0;
	if (seal_index(w, &h, &s, NULL) == 0 && append(w, &h, &s, NULL) == 0)
		*at = h.offset;
}

int tf_writer_end(struct tf_writer *w, struct err *err)
{
	struct tf_head h;
	struct tf_sealed s;
	uint64_t index_at = 0;
	int rc;

	if (w->ended)
		return refuse(w, err);
	if (!w->torn)
		write_index(w, &index_at);
	if (w->torn)
		return err_set(err, w->failure,
			       "'%s' ends in an unfinished chunk",
			       w->sink->name);
	h = next_head(w, TF_CHUNK_END);
	h.aux = index_at;
	tf_batch_seal_end(&w->batch, &h, w->file_id, &s);
	rc = append(w, &h, &s, err);
	if (rc)
		return err_in(err, rc, "'%s' is whole but not closed",
			      w->sink->name);
	w->ended = true;
	return 0;
}

uint64_t tf_writer_size(const struct tf_writer *w)
{
	return w->size;
}
