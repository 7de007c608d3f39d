#include "format/reader_state.h"
#include "format/view.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* What is asked of one table. */
struct wish {
	struct tf_query q;
	bool timed; /* its parts have times */
	struct tf_view_maker maker;
};

struct tf_cursor {
	const struct tf_reader *reader;
	struct wish *wishes; /* ascending tables, those that the file has */
	size_t n;
	struct tf_chunk chunk;
	struct tf_scratch scratch; /* of the view that was given last */
	size_t next; /* chunk to load */
	uint32_t part; /* that comes next in the chunk before it */
	bool inside; /* it has parts left */
};

static int add_wish(struct tf_cursor *c, const struct tf_query *q,
		    struct err *err)
{
	const struct tf_table *t = tf_schema_by_id(&c->reader->schema,
						   q->table);
	struct wish *w = &c->wishes[c->n];
	int rc;

	if (!t)
		return 0;
	rc = tf_view_init(&w->maker, t, q->columns, &c->scratch, err);
	if (rc)
		return rc;
	c->n++;
	w->q = *q;
	if (!w->q.t_max)
		w->q.t_max = UINT64_MAX;
	for (uint32_t i = 0; i < t->n_columns; i++)
		w->timed = w->timed || (tf_table_is_timed(t) &&
					tf_column_is_time(&t->columns[i]));
	return 0;
}

int tf_cursor_new_many(struct tf_cursor **out, const struct tf_reader *r,
		       const struct tf_query *q, size_t n, struct err *err)
{
	struct tf_cursor *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return err_nomem(err);
	c->reader = r;
	c->wishes = calloc(n + 1, sizeof(*c->wishes));
	rc = c->wishes ? 0 : err_nomem(err);
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_wish(c, &q[i], err);
	if (rc == 0)
		rc = tf_chunk_init(&c->chunk, r->source, r->header.file_id,
				   err);
	if (rc) {
		tf_cursor_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

int tf_cursor_new(struct tf_cursor **out, const struct tf_reader *r,
		  const struct tf_query *q, struct err *err)
{
	return tf_cursor_new_many(out, r, q, 1, err);
}

void tf_cursor_free(struct tf_cursor *c)
{
	if (!c)
		return;
	tf_chunk_fini(&c->chunk);
	for (size_t i = 0; i < c->n; i++)
		tf_view_fini(&c->wishes[i].maker);
	free(c->wishes);
	tf_scratch_fini(&c->scratch);
	free(c);
}

size_t tf_cursor_chunk(const struct tf_cursor *c)
{
	return c->next ? c->next - 1 : 0;
}

/* 0, 0 says that there are no times, which nothing can be selected by. */
static bool touches(const struct tf_query *q, uint64_t t_min, uint64_t t_max)
{
	return (!t_min && !t_max) || (t_min <= q->t_max && t_max >= q->t_min);
}

/* What the asker says of a chunk, not the index. */
static bool is_asked(const struct tf_cursor *c, const struct wish *w, size_t at)
{
	return !w->q.chunk || w->q.chunk(w->q.chunk_ctx, at,
					 &c->reader->scan.chunks.chunks[at]);
}

static bool chunk_wanted(const struct tf_cursor *c, size_t at)
{
	const struct tf_chunk_info *i = &c->reader->scan.chunks.chunks[at];

	if (i->type != TF_CHUNK_DATA)
		return false;
	for (size_t k = 0; k < c->n; k++) {
		const struct wish *w = &c->wishes[k];

		if (tf_table_bit(w->q.table) & i->tables &&
		    (!w->timed || touches(&w->q, i->t_min, i->t_max)) &&
		    is_asked(c, w, at))
			return true;
	}
	return false;
}

static struct wish *wish_for(const struct tf_cursor *c, uint32_t table)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->wishes[mid].q.table < table)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->n && c->wishes[low].q.table == table ?
		       &c->wishes[low] : NULL;
}

static int enter_chunk(struct tf_cursor *c, size_t i, struct err *err)
{
	int rc = tf_reader_load(c->reader, &c->chunk, i, err);

	c->next = i + 1;
	c->part = 0;
	if (rc == 0)
		rc = tf_chunk_begin(&c->chunk, err);
	c->inside = rc == 0;
	return rc;
}

