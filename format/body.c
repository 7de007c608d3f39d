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
	buf_clear(&b->stored);
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

static int check(const struct tf_stored *s, struct span in, struct err *err)
{
	return crc32c(0, in.p, in.n) == s->crc ? 0 :
		       err_set(err, ERR_FORMAT, "checksum differs");
}

/* Decodes one block to the end of `plain`. */
static int unpack(struct tf_body *b, const struct tf_stored *s, struct span in,
		  struct span *out, struct err *err)
{
	uint8_t *to = buf_room(&b->plain, s->raw);

	if (!to)
		return err_nomem(err);
	*out = span_of(to, s->raw);
	b->plain.n += s->raw;
	return tf_zunpack_take(b->unpack, to, s->raw, in, s->codec, err);
}

int tf_body_unpack(struct tf_body *b, struct err *err)
{
	struct span in, out;
	int rc;

	if (!b->packed || b->unpacked)
		return 0;
	buf_clear(&b->plain);
	rc = read_stored(b, 0, b->block.stored, err);
	in = span_of(b->stored.p, b->stored.n);
	if (rc == 0)
		rc = check(&b->block, in, err);
	if (rc == 0)
		rc = unpack(b, &b->block, in, &out, err);
	if (rc)
		return err_in(err, rc, "body");
	b->unpacked = true;
	return 0;
}

bool tf_body_has(const struct tf_body *b, uint64_t at, uint64_t n)
{
	if (b->packed)
		return b->unpacked;
	return at >= b->stored_at && at - b->stored_at <= b->stored.n &&
	       n <= b->stored.n - (at - b->stored_at);
}

int tf_body_load(struct tf_body *b, uint64_t at, uint64_t n, struct err *err)
{
	return b->packed ? tf_body_unpack(b, err) :
			   read_stored(b, n ? at : 0, (size_t)n, err);
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

static int take_stream(struct tf_body *b, const struct tf_stored *s,
		       struct span *out, struct err *err)
{
	int rc;

	if (b->packed)
		return slice(&b->plain, s->at, s->raw, out, err);
	rc = slice(&b->stored, s->at - b->stored_at, s->stored, out, err);
	if (rc == 0)
		rc = check(s, *out, err);
	if (rc == 0 && s->codec != TF_CODEC_RAW)
		rc = unpack(b, s, *out, out, err);
	return rc;
}

/* So that none of them moves when the next one comes. */
static bool has_room(struct tf_body *b, const struct tf_stored *s, unsigned n)
{
	size_t size = 0;

	if (b->packed)
		return true;
	for (unsigned i = 0; i < n; i++)
		size += s[i].codec == TF_CODEC_RAW ? 0 : s[i].raw;
	buf_clear(&b->plain);
	return !size || buf_room(&b->plain, size);
}

int tf_body_streams(struct tf_body *b, const struct tf_entry *e, unsigned first,
		    unsigned n, struct span *out, struct err *err)
{
	if (!has_room(b, e->streams + first, n))
		return err_nomem(err);
	for (unsigned i = 0; i < n; i++) {
		int rc = take_stream(b, &e->streams[first + i], &out[i], err);

		if (rc)
			return err_in(err, rc, "stream %u", first + i);
	}
	return 0;
}
