#include "format/base/mem.h"
#include "format/encode_state.h"

#include <math.h>

/* One surprise in so many rows costs less than any other encoding. */
#define FEW 32

static struct tf_last *state(struct tf_encoder *e, uint32_t n)
{
	if (mem_grow(&e->state, &e->state_cap, n, sizeof(*e->state)))
		return e->state;
	e->failed = true;
	return NULL;
}

static void put_keys(struct tf_encoder *e, const struct tf_keyring_key *k)
{
	if (!k->is_link)
		buf_u8(&e->tails, (uint8_t)k->n_ids);
	for (unsigned i = 0; i < k->n_ids; i++)
		buf_varint(&e->tails, k->ids[i]);
}

static void put_side(struct tf_encoder *e)
{
	buf_put(&e->raw, e->side.p, e->side.n);
	tf_encode_stream(e, e->side.n);
}

static bool encode_kdelta(struct tf_encoder *e,
			  const struct tf_encoding_numbers *x,
			  const struct tf_keyring_key *k)
{
	struct tf_last *s = state(e, k->key.n);
	uint64_t *to = tf_encode_work(e, x->n);
	unsigned w;

	if (!s || !to)
		return true;
	buf_clear(&e->side);
	w = tf_planes_width(tf_predict_delta(to, x->v, x->n, &k->key, s,
					     &e->side));
	e->failed = e->failed || buf_failed(&e->side);
	buf_u8(&e->tails, TF_ENC_KDELTA);
	put_keys(e, k);
	buf_u8(&e->tails, (uint8_t)w);
	put_side(e);
	tf_encode_planes(e, to, x->n, w);
	return true;
}

/* Bytes that n symbols take which occur so often. */
static double entropy(const uint32_t counts[256], size_t n)
{
	double bits = (double)n * log2((double)n);

	for (unsigned i = 0; i < 256; i++)
		if (counts[i] > 1)
			bits -= counts[i] * log2(counts[i]);
	return bits / 8;
}

static double planes_cost(const uint64_t *v, size_t n, unsigned w)
{
	double sum = 0;

	for (unsigned b = 0; b < w; b++) {
		uint32_t counts[256] = { 0 };

		for (size_t i = 0; i < n; i++)
			counts[v[i] >> 8 * b & 0xff]++;
		sum += entropy(counts, n);
	}
	return sum;
}

/* What the encoding without keys would take, in all likelihood. */
static double plain_cost(struct tf_encoder *e,
			 const struct tf_encoding_numbers *x,
			 const struct tf_range *r)
{
	size_t limit = x->n / 2 < 65536 ? x->n / 2 : 65536;
	uint64_t *to = tf_encode_work(e, x->n);
	uint64_t bits = r->bits;
	int rc = 1;

	if (!to)
		return 0;
	if (x->want == TF_ENC_DICT)
		rc = tf_dict_build(&e->dict, to, x->v, x->n, limit);
	e->failed = e->failed || rc < 0;
	if (rc == 0)
		return planes_cost(to, x->n, tf_planes_width(e->dict.n - 1)) +
		       2 * (double)e->dict.n;
	if (x->type != TF_I64)
		return planes_cost(x->v, x->n, tf_planes_width(bits));
	bits = tf_planes_zigzag(to, x->v, x->n);
	return planes_cost(to, x->n, tf_planes_width(bits));
}

static bool pays(struct tf_encoder *e, const struct tf_encoding_numbers *x,
		 const struct tf_range *r)
{
	uint32_t counts[256] = { 0 };

	for (size_t i = 0; i < x->n; i++)
		counts[e->guesses.p[i]]++;
	if (x->n - counts[TF_GUESS_LAST] <= x->n / FEW)
		return true;
	return entropy(counts, x->n) + (double)e->side.n <
	       plain_cost(e, x, r);
}

static bool guess(struct tf_encoder *e, const struct tf_encoding_numbers *x,
		  const struct tf_keyring_key *k, const struct tf_range *r)
{
	struct tf_last *s = state(e, k->key.n);
	uint8_t *guesses;

	buf_clear(&e->guesses);
	buf_clear(&e->side);
	guesses = buf_room(&e->guesses, x->n);
	if (!s || !guesses) {
		e->failed = true;
		return true;
	}
	tf_predict_begin(s, k->key.n, k->initial, k->n_initial);
	tf_predict_guess(guesses, x->v, x->n, &k->key, s, &e->side);
	e->failed = e->failed || buf_failed(&e->side);
	if (!pays(e, x, r))
		return false;
	buf_u8(&e->tails, k->is_link ? TF_ENC_LINK : TF_ENC_KLAST);
	put_keys(e, k);
	buf_put(&e->raw, guesses, x->n);
	tf_encode_stream(e, x->n);
	put_side(e);
	return true;
}

bool tf_encode_predicted(struct tf_encoder *e, const struct tf_column *c,
			 const struct tf_encoding_numbers *x,
			 const struct tf_range *r)
{
	struct tf_keyring_key k;

	if (!c->key)
		return false;
	if (x->want == TF_ENC_DELTA)
		return tf_keyring_find(&e->keys, c, false, &k) &&
		       k.key.n > 1 && encode_kdelta(e, x, &k);
	if (c->link && tf_keyring_find(&e->keys, c, true, &k))
		return guess(e, x, &k, r);
	return !c->link && tf_keyring_find(&e->keys, c, false, &k) &&
	       guess(e, x, &k, r);
}
