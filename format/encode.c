#include "format/encode.h"

#include "format/base/err.h"
#include "format/base/mem.h"
#include "format/base/varint.h"
#include "format/encode_state.h"
#include "format/layout.h"
#include "format/planes.h"

#include <stdlib.h>

void tf_encoder_init(struct tf_encoder *e, struct tf_zpack *pack)
{
	*e = (struct tf_encoder){ .pack = pack };
	buf_init(&e->raw, 0);
	buf_init(&e->tails, 0);
	buf_init(&e->guesses, 0);
	buf_init(&e->side, 0);
	buf_init(&e->trial, 0);
}

void tf_encoder_fini(struct tf_encoder *e)
{
	buf_fini(&e->raw);
	buf_fini(&e->tails);
	buf_fini(&e->guesses);
	buf_fini(&e->side);
	buf_fini(&e->trial);
	tf_choices_fini(&e->choices);
	free(e->lengths);
	free(e->work);
	free(e->state);
	tf_dict_fini(&e->dict);
	tf_keyring_fini(&e->keys);
	*e = (struct tf_encoder){ 0 };
}

void tf_encoder_clear(struct tf_encoder *e)
{
	buf_clear(&e->raw);
	buf_clear(&e->tails);
	e->n = 0;
	e->failed = false;
}

void tf_encode_stream(struct tf_encoder *e, size_t size)
{
	if (!mem_grow(&e->lengths, &e->cap, e->n + 1, sizeof(*e->lengths)))
		e->failed = true;
	else
		e->lengths[e->n++] = size;
}

void tf_encode_planes(struct tf_encoder *e, const uint64_t *v, size_t n,
		      unsigned w)
{
	uint8_t *to = n && w ? buf_room(&e->raw, n * w) : NULL;

	if (!to)
		return;
	tf_planes_split(to, v, n, w);
	e->raw.n += n * w;
	for (unsigned b = 0; b < w; b++)
		tf_encode_stream(e, n);
}

uint64_t *tf_encode_work(struct tf_encoder *e, size_t n)
{
	if (mem_grow(&e->work, &e->work_cap, n, sizeof(*e->work)))
		return e->work;
	e->failed = true;
	return NULL;
}

static void encode_const(struct tf_encoder *e, const struct tf_encoding_numbers *x)
{
	buf_u8(&e->tails, TF_ENC_CONST);
	if (x->type == TF_F64)
		buf_u64(&e->tails, x->v[0]);
	else if (x->type == TF_I64)
		buf_zz(&e->tails, (int64_t)x->v[0]);
	else
		buf_varint(&e->tails, x->v[0]);
}

