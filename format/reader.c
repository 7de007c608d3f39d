#include "format/reader.h"

#include "format/audit.h"
#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/chunk.h"
#include "format/head.h"
#include "format/reader_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int read_file_header(struct tf_reader *r, struct err *err)
{
	uint8_t bytes[TF_FILE_HEADER_SIZE];
	struct tf_source *s = r->source;
	size_t n = s->size < sizeof(bytes) ? (size_t)s->size : sizeof(bytes);
	int rc = s->read(s, bytes, n, 0, err);

	if (rc == 0)
		rc = tf_file_header_take(&r->header, &r->begin,
					 span_of(bytes, n), err);
	if (rc == 0 && r->begin > s->size)
		rc = err_set(err, ERR_FORMAT, "file header cut short");
	return rc == 1 ? ERR_FORMAT : rc;
}

/* Do the chunks of the index lie end to end, up to the index itself? */
static bool tiles(const struct tf_reader *r, uint64_t index_at)
{
	const struct tf_index *x = &r->scan.chunks;
	uint64_t at = r->begin;

	for (size_t i = 0; i < x->n; i++) {
		const struct tf_chunk_info *c = &x->chunks[i];

		if (c->offset != at || c->size < TF_CHUNK_HEADER_SIZE ||
		    c->size % TF_ALIGN || c->size > index_at - at ||
		    c->t_min > c->t_max)
			return false;
		at += c->size;
	}
	return at == index_at;
}

static bool add_loaded(struct tf_reader *r, const struct tf_chunk *c)
{
	struct tf_chunk_info info = tf_head_info(&c->head);

	return info.seq == r->scan.chunks.n &&
	       tf_index_add(&r->scan.chunks, &info);
}

/* true: the list of chunks is there without a walk over the file. Anything
 * that does not fit only means that the walk has to be done. */
static bool use_index(struct tf_reader *r, struct tf_chunk *c)
{
	uint64_t size = r->source->size, end, at;
	struct tf_chunk_info last;

	if (size - r->begin < TF_CHUNK_HEADER_SIZE)
		return false;
	end = size - TF_CHUNK_HEADER_SIZE;
	if (tf_chunk_load(c, end, NULL) || c->head.type != TF_CHUNK_END)
		return false;
	last = tf_head_info(&c->head);
	at = c->head.aux;
	if (at < r->begin || at >= end || tf_chunk_load(c, at, NULL) ||
	    at + tf_head_size(&c->head) != end ||
	    tf_index_read(&r->scan.chunks, c, NULL) || !tiles(r, at) ||
	    !add_loaded(r, c) || last.seq != r->scan.chunks.n ||
	    !tf_index_add(&r->scan.chunks, &last))
		return false;
	r->scan.ending = TF_CLOSED;
	r->scan.end = size;
	return true;
}

/* An unknown critical chunk changes the meaning of the others. */
static int check_critical(const struct tf_reader *r, size_t i, struct err *err)
{
	const struct tf_chunk_info *c = &r->scan.chunks.chunks[i];

	if (c->type == TF_CHUNK_SCHEMA || c->type == TF_CHUNK_DATA ||
	    c->type == TF_CHUNK_INDEX || c->type == TF_CHUNK_END ||
	    !(c->flags & TF_CHUNK_CRITICAL))
		return 0;
	return err_set(err, ERR_NEWER, "chunk %zu at offset %" PRIu64 " of type"
		       " %u is needed and not known here: the file is of "
		       "version %u.%u, this reader of %d.%d", i, c->offset,
		       c->type, r->header.major, r->header.minor, TF_MAJOR,
		       TF_MINOR);
}

static int take_catalog(struct tf_reader *r, struct err *err)
{
	struct buf b;
	int rc;

	buf_init(&b, 0);
	tf_schema_put(&b, tf_catalog, tf_catalog_size);
	rc = buf_failed(&b) ? err_nomem(err) :
			      tf_schema_take(&r->schema, span_of(b.p, b.n),
					     err);
	buf_fini(&b);
	return rc;
}

