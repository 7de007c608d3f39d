#include "format/base/mem.h"
#include "format/encode_state.h"

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

static void encode_kdelta(struct tf_encoder *e,
			  const struct tf_encoding_numbers *x,
			  const struct tf_keyring_key *k)
{
	struct tf_last *s = state(e, k->key.n);
	uint64_t *to = tf_encode_work(e, x->n);
	unsigned w;

	if (!s || !to)
		return;
	buf_clear(&e->side);
	w = tf_planes_width(tf_predict_delta(to, x->v, x->n, &k->key, s,
					     &e->side));
	e->failed = e->failed || buf_failed(&e->side);
	buf_u8(&e->tails, TF_ENC_KDELTA);
	put_keys(e, k);
	buf_varint(&e->tails, x->v[0]);
	buf_u8(&e->tails, (uint8_t)w);
	put_side(e);
	tf_encode_planes(e, to, x->n, w);
}

static void encode_guesses(struct tf_encoder *e,
			   const struct tf_encoding_numbers *x,
			   const struct tf_keyring_key *k)
{
	struct tf_last *s = state(e, k->key.n);
	uint8_t *guesses;

	buf_clear(&e->guesses);
	buf_clear(&e->side);
	guesses = buf_room(&e->guesses, x->n);
	if (!s || !guesses) {
		e->failed = true;
		return;
	}
	tf_predict_begin(s, k->key.n, k->initial, k->n_initial);
	tf_predict_guess(guesses, x->v, x->n, &k->key, s, &e->side);
	e->failed = e->failed || buf_failed(&e->side);
	buf_u8(&e->tails, k->is_link ? TF_ENC_LINK : TF_ENC_KLAST);
	put_keys(e, k);
	buf_put(&e->raw, guesses, x->n);
	tf_encode_stream(e, x->n);
	put_side(e);
}

void tf_encode_predicted(struct tf_encoder *e,
			 const struct tf_encoding_numbers *x,
			 const struct tf_keyring_key *k)
{
	if (x->want != TF_ENC_DELTA)
		encode_guesses(e, x, k);
	else
		encode_kdelta(e, x, k);
}
