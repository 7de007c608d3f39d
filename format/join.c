#include "format/join.h"

#include "format/base/mem.h"
#include "format/head.h"
#include "format/reader_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A stretch of the joined trace: some bytes that are kept here, then those of a
 * file, or zeros. */
struct piece {
	uint64_t at, size;
	struct tf_source *source; /* NULL: zeros */
	uint64_t source_at;
	uint32_t n_head;
	uint8_t head[TF_CHUNK_HEADER_SIZE];
};

struct joined {
	struct tf_source base;
	char *name;
	struct tf_source **sources;
	size_t n_sources; /* that are its own */
	struct piece *pieces; /* end to end */
	size_t n, cap;
};

struct joiner {
	struct joined *to;
	struct tf_file_header header;
	struct tf_schema tables; /* of all files so far */
	uint64_t at, seq;
	uint64_t epoch;          /* of the joined trace that a file's 0 is */
	uint64_t next_epoch;
	bool closed;             /* each file so far */
	struct err *err;
};

static int read_piece(const struct piece *p, uint8_t *to, size_t n,
		      uint64_t in, struct err *err)
{
	if (in < p->n_head) {
		size_t k = p->n_head - in < n ? (size_t)(p->n_head - in) : n;

		memcpy(to, p->head + in, k);
		to += k;
		n -= k;
		in += k;
	}
	if (!n)
		return 0;
	if (p->source)
		return p->source->read(p->source, to, n, p->source_at + in,
				       err);
	memset(to, 0, n);
	return 0;
}

/* The piece that holds the byte at `at`, which is inside. */
static const struct piece *piece_at(const struct joined *j, uint64_t at)
{
	size_t low = 0, high = j->n;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (j->pieces[mid].at <= at)
			low = mid;
		else
			high = mid;
	}
	return &j->pieces[low];
}

static int joined_read(struct tf_source *s, void *to, size_t n, uint64_t at,
		       struct err *err)
{
	const struct joined *j = (const struct joined *)s;
	const struct piece *p;
	uint8_t *bytes = to;

	if (at > s->size || n > s->size - at) {
		err_set(err, ERR_FORMAT, "cannot read '%s': past its end",
			s->name);
		return 1;
	}
	for (p = n ? piece_at(j, at) : NULL; n; p++) {
		uint64_t in = at - p->at, left = p->size - in;
		size_t k = left < n ? (size_t)left : n;
		int rc = read_piece(p, bytes, k, in, err);

		if (rc)
			return rc;
		bytes += k;
		n -= k;
		at += k;
	}
	return 0;
}

static void joined_close(struct tf_source *s)
{
	struct joined *j = (struct joined *)s;

	for (size_t i = 0; i < j->n_sources; i++)
		tf_source_close(j->sources[i]);
	free(j->sources);
	free(j->pieces);
	free(j->name);
	free(j);
}

static struct piece *add_piece(struct joiner *g, uint64_t size)
{
	struct joined *j = g->to;
	struct piece *p;
	uint64_t end;

	if (ckd_add(&end, g->at, size)) {
		err_set(g->err, ERR_LIMIT, "together they are too large");
		return NULL;
	}
	if (!mem_grow(&j->pieces, &j->cap, j->n + 1, sizeof(*j->pieces))) {
		err_nomem(g->err);
		return NULL;
	}
	p = &j->pieces[j->n++];
	*p = (struct piece){ .at = g->at, .size = size };
	g->at = end;
	return p;
}

static int failure(const struct joiner *g)
{
	return g->err->code;
}

/* Zeros, whatever the file has there: its bytes could pass for a chunk at their
 * new place. */
static int add_gap(struct joiner *g, uint64_t size)
{
	uint64_t odd = size % TF_ALIGN;

	return add_piece(g, odd ? size + TF_ALIGN - odd : size) ? 0 :
								  failure(g);
}

/* 1: there is no such chunk, whatever the index said. */
static int read_head(struct joiner *g, const struct tf_reader *r,
		     const struct tf_chunk_info *c, struct tf_head *h)
{
	uint8_t bytes[TF_CHUNK_HEADER_SIZE];
	struct tf_source *s = r->source;
	int rc = s->read(s, bytes, sizeof(bytes), c->offset, g->err);

	if (rc)
		return rc;
	return tf_head_take(h, span_of(bytes, sizeof(bytes)), c->offset,
			    r->header.file_id) || tf_head_size(h) != c->size;
}

static int add_chunk(struct joiner *g, const struct tf_reader *r,
		     const struct tf_chunk_info *c)
{
	struct tf_head h = { .type = 0 };
	struct piece *p;
	uint64_t epoch;
	int rc;

	if (c->type == TF_CHUNK_INDEX || c->type == TF_CHUNK_END)
		return 0;
	rc = read_head(g, r, c, &h);
	if (rc)
		return rc < 0 ? rc : add_gap(g, c->size);
	epoch = g->epoch + h.epoch;
	if (epoch > UINT32_MAX)
		return err_set(g->err, ERR_LIMIT, "together they have more "
			       "epochs than a trace can have");
	if (epoch >= g->next_epoch)
		g->next_epoch = epoch + 1;
	h.offset = g->at;
	h.seq = g->seq++;
	h.epoch = (uint32_t)epoch;
	p = add_piece(g, c->size);
	if (!p)
		return failure(g);
	p->source = r->source;
	p->source_at = c->offset;
	p->n_head = TF_CHUNK_HEADER_SIZE;
	tf_head_put(p->head, &h, g->header.file_id);
	return 0;
}

/* A table of one number is one table, and a name has one number: rows would
 * otherwise be read as what they are not, or be missed. */
