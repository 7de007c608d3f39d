#include "format/predict.h"

#include "format/base/varint.h"

#include <string.h>

static void forget(struct tf_last *state, uint32_t n)
{
	memset(state, 0, n * sizeof(*state));
}

uint64_t tf_predict_delta(uint64_t *to, const uint64_t *v, size_t n,
			  const struct tf_key *key, struct tf_last *state,
			  struct buf *side)
{
	uint64_t bits = 0;

	forget(state, key->n);
	for (size_t i = 0; i < n; i++) {
		struct tf_last *s = &state[key->of[i]];

		if (!s->seen) {
			s->seen = 1;
			s->last = v[i];
			buf_varint(side, zz_from((int64_t)(v[i] - v[0])));
		}
		to[i] = zz_from((int64_t)(v[i] - s->last));
		bits |= to[i];
		s->last = v[i];
	}
	return bits;
}

static int used_up(struct span side, struct err *err)
{
	return side.n ? err_set(err, ERR_FORMAT, "%zu bytes too many", side.n) :
			0;
}

static int cut_short(struct err *err)
{
	return err_set(err, ERR_FORMAT, "fewer values than keys need");
}

int tf_predict_sum(uint64_t *v, size_t n, uint64_t base,
		   const struct tf_key *key, struct tf_last *state,
		   struct span side, struct err *err)
{
	uint64_t step;

	forget(state, key->n);
	for (size_t i = 0; i < n; i++) {
		struct tf_last *s = &state[key->of[i]];

		if (!s->seen) {
			s->seen = 1;
			if (!span_varint(&side, &step))
				return cut_short(err);
			s->last = base + (uint64_t)zz_to(step);
		}
		s->last += (uint64_t)zz_to(v[i]);
		v[i] = s->last;
	}
	return used_up(side, err);
}

void tf_predict_begin(struct tf_last *state, uint32_t n,
		      const uint64_t *initial, uint32_t n_initial)
{
	forget(state, n);
	for (uint32_t i = 0; i < n_initial; i++)
		state[i].last = initial[i];
}

void tf_predict_guess(uint8_t *restrict guesses, const uint64_t *restrict v,
		      size_t n, const struct tf_key *key,
		      struct tf_last *restrict state, struct buf *side)
{
	uint64_t fresh = 0;

	for (size_t i = 0; i < n; i++) {
		struct tf_last *s = &state[key->of[i]];
		uint64_t last = s->last;

		guesses[i] = TF_GUESS_LAST;
		if (v[i] == last)
			continue;
		guesses[i] = TF_GUESS_BEFORE;
		if (v[i] != s->before) {
			uint64_t from = s->seen ? last : fresh;

			guesses[i] = TF_GUESS_NEW;
			buf_varint(side, zz_from((int64_t)(v[i] - from)));
			fresh = v[i];
		}
		s->seen = 1;
		s->before = last;
		s->last = v[i];
	}
}

int tf_predict_take(uint64_t *restrict v, const uint8_t *restrict guesses,
		    size_t n, const struct tf_key *key,
		    struct tf_last *restrict state, struct span side,
		    struct err *err)
{
	uint64_t fresh = 0, step;

	for (size_t i = 0; i < n; i++) {
		struct tf_last *s = &state[key->of[i]];
		uint64_t is = s->last;

		v[i] = is;
		if (guesses[i] == TF_GUESS_LAST)
			continue;
		if (guesses[i] == TF_GUESS_NEW) {
			if (!span_varint(&side, &step))
				return cut_short(err);
			fresh = (s->seen ? is : fresh) + (uint64_t)zz_to(step);
			v[i] = fresh;
		} else if (guesses[i] == TF_GUESS_BEFORE) {
			v[i] = s->before;
		} else {
			return err_set(err, ERR_FORMAT, "unknown guess %u",
				       guesses[i]);
		}
		s->seen = 1;
		s->before = is;
		s->last = v[i];
	}
	return used_up(side, err);
}