/* Loads the next chunk that may have parts for us. 1: none is left. */
static int next_chunk(struct tf_cursor *c, struct err *err)
{
	size_t n = c->reader->scan.chunks.n;

	while (c->next < n && !chunk_wanted(c, c->next))
		c->next++;
	return c->next == n ? 1 : enter_chunk(c, c->next, err);
}

static int step(struct tf_cursor *c, struct tf_part *p, struct err *err)
{
	c->part++;
	return tf_chunk_next(&c->chunk, p, err);
}

static bool part_wanted(const struct tf_cursor *c, const struct wish *w,
			const struct tf_part *p)
{
	return is_asked(c, w, c->next - 1) &&
	       touches(&w->q, p->t_min, p->t_max) &&
	       tf_view_may(&w->maker, p, &w->q, c->chunk.head.epoch);
}

/* The next part that is asked for, in this chunk. 1: none is left in it. */
static int next_part(struct tf_cursor *c, struct tf_part *p,
		     struct wish **for_it, struct err *err)
{
	int rc;

	while ((rc = step(c, p, err)) == 0) {
		*for_it = wish_for(c, p->table);
		if (*for_it && part_wanted(c, *for_it, p))
			return 0;
	}
	c->inside = false;
	return rc;
}

static int find_part(struct tf_cursor *c, struct tf_part *p,
		     struct wish **for_it, struct err *err)
{
	for (;;) {
		int rc = c->inside ? next_part(c, p, for_it, err) : 1;

		if (rc != 1)
			return rc;
		rc = next_chunk(c, err);
		if (rc)
			return rc;
	}
}

static int in_chunk(const struct tf_cursor *c, int rc, struct err *err)
{
	rc = tf_reader_in_chunk(c->reader, c->next - 1, rc, err);
	return err_in(err, rc, "%s", c->reader->source->name);
}

static int decode(struct tf_cursor *c, struct wish *w, const struct tf_part *p,
		  const struct tf_view **out, struct err *err)
{
	int rc = tf_body_unpack(&c->chunk.body, err);

	if (rc == 0)
		rc = tf_view_fill(&w->maker, p, &c->chunk.body, err);
	if (rc)
		return in_chunk(c, rc, err);
	w->maker.view.chunk = c->next - 1;
	w->maker.view.epoch = c->chunk.head.epoch;
	*out = &w->maker.view;
	return 0;
}

int tf_cursor_next(struct tf_cursor *c, const struct tf_view **out,
		   struct err *err)
{
	struct wish *w = NULL;
	struct tf_part p;
	int rc = c->n ? find_part(c, &p, &w, err) : 1;

	if (rc == 1)
		return 1;
	return rc ? in_chunk(c, rc, err) : decode(c, w, &p, out, err);
}

int tf_cursor_find(struct tf_cursor *c, struct tf_place *out, struct err *err)
{
	struct wish *w = NULL;
	struct tf_part p;
	int rc = c->n ? find_part(c, &p, &w, err) : 1;

	if (rc == 1)
		return 1;
	if (rc)
		return in_chunk(c, rc, err);
	*out = (struct tf_place){
		.chunk = c->next - 1,
		.part = c->part - 1,
		.table = p.table,
		.epoch = c->chunk.head.epoch,
		.rows = p.rows,
		.t_min = p.t_min,
		.size = tf_view_size(&w->maker, &p),
	};
	return 0;
}

int tf_cursor_at(struct tf_cursor *c, const struct tf_place *place,
		 const struct tf_view **out, struct err *err)
{
	struct wish *w = wish_for(c, place->table);
	struct tf_part p = { .table = 0 };
	int rc = 0;

	assert(w);
	if (!c->inside || c->next != place->chunk + 1 ||
	    c->part > place->part)
		rc = enter_chunk(c, place->chunk, err);
	while (rc == 0 && c->part <= place->part)
		rc = step(c, &p, err);
	/* What was found is there, unless the file changes meanwhile. */
	if (rc == 1 || (rc == 0 && p.table != place->table))
		rc = err_set(err, ERR_FORMAT, "changed while it was read");
	return rc ? in_chunk(c, rc, err) : decode(c, w, &p, out, err);
}