static int check_table(struct joiner *g, const struct tf_table *t)
{
	const struct tf_table *known = tf_schema_by_id(&g->tables, t->id);

	if (known && strcmp(known->name, t->name) != 0)
		return err_set(g->err, ERR_USAGE, "table %" PRIu32 " is '%s' "
			       "here and '%s' in a trace before this one: they "
			       "are not of one recording", t->id, t->name,
			       known->name);
	if (!known && tf_schema_by_name(&g->tables, t->name))
		return err_set(g->err, ERR_USAGE, "table '%s' has another "
			       "number than in a trace before this one: they "
			       "are not of one recording", t->name);
	for (uint32_t i = 0; known && i < t->n_columns; i++) {
		const struct tf_column *c = &t->columns[i];
		const struct tf_column *have = tf_table_column_of(known, c->id);

		if (have && strcmp(have->name, c->name) != 0)
			return err_set(g->err, ERR_USAGE, "table '%s': column "
				       "%" PRIu32 " is '%s' here and '%s' in a "
				       "trace before this one: they are not of "
				       "one recording", t->name, c->id,
				       c->name, have->name);
	}
	return 0;
}

static int add_tables(struct joiner *g, const struct tf_schema *s)
{
	struct buf b;
	int rc = 0;

	buf_init(&b, 0);
	for (size_t i = 0; i < s->n && rc == 0; i++) {
		const struct tf_table *t = s->tables[i];

		rc = check_table(g, t);
		buf_clear(&b);
		tf_schema_put(&b, &t, 1);
		if (rc == 0 && buf_failed(&b))
			rc = err_nomem(g->err);
		if (rc == 0)
			rc = tf_schema_take(&g->tables, span_of(b.p, b.n),
					    g->err);
		if (rc == ERR_FORMAT)
			rc = err_set(g->err, ERR_USAGE, "table '%s' has columns"
				     " of other types than in a trace before "
				     "this one: they are not of one recording",
				     t->name);
	}
	buf_fini(&b);
	return rc;
}

static int add_file(struct joiner *g, const struct tf_reader *r)
{
	const struct tf_index *x = &r->scan.chunks;
	size_t gap = 0;
	int rc = add_tables(g, &r->schema);

	g->epoch = g->next_epoch;
	for (size_t i = 0; i <= x->n && rc == 0; i++) {
		uint64_t at = i < x->n ? x->chunks[i].offset : UINT64_MAX;

		while (rc == 0 && gap < r->scan.n_gaps &&
		       r->scan.gaps[gap].offset < at)
			rc = add_gap(g, r->scan.gaps[gap++].size);
		if (rc == 0 && i < x->n)
			rc = add_chunk(g, r, &x->chunks[i]);
	}
	g->closed = g->closed && (r->scan.ending == TF_CLOSED ||
				  r->scan.ending == TF_FOLLOWED);
	return rc < 0 ? err_in(g->err, rc, "%s", r->source->name) : 0;
}

/* A reader of the joined trace has to know what a reader of each file has to. */
static void merge_headers(struct tf_file_header *to,
			  struct tf_reader *const *readers, size_t n)
{
	*to = readers[0]->header;
	for (size_t i = 1; i < n; i++) {
		const struct tf_file_header *h = &readers[i]->header;

		if (h->major > to->major ||
		    (h->major == to->major && h->minor > to->minor)) {
			to->major = h->major;
			to->minor = h->minor;
		}
		to->incompatible |= h->incompatible;
		to->compatible &= h->compatible;
		if (h->start_unix_ns < to->start_unix_ns)
			to->start_unix_ns = h->start_unix_ns;
	}
}

static int add_begin(struct joiner *g)
{
	struct piece *p = add_piece(g, TF_FILE_HEADER_SIZE);

	if (!p)
		return failure(g);
	p->n_head = TF_FILE_HEADER_SIZE;
	tf_file_header_put(p->head, &g->header);
	return 0;
}

static int add_end(struct joiner *g)
{
	struct tf_head h = {
		.type = TF_CHUNK_END,
		.offset = g->at,
		.seq = g->seq,
		.epoch = g->next_epoch ? (uint32_t)(g->next_epoch - 1) : 0,
	};
	struct piece *p;

	if (!g->closed)
		return 0;
	p = add_piece(g, TF_CHUNK_HEADER_SIZE);
	if (!p)
		return failure(g);
	p->n_head = TF_CHUNK_HEADER_SIZE;
	tf_head_put(p->head, &h, g->header.file_id);
	return 0;
}

static int join(struct joiner *g, struct tf_reader *const *readers, size_t n)
{
	int rc = add_begin(g);

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add_file(g, readers[i]);
	return rc ? rc : add_end(g);
}

static struct joined *joined_new(size_t n, const char *name)
{
	struct joined *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->name = strdup(name);
	j->sources = calloc(n, sizeof(*j->sources));
	j->base = (struct tf_source){ .read = joined_read,
				      .close = joined_close,
				      .name = j->name };
	if (j->name && j->sources)
		return j;
	joined_close(&j->base);
	return NULL;
}

int tf_join(struct tf_source **out, struct tf_reader *const *readers, size_t n,
	    const char *name, struct err *err)
{
	struct err own = { .code = 0 };
	struct joiner g = { .closed = true, .err = err ? err : &own };
	int rc;

	if (!n)
		return err_set(err, ERR_USAGE, "nothing to join");
	g.to = joined_new(n, name);
	if (!g.to)
		return err_nomem(err);
	merge_headers(&g.header, readers, n);
	rc = join(&g, readers, n);
	tf_schema_fini(&g.tables);
	if (rc) {
		joined_close(&g.to->base);
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		g.to->sources[i] = readers[i]->source;
	g.to->n_sources = n;
	g.to->base.size = g.at;
	*out = &g.to->base;
	return 0;
}