int tf_reader_in_chunk(const struct tf_reader *r, size_t i, int rc,
		       struct err *err)
{
	return err_in(err, rc, "chunk %zu at offset %" PRIu64, i,
		      r->scan.chunks.chunks[i].offset);
}

static bool same_info(const struct tf_chunk_info *a,
		      const struct tf_chunk_info *b)
{
	return a->size == b->size && a->seq == b->seq &&
	       a->epoch == b->epoch && a->type == b->type &&
	       a->flags == b->flags && a->parts == b->parts &&
	       a->t_min == b->t_min && a->t_max == b->t_max;
}

int tf_reader_load(const struct tf_reader *r, struct tf_chunk *c, size_t i,
		   struct err *err)
{
	const struct tf_chunk_info *said = &r->scan.chunks.chunks[i];
	struct tf_chunk_info is;
	int rc = tf_chunk_load(c, said->offset, err);

	if (rc)
		return rc;
	is = tf_head_info(&c->head);
	if (!same_info(&is, said))
		return err_set(err, ERR_FORMAT,
			       "chunk header differs from the index");
	if (r->loaded)
		atomic_store_explicit(&r->loaded[i], true,
				      memory_order_relaxed);
	return 0;
}

size_t tf_reader_loaded(const struct tf_reader *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->scan.chunks.n; i++)
		n += atomic_load_explicit(&r->loaded[i], memory_order_relaxed);
	return n;
}

/* How the last schema is stored. A repeat in the same bytes, one each 64 MiB,
 * says nothing new. */
struct seen {
	uint8_t directory[32];
	size_t n;
	uint32_t body_size;
};

static bool seen_before(struct seen *s, const struct tf_chunk *c)
{
	struct span dir = tf_chunk_directory(c);

	if (s->n && s->n == dir.n && s->body_size == c->head.body_size &&
	    memcmp(s->directory, dir.p, dir.n) == 0)
		return true;
	s->n = 0;
	if (dir.n <= sizeof(s->directory)) {
		memcpy(s->directory, dir.p, dir.n);
		s->n = dir.n;
		s->body_size = c->head.body_size;
	}
	return false;
}

static int add_unread(struct tf_reader *r, size_t i, struct err *err)
{
	if (!mem_grow(&r->unread, &r->unread_cap, r->n_unread + 1,
		      sizeof(*r->unread)))
		return err_nomem(err);
	r->unread[r->n_unread++] = i;
	return 0;
}

/* A schema chunk that is damaged is passed over: tables of the catalog are
 * known without, others may be announced again. One that is whole and
 * contradicts what is known makes the file unreadable. */
static int take_schema(struct tf_reader *r, struct tf_chunk *c, size_t i,
		       struct seen *seen, struct err *err)
{
	struct span body;
	int rc;

	if (seen_before(seen, c))
		return 0;
	rc = tf_chunk_content(c, &body, err);
	if (rc == 0)
		return tf_schema_take(&r->schema, body, err);
	seen->n = 0;
	return tf_is_damage(rc) ? add_unread(r, i, err) : rc;
}

/* All that a reader has to know before it reads rows, in the order of the
 * file. 1: a chunk is not what the index says. */
static int take_schemas(struct tf_reader *r, struct tf_chunk *c, bool indexed,
			struct err *err)
{
	const struct tf_index *x = &r->scan.chunks;
	struct seen seen = { .n = 0 };

	r->n_unread = 0;
	for (size_t i = 0; i < x->n; i++) {
		int rc = check_critical(r, i, err);

		if (rc)
			return rc;
		if (x->chunks[i].type != TF_CHUNK_SCHEMA)
			continue;
		rc = tf_reader_load(r, c, i, err);
		if (tf_is_damage(rc) && indexed)
			return 1;
		if (tf_is_damage(rc)) {
			rc = add_unread(r, i, err);
			if (rc)
				return rc;
			continue;
		}
		if (rc == 0)
			rc = take_schema(r, c, i, &seen, err);
		if (rc)
			return tf_reader_in_chunk(r, i, rc, err);
	}
	return 0;
}

