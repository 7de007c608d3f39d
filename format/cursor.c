#include "format/reader_state.h"
#include "format/view.h"

#include <inttypes.h>
#include <stdlib.h>

struct tf_cursor {
	const struct tf_reader *reader;
	struct tf_query q;
	const struct tf_table *table; /* NULL: the file has none such */
	bool timed;                   /* its parts have times */
	struct tf_chunk chunk;
	struct tf_view_maker maker;
	size_t next; /* chunk to load */
	bool inside; /* the chunk before it has parts left */
};

int tf_cursor_new(struct tf_cursor **out, const struct tf_reader *r,
		  const struct tf_query *q, struct err *err)
{
	struct tf_cursor *c = calloc(1, sizeof(*c));
	int rc = 0;

	if (!c)
		return err_nomem(err);
	c->reader = r;
	c->q = *q;
	if (!c->q.t_max)
		c->q.t_max = UINT64_MAX;
	c->table = tf_schema_by_id(&r->schema, q->table);
	if (c->table)
		rc = tf_view_init(&c->maker, c->table, q->columns, err);
	if (rc == 0)
		rc = tf_chunk_init(&c->chunk, r->source, r->header.file_id,
				   err);
	if (rc)
		goto fail;
	for (uint32_t i = 0; c->table && i < c->table->n_columns; i++)
		c->timed = c->timed || tf_column_is_time(&c->table->columns[i]);
	*out = c;
	return 0;
fail:
	tf_cursor_free(c);
	return rc;
}

void tf_cursor_free(struct tf_cursor *c)
{
	if (!c)
		return;
	tf_chunk_fini(&c->chunk);
	tf_view_fini(&c->maker);
	free(c);
}

/* 0, 0 says that there are no times, which nothing can be selected by. */
static bool touches(const struct tf_query *q, uint64_t t_min, uint64_t t_max)
{
	return (!t_min && !t_max) || (t_min <= q->t_max && t_max >= q->t_min);
}

static bool chunk_wanted(const struct tf_cursor *c,
			 const struct tf_chunk_info *i)
{
	return i->type == TF_CHUNK_DATA &&
	       (!c->timed || touches(&c->q, i->t_min, i->t_max));
}

/* Loads the next chunk that may have parts for us. 1: none is left. */
static int next_chunk(struct tf_cursor *c, struct err *err)
{
	const struct tf_reader *r = c->reader;
	int rc;

	while (c->next < r->scan.chunks.n &&
	       !chunk_wanted(c, &r->scan.chunks.chunks[c->next]))
		c->next++;
	if (c->next == r->scan.chunks.n)
		return 1;
	rc = tf_reader_load(r, &c->chunk, c->next++, err);
	if (rc == 0)
		rc = tf_chunk_begin(&c->chunk, err);
	c->inside = rc == 0;
	return rc;
}

/* The next part that is asked for, in this chunk. 1: none is left in it. */
static int next_part(struct tf_cursor *c, struct tf_part *p, struct err *err)
{
	int rc;

	while ((rc = tf_chunk_next(&c->chunk, p, err)) == 0)
		if (p->table == c->q.table &&
		    touches(&c->q, p->t_min, p->t_max))
			return 0;
	c->inside = false;
	return rc;
}

static int find_part(struct tf_cursor *c, struct tf_part *p, struct err *err)
{
	for (;;) {
		int rc = c->inside ? next_part(c, p, err) : 1;

		if (rc != 1)
			return rc;
		rc = next_chunk(c, err);
		if (rc)
			return rc;
	}
}

int tf_cursor_next(struct tf_cursor *c, const struct tf_view **out,
		   struct err *err)
{
	struct tf_part p;
	int rc = c->table ? find_part(c, &p, err) : 1;

	if (rc == 1)
		return 1;
	if (rc == 0)
		rc = tf_body_unpack(&c->chunk.body, err);
	if (rc == 0)
		rc = tf_view_fill(&c->maker, &p, &c->chunk.body, err);
	if (rc) {
		rc = tf_reader_in_chunk(c->reader, c->next - 1, rc, err);
		return err_in(err, rc, "%s", c->reader->source->name);
	}
	c->maker.view.chunk = c->next - 1;
	c->maker.view.epoch = c->chunk.head.epoch;
	*out = &c->maker.view;
	return 0;
}
