#include "format/encode.h"

#include "format/base/err.h"
#include "format/base/mem.h"
#include "format/base/varint.h"
#include "format/layout.h"
#include "format/planes.h"

#include <stdlib.h>

#define DICT_LIMIT 65536u

/* Numbers that are encoded together: a column, lengths, or list items. */
struct numbers {
	const uint64_t *v;
	size_t n;
	enum tf_type type;
	enum tf_encoding want; /* PLANES, DELTA or DICT, unless constant */
};

void tf_encoder_init(struct tf_encoder *e)
{
	*e = (struct tf_encoder){ 0 };
	buf_init(&e->raw, 0);
	buf_init(&e->tails, 0);
}

void tf_encoder_fini(struct tf_encoder *e)
{
	buf_fini(&e->raw);
	buf_fini(&e->tails);
	free(e->lengths);
	free(e->work);
	tf_dict_fini(&e->dict);
	*e = (struct tf_encoder){ 0 };
}

void tf_encoder_clear(struct tf_encoder *e)
{
	buf_clear(&e->raw);
	buf_clear(&e->tails);
	e->n = 0;
	e->failed = false;
}

static void end_stream(struct tf_encoder *e, size_t size)
{
	if (!mem_grow(&e->lengths, &e->cap, e->n + 1, sizeof(*e->lengths)))
		e->failed = true;
	else
		e->lengths[e->n++] = size;
}

static void put_planes(struct tf_encoder *e, const uint64_t *v, size_t n,
		       unsigned w)
{
	uint8_t *to = n && w ? buf_room(&e->raw, n * w) : NULL;

	if (!to)
		return;
	tf_planes_split(to, v, n, w);
	e->raw.n += n * w;
	for (unsigned b = 0; b < w; b++)
		end_stream(e, n);
}

/* Room for n values; the encoder has failed where there is none. */
static uint64_t *work(struct tf_encoder *e, size_t n)
{
	if (mem_grow(&e->work, &e->work_cap, n, sizeof(*e->work)))
		return e->work;
	e->failed = true;
	return NULL;
}

static void encode_const(struct tf_encoder *e, const struct numbers *x)
{
	buf_u8(&e->tails, TF_ENC_CONST);
	if (x->type == TF_F64)
		buf_u64(&e->tails, x->v[0]);
	else if (x->type == TF_I64)
		buf_zz(&e->tails, (int64_t)x->v[0]);
	else
		buf_varint(&e->tails, x->v[0]);
}

static void encode_planes(struct tf_encoder *e, const struct numbers *x,
			  uint64_t bits)
{
	const uint64_t *v = x->v;
	unsigned w;

	if (x->type == TF_I64 && x->n) {
		uint64_t *to = work(e, x->n);

		if (!to)
			return;
		bits = tf_planes_zigzag(to, x->v, x->n);
		v = to;
	}
	w = tf_planes_width(bits);
	if (x->type == TF_F64 && x->n)
		w = 8;
	if (x->type == TF_BOOL && x->n)
		w = 1;
	buf_u8(&e->tails, TF_ENC_PLANES);
	buf_u8(&e->tails, (uint8_t)w);
	put_planes(e, v, x->n, w);
}

static void encode_delta(struct tf_encoder *e, const struct numbers *x)
{
	uint64_t *to = work(e, x->n);
	unsigned w;

	if (!to)
		return;
	w = tf_planes_width(tf_planes_delta(to, x->v, x->n));
	buf_u8(&e->tails, TF_ENC_DELTA);
	buf_varint(&e->tails, x->v[0]);
	buf_u8(&e->tails, (uint8_t)w);
	put_planes(e, to, x->n, w);
}

static void put_dict(struct tf_encoder *e, const uint64_t *index, size_t n)
{
	const struct tf_dict *d = &e->dict;
	size_t before = e->raw.n;
	uint64_t last = 0;
	unsigned w = tf_planes_width(d->n - 1);

	buf_u8(&e->tails, TF_ENC_DICT);
	buf_u8(&e->tails, (uint8_t)w);
	buf_varint(&e->tails, d->n);
	for (size_t i = 0; i < d->n; i++) {
		buf_varint(&e->raw, d->values[i] - last);
		last = d->values[i];
	}
	end_stream(e, e->raw.n - before);
	put_planes(e, index, n, w);
}