static void encode_planes(struct tf_encoder *e, const struct tf_encoding_numbers *x,
			  uint64_t bits)
{
	const uint64_t *v = x->v;
	unsigned w;

	if (x->type == TF_I64 && x->n) {
		uint64_t *to = tf_encode_work(e, x->n);

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
	tf_encode_planes(e, v, x->n, w);
}

static void encode_delta(struct tf_encoder *e, const struct tf_encoding_numbers *x)
{
	uint64_t *to = tf_encode_work(e, x->n);
	unsigned w;

	if (!to)
		return;
	w = tf_planes_width(tf_planes_delta(to, x->v, x->n));
	buf_u8(&e->tails, TF_ENC_DELTA);
	buf_varint(&e->tails, x->v[0]);
	buf_u8(&e->tails, (uint8_t)w);
	tf_encode_planes(e, to, x->n, w);
}

static void encode_rise(struct tf_encoder *e,
			const struct tf_encoding_numbers *x)
{
	uint64_t *to = tf_encode_work(e, x->n), base;
	unsigned w;

	if (!to)
		return;
	w = tf_planes_width(tf_planes_below(to, x->v, x->n, &base));
	buf_u8(&e->tails, TF_ENC_RISE);
	buf_varint(&e->tails, base);
	buf_u8(&e->tails, (uint8_t)w);
	tf_encode_planes(e, to, x->n, w);
}

static void put_dict(struct tf_encoder *e, const uint64_t *values, size_t count,
		     const uint64_t *index, size_t n)
{
	size_t before = e->raw.n;
	uint64_t last = 0;
	unsigned w = tf_planes_width(count - 1);

	buf_u8(&e->tails, TF_ENC_DICT);
	buf_u8(&e->tails, (uint8_t)w);
	buf_varint(&e->tails, count);
	for (size_t i = 0; i < count; i++) {
		buf_varint(&e->raw, values[i] - last);
		last = values[i];
	}
	tf_encode_stream(e, e->raw.n - before);
	tf_encode_planes(e, index, n, w);
}

static void encode_key(struct tf_encoder *e, const struct tf_keyring_column *k,
		       size_t n)
{
	uint64_t *index = tf_encode_work(e, n);

	if (!index)
		return;
	for (size_t i = 0; i < n; i++)
		index[i] = k->of[i];
	put_dict(e, k->values, k->n, index, n);
}

/* false: too many distinct values, nothing was written. */
static bool encode_dict(struct tf_encoder *e, const struct tf_encoding_numbers *x)
{
	uint64_t *index = tf_encode_work(e, x->n);
	int rc;

	if (!index)
		return true;
	rc = tf_dict_build(&e->dict, index, x->v, x->n,
			   tf_dict_limit(x->n));
	if (rc < 0)
		e->failed = true;
	if (rc == 0)
		put_dict(e, e->dict.values, e->dict.n, index, x->n);
	return rc != 1;
}

static void encode_numbers(struct tf_encoder *e, const struct tf_encoding_numbers *x,
			   const struct tf_range *r)
{
	if (x->n && !r->differ)
		encode_const(e, x);
	else if (x->n && x->want == TF_ENC_DELTA)
		encode_delta(e, x);
	else if (x->n && x->want == TF_ENC_RISE)
		encode_rise(e, x);
	else if (!x->n || x->want != TF_ENC_DICT || !encode_dict(e, x))
		encode_planes(e, x, r->bits);
}

/* Anything but 0 is true. The values move to where other encodings have their
 * work; booleans have none there. */
static void make_bools(struct tf_encoder *e, struct tf_encoding_numbers *x)
{
	uint64_t *to = x->type == TF_BOOL && x->n ? tf_encode_work(e, x->n) : NULL;

	if (!to)
		return;
	for (size_t i = 0; i < x->n; i++)
		to[i] = x->v[i] != 0;
	x->v = to;
}

static void encode_range(struct tf_encoder *e, struct tf_encoding_numbers *x)
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
	if (c->role == TF_ROLE_BELOW)
		return TF_ENC_RISE;
	if (c->role == TF_ROLE_ID || c->type == TF_REF)
		return TF_ENC_DICT;
	return TF_ENC_PLANES;
}

struct mark { /* of what was encoded so far */
	size_t raw, streams, tails;
};

static struct mark mark(const struct tf_encoder *e)
{
	return (struct mark){ e->raw.n, e->n, e->tails.n };
}

static void go_back(struct tf_encoder *e, const struct mark *m)
{
	e->raw.n = m->raw;
	e->n = m->streams;
	e->tails.n = m->tails;
}

/* Bytes in the file of the streams since the mark. */
static size_t packed_size(struct tf_encoder *e, const struct mark *m)
{
	size_t at = m->raw, sum = e->tails.n - m->tails;
	uint8_t codec;

	for (size_t i = m->streams; i < e->n; i++) {
		buf_clear(&e->trial);
		tf_zpack_put(e->pack, &e->trial, e->raw.p + at, e->lengths[i],
			     &codec);
		at += e->lengths[i];
		sum += e->trial.n;
	}
	e->failed = e->failed || buf_failed(&e->trial);
	return sum;
}

/* Tries the column without and with what predicts it; keeps the smaller. */
static void encode_both(struct tf_encoder *e, const struct tf_column *c,
			const struct tf_encoding_numbers *x,
			const struct tf_range *r,
			const struct tf_keyring_key *key)
{
	struct mark m = mark(e);
	size_t plain, predicted;

	encode_numbers(e, x, r);
	if (tf_encoder_failed(e))
		return;
	plain = packed_size(e, &m);
	go_back(e, &m);
	tf_encode_predicted(e, x, key);
	if (tf_encoder_failed(e))
		return;
	predicted = packed_size(e, &m);
	tf_choice_keep(&e->choices, e->keys.from->table->id, c->id,
		       predicted < plain);
	if (predicted < plain)
		return;
	go_back(e, &m);
	encode_numbers(e, x, r);
}

