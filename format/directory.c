#include "format/directory.h"

#include "format/base/mem.h"
#include "format/base/varint.h"

#include <inttypes.h>

static int cut_short(struct err *err)
{
	return err_set(err, ERR_FORMAT, "cut short");
}

static bool varint32(struct span *in, uint32_t *out)
{
	uint64_t v;

	if (!span_varint(in, &v) || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

/* Takes `varint n` and the n bytes behind it. */
static bool take_counted(struct span *in, struct span *out)
{
	uint32_t n;

	return varint32(in, &n) && span_take(in, n, out);
}

static int check_stored(const struct tf_stored *s, uint64_t raw_limit,
			struct err *err)
{
	if (s->raw > raw_limit)
		return err_set(err, ERR_LIMIT, "%" PRIu32 " bytes, limit %"
			       PRIu64, s->raw, raw_limit);
	if (s->codec == TF_CODEC_RAW && s->raw != s->stored)
		return err_set(err, ERR_FORMAT, "%" PRIu32 " raw bytes stored "
			       "in %" PRIu32, s->raw, s->stored);
	return 0;
}

int tf_stored_take(struct tf_stored *out, struct span *in, uint32_t stored,
		   uint64_t raw_limit, struct err *err)
{
	struct tf_stored s = { .stored = stored };
	int rc;

	if (!span_u8(in, &s.codec) || !varint32(in, &s.raw) ||
	    !span_u32(in, &s.crc))
		return cut_short(err);
	rc = check_stored(&s, raw_limit, err);
	if (rc == 0)
		*out = s;
	return rc;
}

int tf_directory_begin(struct tf_directory *d, const struct tf_head *h,
		       struct span in, struct err *err)
{
	struct tf_directory made = {
		.packed = h->flags & TF_CHUNK_PACKED,
		.left = h->parts,
		.end = h->body_size,
	};
	int rc;

	if (made.packed) {
		rc = tf_stored_take(&made.body, &in, h->body_size,
				    TF_MAX_PACKED, err);
		if (rc)
			return err_in(err, rc, "directory: body");
		made.end = made.body.raw;
	}
	made.in = in;
	*d = made;
	return 0;
}

static bool take_stream(const struct tf_part *p, struct span *in,
			struct tf_stored *s)
{
	if (p->packed) {
		s->codec = TF_CODEC_RAW;
		s->crc = 0;
		if (!varint32(in, &s->raw))
			return false;
		s->stored = s->raw;
		return true;
	}
	return span_u8(in, &s->codec) && varint32(in, &s->raw) &&
	       varint32(in, &s->stored) && span_u32(in, &s->crc);
}

static int take_streams(struct tf_part *p, struct span *in,
			struct tf_entry *e, struct err *err)
{
	for (unsigned i = 0; i < e->n_streams; i++) {
		struct tf_stored *s = &e->streams[i];
		int rc;

		if (!take_stream(p, in, s))
			return cut_short(err);
		rc = check_stored(s, TF_MAX_BYTES_STREAM, err);
		if (rc)
			return err_in(err, rc, "stream %u", i);
		s->at = p->at;
		p->at += s->stored; /* at most 2^20 bytes of lengths < 2^32 */
	}
	return 0;
}

int tf_part_next(struct tf_part *p, struct tf_entry *out, struct err *err)
{
	struct span in;
	uint8_t n;
	int rc;

	if (!p->n_columns)
		return 1;
	if (!take_counted(&p->columns, &in) ||
	    !span_varint(&in, &out->column) || !span_u8(&in, &n))
		return cut_short(err);
	if (n > TF_MAX_STREAMS)
		return err_set(err, ERR_LIMIT, "column %" PRIu64
			       ": %u streams, limit %u", out->column, n,
			       TF_MAX_STREAMS);
	out->n_streams = n;
	rc = take_streams(p, &in, out, err);
	if (rc)
		return err_in(err, rc, "column %" PRIu64, out->column);
	out->tail = in;
	p->n_columns--;
	return 0;
}

static int take_times(struct tf_part *p, struct span *in, struct err *err)
{
	uint64_t width;

	if (p->flags & ~TF_PART_FLAGS_KNOWN)
		return err_set(err, ERR_FORMAT, "unknown part flags %#x",
			       p->flags);
	if (p->flags & TF_PART_TIMES &&
	    (!span_varint(in, &p->t_min) || !span_varint(in, &width) ||
	     ckd_add(&p->t_max, p->t_min, width)))
		return err_set(err, ERR_FORMAT, "bad times");
	if (p->flags & TF_PART_WATERMARK && !span_varint(in, &p->watermark))
		return cut_short(err);
	return 0;
}

static int take_part_head(struct tf_part *p, struct span *in, struct err *err)
{
	int rc;

	if (!varint32(in, &p->table) || !varint32(in, &p->rows) ||
	    !span_varint(in, &p->base_row) || !span_u8(in, &p->flags))
		return cut_short(err);
	rc = take_times(p, in, err);
	if (rc)
		return rc;
	if (!varint32(in, &p->n_columns))
		return cut_short(err);
	if (!p->rows || p->rows > TF_MAX_ROWS)
		return err_set(err, ERR_LIMIT, "%" PRIu32 " rows, limit %u",
			       p->rows, TF_MAX_ROWS);
	if (p->n_columns > TF_MAX_COLUMNS)
		return err_set(err, ERR_LIMIT, "%" PRIu32 " columns, limit %u",
			       p->n_columns, TF_MAX_COLUMNS);
	return 0;
}

/* Walks the columns for their lengths and their order. */
static int check_part(const struct tf_directory *d, struct tf_part p,
		      uint64_t *end, struct err *err)
{
	uint64_t least = 0;
	struct tf_entry e = { .column = 0 };
	int rc;

	while ((rc = tf_part_next(&p, &e, err)) == 0) {
		if (e.column < least || e.column > UINT32_MAX)
			return err_set(err, ERR_FORMAT, "column %" PRIu64
				       " out of order", e.column);
		least = e.column + 1;
		if (p.at > d->end)
			return err_set(err, ERR_FORMAT, "column %" PRIu64
				       " goes past the body", e.column);
	}
	if (rc < 0)
		return rc;
	if (p.columns.n)
		return err_set(err, ERR_FORMAT, "%zu bytes too many",
			       p.columns.n);
	*end = p.at;
	return 0;
}

static int finish(const struct tf_directory *d, struct err *err)
{
	if (d->in.n)
		return err_set(err, ERR_FORMAT, "directory: %zu bytes too many",
			       d->in.n);
	if (d->at != d->end)
		return err_set(err, ERR_FORMAT, "body of %" PRIu64
			       " bytes, used %" PRIu64, d->end, d->at);
	return 1;
}

int tf_directory_next(struct tf_directory *d, struct tf_part *out,
		      struct err *err)
{
	struct tf_part p = { .at = d->at, .packed = d->packed };
	int rc;

	if (!d->left)
		return finish(d, err);
	if (!take_counted(&d->in, &p.columns))
		return err_set(err, ERR_FORMAT, "directory cut short");
	rc = take_part_head(&p, &p.columns, err);
	if (rc == 0)
		rc = check_part(d, p, &d->at, err);
	if (rc)
		return err_in(err, rc, "directory: table %" PRIu32, p.table);
	d->left--;
	*out = p;
	return 0;
}

uint64_t tf_entry_stored(const struct tf_entry *e)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < e->n_streams; i++)
		n += e->streams[i].stored;
	return n;
}