/* false: too many distinct values, nothing was written. */
static bool encode_dict(struct tf_encoder *e, const struct numbers *x)
{
	size_t limit = x->n / 2 < DICT_LIMIT ? x->n / 2 : DICT_LIMIT;
	uint64_t *index = work(e, x->n);
	int rc;

	if (!index)
		return true;
	rc = tf_dict_build(&e->dict, index, x->v, x->n, limit);
	if (rc < 0)
		e->failed = true;
	if (rc == 0)
		put_dict(e, index, x->n);
	return rc != 1;
}

static void encode_numbers(struct tf_encoder *e, const struct numbers *x,
			   const struct tf_range *r)
{
	if (x->n && !r->differ)
		encode_const(e, x);
	else if (x->n && x->want == TF_ENC_DELTA)
		encode_delta(e, x);
	else if (!x->n || x->want != TF_ENC_DICT || !encode_dict(e, x))
		encode_planes(e, x, r->bits);
}

/* Anything but 0 is true. The values move to where other encodings have their
 * work; booleans have none there. */
static void make_bools(struct tf_encoder *e, struct numbers *x)
{
	uint64_t *to = x->type == TF_BOOL && x->n ? work(e, x->n) : NULL;

	if (!to)
		return;
	for (size_t i = 0; i < x->n; i++)
		to[i] = x->v[i] != 0;
	x->v = to;
}

static void encode_range(struct tf_encoder *e, struct numbers *x)
{
	struct tf_range r = { 0 };

	make_bools(e, x);
	if (x->n)
		r = tf_planes_range(x->v, x->n, 0);
	encode_numbers(e, x, &r);
}

static enum tf_encoding wanted(const struct tf_column *c)
{
	if (c->type == TF_BOOL || c->type == TF_F64)
		return TF_ENC_PLANES;
	if (c->role == TF_ROLE_TIME || c->role == TF_ROLE_SERIAL)
		return TF_ENC_DELTA;
	if (c->role == TF_ROLE_ID || c->type == TF_REF)
		return TF_ENC_DICT;
	return TF_ENC_PLANES;
}

static void encode_plain(struct tf_encoder *e, const struct tf_column *c,
			 const struct tf_builder_column *b, uint32_t rows)
{
	struct numbers x = { b->v, rows, c->type, wanted(c) };
	bool is_signed = c->type == TF_I64;
	bool ordered = is_signed || c->type == TF_U64 || c->type == TF_REF;
	struct tf_range r;

	make_bools(e, &x);
	r = tf_planes_range(x.v, rows, (uint64_t)is_signed << 63);
	/* A constant says its range by itself. */
	if (!ordered || !r.differ) {
		buf_u8(&e->tails, 0);
	} else {
		buf_u8(&e->tails, TF_STATS_RANGE);
		buf_varint(&e->tails, is_signed ? zz_from((int64_t)r.min) :
						  r.min);
		buf_varint(&e->tails, is_signed ? zz_from((int64_t)r.max) :
						  r.max);
	}
	encode_numbers(e, &x, &r);
}

static void encode_lengths(struct tf_encoder *e, const uint64_t *v,
			   uint32_t rows)
{
	encode_range(e, &(struct numbers){ v, rows, TF_U64, TF_ENC_PLANES });
}

static void encode_bytes(struct tf_encoder *e,
			 const struct tf_builder_column *b, uint32_t rows)
{
	buf_u8(&e->tails, 0);
	buf_u8(&e->tails, TF_ENC_BYTES);
	encode_lengths(e, b->v, rows);
	if (b->bytes.n) {
		buf_put(&e->raw, b->bytes.p, b->bytes.n);
		end_stream(e, b->bytes.n);
	}
}

static void encode_list(struct tf_encoder *e, const struct tf_column *c,
			const struct tf_builder_column *b, uint32_t rows)
{
	struct numbers items = { b->items, b->n_items, c->type, wanted(c) };

	buf_u8(&e->tails, 0);
	buf_u8(&e->tails, TF_ENC_LIST);
	encode_lengths(e, b->v, rows);
	buf_varint(&e->tails, b->n_items);
	encode_range(e, &items);
}

void tf_encode_column(struct tf_encoder *e, const struct tf_column *c,
		      const struct tf_builder_column *b, uint32_t rows)
{
	if (c->list)
		encode_list(e, c, b, rows);
	else if (c->type == TF_BYTES)
		encode_bytes(e, b, rows);
	else
		encode_plain(e, c, b, rows);
}
