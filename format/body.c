#include "format/body.h"

#include "format/base/crc32c.h"

#include <inttypes.h>

int tf_body_init(struct tf_body *b, struct tf_source *source, struct err *err)
{
	*b = (struct tf_body){ .source = source };
	b->unpack = tf_zunpack_new();
	return b->unpack ? 0 : err_nomem(err);
}

void tf_body_fini(struct tf_body *b)
{
	tf_zunpack_free(b->unpack);
	buf_fini(&b->stored);
	buf_fini(&b->plain);
	*b = (struct tf_body){ 0 };
}

void tf_body_begin(struct tf_body *b, uint64_t at, const struct tf_directory *d)
{
	b->at = at;
	b->packed = d->packed;
	b->block = d->body;
	b->unpacked = false;
}

static int read_stored(struct tf_body *b, uint64_t at, size_t n,
		       struct err *err)
{
	int rc;

	buf_clear(&b->stored);
	if (!n)
		return 0;
	if (!buf_room(&b->stored, n))
		return err_nomem(err);
	rc = b->source->read(b->source, b->stored.p, n, b->at + at, err);
	if (rc)
		return rc == 1 ? err_set(err, ERR_FORMAT, "past the end of "
					 "the file") : rc;
	b->stored.n = n;
	b->stored_at = at;
	return 0;
}

/* Checks and decodes one block into `plain`. */
static int unpack(struct tf_body *b, const struct tf_stored *s, struct span in,
		  struct err *err)
{
	if (crc32c(0, in.p, in.n) != s->crc)
		return err_set(err, ERR_FORMAT, "checksum differs");
	buf_clear(&b->plain);
	if (s->raw && !buf_room(&b->plain, s->raw))
		return err_nomem(err);
	b->plain.n = s->raw;
	return tf_zunpack_take(b->unpack, b->plain.p, s->raw, in, s->codec,
			       err);
}

int tf_body_unpack(struct tf_body *b, struct err *err)
{
	int rc;

	if (!b->packed || b->unpacked)
		return 0;
	rc = read_stored(b, 0, b->block.stored, err);
	if (rc == 0)
		rc = unpack(b, &b->block, span_of(b->stored.p, b->stored.n),
			    err);
	if (rc)
		return err_in(err, rc, "body");
	b->unpacked = true;
	return 0;
}

int tf_body_load(struct tf_body *b, const struct tf_entry *e, struct err *err)
{
	uint64_t n = 0;

	if (b->packed)
		return tf_body_unpack(b, err);
	for (unsigned i = 0; i < e->n_streams; i++)
		n += e->streams[i].stored;
	return read_stored(b, n ? e->streams[0].at : 0, (size_t)n, err);
}

static int slice(const struct buf *from, uint64_t at, size_t n,
		 struct span *out, struct err *err)
{
	struct span in = span_of(from->p, from->n);

	if (at > SIZE_MAX || !span_skip(&in, (size_t)at) ||
	    !span_take(&in, n, out))
		return err_set(err, ERR_FORMAT, "past the end of the body");
	return 0;
}

int tf_body_stream(struct tf_body *b, const struct tf_entry *e, unsigned i,
		   struct span *out, struct err *err)
{
	const struct tf_stored *s = &e->streams[i];
	int rc;

	if (b->packed) {
		rc = slice(&b->plain, s->at, s->raw, out, err);
	} else {
		rc = slice(&b->stored, s->at - b->stored_at, s->stored, out,
			   err);
		if (rc == 0 && s->codec != TF_CODEC_RAW)
			rc = unpack(b, s, *out, err);
		else if (rc == 0 && crc32c(0, out->p, out->n) != s->crc)
			rc = err_set(err, ERR_FORMAT, "checksum differs");
		if (rc == 0 && s->codec != TF_CODEC_RAW)
			*out = span_of(b->plain.p, b->plain.n);
	}
	return rc ? err_in(err, rc, "stream %u", i) : 0;
}