static int scan(struct tf_reader *r, struct err *err)
{
	tf_scan_fini(&r->scan);
	return tf_scan_run(&r->scan, r->source, r->header.file_id, r->begin,
			   err);
}

static int find_chunks(struct tf_reader *r, struct tf_chunk *c, struct err *err)
{
	int rc = 1;

	if (use_index(r, c))
		rc = take_schemas(r, c, true, err);
	if (rc != 1)
		return rc;
	rc = scan(r, err);
	return rc ? rc : take_schemas(r, c, false, err);
}

static int look_behind(struct tf_reader *r, struct err *err)
{
	uint8_t bytes[TF_MAGIC_SIZE];
	struct tf_source *s = r->source;
	int rc;

	if (r->scan.ending != TF_FOLLOWED)
		return 0;
	rc = s->read(s, bytes, sizeof(bytes), r->scan.end, err);
	r->another_follows = rc == 0 &&
			     memcmp(bytes, TF_MAGIC, sizeof(bytes)) == 0;
	return rc < 0 ? rc : 0;
}

static int open_reader(struct tf_reader *r, struct err *err)
{
	struct tf_chunk c = { 0 };
	int rc = read_file_header(r, err);

	if (rc == 0)
		rc = take_catalog(r, err);
	if (rc == 0)
		rc = tf_chunk_init(&c, r->source, r->header.file_id, err);
	if (rc == 0)
		rc = find_chunks(r, &c, err);
	if (rc == 0)
		rc = look_behind(r, err);
	tf_chunk_fini(&c);
	if (rc)
		return rc;
	r->loaded = calloc(r->scan.chunks.n + 1, sizeof(*r->loaded));
	return r->loaded ? 0 : err_nomem(err);
}

int tf_reader_open(struct tf_reader **out, struct tf_source *source,
		   struct err *err)
{
	struct tf_reader *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return err_nomem(err);
	r->source = source;
	rc = open_reader(r, err);
	if (rc) {
		tf_reader_free(r);
		return err_in(err, rc, "%s", source->name);
	}
	*out = r;
	return 0;
}

void tf_reader_free(struct tf_reader *r)
{
	if (!r)
		return;
	tf_scan_fini(&r->scan);
	tf_schema_fini(&r->schema);
	free(r->unread);
	free(r->loaded);
	free(r);
}

const struct tf_file_header *tf_reader_header(const struct tf_reader *r)
{
	return &r->header;
}

enum tf_ending tf_reader_ending(const struct tf_reader *r)
{
	return r->scan.ending;
}

uint64_t tf_reader_end(const struct tf_reader *r)
{
	return r->scan.end;
}

bool tf_reader_another_follows(const struct tf_reader *r)
{
	return r->another_follows;
}

int tf_reader_check_front(struct span front, struct err *err)
{
	struct tf_file_header h;
	uint32_t begin;

	return tf_file_header_take(&h, &begin, front, err);
}

size_t tf_reader_gaps(const struct tf_reader *r, const struct tf_gap **out)
{
	*out = r->scan.gaps;
	return r->scan.n_gaps;
}

size_t tf_reader_unread(const struct tf_reader *r, const size_t **out)
{
	*out = r->unread;
	return r->n_unread;
}

size_t tf_reader_chunks(const struct tf_reader *r)
{
	return r->scan.chunks.n;
}

const struct tf_chunk_info *tf_reader_chunk(const struct tf_reader *r, size_t i)
{
	return &r->scan.chunks.chunks[i];
}

uint64_t tf_reader_size(const struct tf_reader *r)
{
	return r->source->size;
}

const struct tf_schema *tf_reader_schema(const struct tf_reader *r)
{
	return &r->schema;
}
