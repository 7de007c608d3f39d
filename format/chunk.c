#include "format/chunk.h"

#include "format/base/crc32c.h"

#include <inttypes.h>

/* Header and most directories in one read: those of one or two parts have 100
 * to 600 bytes. */
#define READ_AHEAD 1024u

int tf_chunk_init(struct tf_chunk *c, struct tf_source *source,
		  const uint8_t file_id[TF_FILE_ID_SIZE], struct err *err)
{
	*c = (struct tf_chunk){ .source = source, .file_id = file_id };
	return tf_body_init(&c->body, source, err);
}

void tf_chunk_fini(struct tf_chunk *c)
{
	buf_fini(&c->bytes);
	tf_body_fini(&c->body);
	*c = (struct tf_chunk){ 0 };
}

/* Makes c->bytes the first n bytes of the chunk. */
static int read_front(struct tf_chunk *c, uint64_t offset, size_t n,
		      struct err *err)
{
	size_t have = c->bytes.n;
	uint8_t *to;
	int rc;

	if (n <= have)
		return 0;
	to = buf_room(&c->bytes, n - have);
	if (!to)
		return err_nomem(err);
	rc = c->source->read(c->source, to, n - have, offset + have, err);
	if (rc)
		return rc == 1 ? err_set(err, ERR_FORMAT,
					 "past the end of the file") : rc;
	c->bytes.n = n;
	return 0;
}

static int read_head(struct tf_chunk *c, uint64_t offset, struct tf_head *h,
		     struct err *err)
{
	uint64_t left = c->source->size > offset ? c->source->size - offset : 0;
	const char *why;
	int rc;

	if (left < TF_CHUNK_HEADER_SIZE)
		return err_set(err, ERR_FORMAT, "past the end of the file");
	rc = read_front(c, offset, left < READ_AHEAD ? (size_t)left :
						       READ_AHEAD, err);
	if (rc)
		return rc;
	why = tf_head_take(h, span_of(c->bytes.p, TF_CHUNK_HEADER_SIZE), offset,
			   c->file_id);
	if (why)
		return err_set(err, ERR_FORMAT, "%s", why);
	if (tf_head_size(h) > left)
		return err_set(err, ERR_FORMAT, "goes past the end of the file");
	return 0;
}

int tf_chunk_load(struct tf_chunk *c, uint64_t offset, struct err *err)
{
	struct tf_head h = { .type = 0 };
	struct span dir;
	int rc;

	buf_clear(&c->bytes);
	rc = read_head(c, offset, &h, err);
	if (rc == 0)
		rc = read_front(c, offset,
				TF_CHUNK_HEADER_SIZE + h.dir_size, err);
	if (rc)
		return rc;
	c->head = h;
	dir = tf_chunk_directory(c);
	if (crc32c(0, dir.p, dir.n) != h.dir_crc)
		return err_set(err, ERR_FORMAT, "directory: checksum differs");
	return 0;
}

struct span tf_chunk_directory(const struct tf_chunk *c)
{
	return span_of(c->bytes.p + TF_CHUNK_HEADER_SIZE, c->head.dir_size);
}

static uint64_t body_at(const struct tf_chunk *c)
{
	return c->head.offset + TF_CHUNK_HEADER_SIZE + c->head.dir_size;
}

int tf_chunk_begin(struct tf_chunk *c, struct err *err)
{
	struct tf_part p;
	int rc = tf_directory_begin(&c->start, &c->head,
				    tf_chunk_directory(c), err);

	if (rc)
		return rc;
	c->walk = c->start;
	while ((rc = tf_directory_next(&c->walk, &p, err)) == 0)
		;
	if (rc < 0)
		return rc;
	c->walk = c->start;
	tf_body_begin(&c->body, body_at(c), &c->start);
	return 0;
}

int tf_chunk_next(struct tf_chunk *c, struct tf_part *out, struct err *err)
{
	return tf_directory_next(&c->walk, out, err);
}

int tf_chunk_content(struct tf_chunk *c, struct span *out, struct err *err)
{
	struct tf_directory d;
	int rc;

	if (!(c->head.flags & TF_CHUNK_PACKED) || c->head.parts)
		return err_set(err, ERR_FORMAT, "chunk is not one packed body");
	rc = tf_directory_begin(&d, &c->head, tf_chunk_directory(c), err);
	if (rc)
		return rc;
	if (d.in.n)
		return err_set(err, ERR_FORMAT, "directory: %zu bytes too many",
			       d.in.n);
	tf_body_begin(&c->body, body_at(c), &d);
	rc = tf_body_unpack(&c->body, err);
	if (rc == 0)
		*out = span_of(c->body.plain.p, c->body.plain.n);
	return rc;
}