static void encode_keyed(struct tf_encoder *e, const struct tf_column *c,
			 const struct tf_encoding_numbers *x,
			 const struct tf_range *r)
{
	enum tf_choice choice = tf_choice_now(&e->choices,
					      e->keys.from->table->id, c->id);
	struct tf_keyring_key key;

	if (choice == TF_CHOICE_FIRST || !tf_keyring_find(&e->keys, c, &key))
		encode_numbers(e, x, r);
	else if (choice == TF_CHOICE_SECOND)
		tf_encode_predicted(e, x, &key);
	else
		encode_both(e, c, x, r, &key);
}

/* A column that others name has the dictionary that they need already. */
static void encode_column(struct tf_encoder *e, uint32_t position,
			  const struct tf_encoding_numbers *x,
			  const struct tf_range *r)
{
	const struct tf_column *c = &e->keys.from->table->columns[position];
	const struct tf_keyring_column *k = NULL;

	if (r->differ)
		k = tf_keyring_column(&e->keys, position);
	if (k)
		encode_key(e, k, x->n);
	else if (r->differ && c->key)
		encode_keyed(e, c, x, r);
	else
		encode_numbers(e, x, r);
}

static void encode_plain(struct tf_encoder *e, uint32_t position)
{
	const struct tf_builder *from = e->keys.from;
	const struct tf_column *c = &from->table->columns[position];
	struct tf_encoding_numbers x = { from->columns[position].v, from->rows,
					 c->type, wanted(c) };
	bool is_signed = c->type == TF_I64;
	bool ordered = is_signed || c->type == TF_U64 || c->type == TF_REF;
	struct tf_range r;

	make_bools(e, &x);
	r = tf_planes_range(x.v, x.n, (uint64_t)is_signed << 63);
	/* A constant says its range by itself, of times the part does. */
	if (!ordered || !r.differ || from->time_column == (int)position) {
		buf_u8(&e->tails, 0);
	} else {
		buf_u8(&e->tails, TF_STATS_RANGE);
		buf_varint(&e->tails, is_signed ? zz_from((int64_t)r.min) :
						  r.min);
		buf_varint(&e->tails, is_signed ? zz_from((int64_t)r.max) :
						  r.max);
	}
	encode_column(e, position, &x, &r);
}

static void encode_lengths(struct tf_encoder *e, const uint64_t *v,
			   uint32_t rows)
{
	encode_range(e, &(struct tf_encoding_numbers){ v, rows, TF_U64, TF_ENC_PLANES });
}

static void encode_bytes(struct tf_encoder *e,
			 const struct tf_builder_column *b, uint32_t rows)
{
	buf_u8(&e->tails, 0);
	buf_u8(&e->tails, TF_ENC_BYTES);
	encode_lengths(e, b->v, rows);
	if (b->bytes.n) {
		buf_put(&e->raw, b->bytes.p, b->bytes.n);
		tf_encode_stream(e, b->bytes.n);
	}
}

static void encode_list(struct tf_encoder *e, const struct tf_column *c,
			const struct tf_builder_column *b, uint32_t rows)
{
	struct tf_encoding_numbers items = { b->items, b->n_items, c->type, wanted(c) };

	buf_u8(&e->tails, 0);
	buf_u8(&e->tails, TF_ENC_LIST);
	encode_lengths(e, b->v, rows);
	buf_varint(&e->tails, b->n_items);
	encode_range(e, &items);
}

void tf_encoder_begin(struct tf_encoder *e, const struct tf_builder *from)
{
	tf_keyring_begin(&e->keys, from);
	e->failed = e->failed || e->keys.failed;
}

void tf_encode(struct tf_encoder *e, uint32_t position)
{
	const struct tf_builder *from = e->keys.from;
	const struct tf_column *c = &from->table->columns[position];
	const struct tf_builder_column *b = &from->columns[position];

	if (c->list)
		encode_list(e, c, b, from->rows);
	else if (c->type == TF_BYTES)
		encode_bytes(e, b, from->rows);
	else
		encode_plain(e, position);
	e->failed = e->failed || e->keys.failed;
}
