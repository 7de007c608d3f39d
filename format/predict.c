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

/* Rows of one key stand together, as they come from the ring of a CPU: their sum
 * need not go through memory. Returns the first row of another key. */
static size_t sum_run(uint64_t *restrict v, size_t i, size_t n,
		      const uint32_t *restrict of, uint64_t *restrict sum)
{
	uint32_t key = of[i];
	uint64_t last = *sum;

	do {
		last += (uint64_t)zz_to(v[i]);
		v[i] = last;
	} while (++i < n && of[i] == key);
	*sum = last;
	return i;
}

int tf_predict_sum(uint64_t *v, size_t n, uint64_t base,
		   const struct tf_key *key, struct tf_last *state,
		   struct span side, struct err *err)
{
	uint64_t step;

	forget(state, key->n);
	for (size_t i = 0; i < n;) {
		struct tf_last *s = &state[key->of[i]];

		if (!s->seen) {
			s->seen = 1;
			if (!span_varint(&side, &step))
				return cut_short(err);
			s->last = base + (uint64_t)zz_to(step);
		}
		i = sum_run(v, i, n, key->of, &s->last);
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

static int take_new(uint64_t *v, struct tf_last *s, uint64_t *fresh,
		    struct span *side, struct err *err)
{
	uint64_t step;

	if (!span_varint(side, &step))
		return cut_short(err);
	*fresh = (s->seen ? s->last : *fresh) + (uint64_t)zz_to(step);
	*v = *fresh;
	*s = (struct tf_last){ *fresh, s->last, 1 };
	return 0;
}

/* One of the two last ones, without a branch: which one is as good as random. */
static void take_known(uint64_t *v, uint8_t guess, struct tf_last *s)
{
	uint64_t swap = (s->last ^ s->before) & (0 - (uint64_t)guess);

	s->last ^= swap;
	s->before ^= swap;
	s->seen |= guess;
	*v = s->last;
}

/* The rows from i to end. */
static int take_some(uint64_t *restrict v, const uint8_t *restrict guesses,
		     size_t i, size_t end, const uint32_t *restrict of,
		     struct tf_last *restrict state, uint64_t *fresh,
		     struct span *side, struct err *err)
{
	for (; i < end; i++) {
		struct tf_last *s = &state[of[i]];
		int rc = 0;

		if (guesses[i] <= TF_GUESS_BEFORE)
			take_known(&v[i], guesses[i], s);
		else if (guesses[i] == TF_GUESS_NEW)
			rc = take_new(&v[i], s, fresh, side, err);
		else
			rc = err_set(err, ERR_FORMAT, "unknown guess %u",
				     guesses[i]);
		if (rc)
			return rc;
	}
	return 0;
}

/* Most rows are as the last ones, so that those come eight at a time. */
int tf_predict_take(uint64_t *restrict v, const uint8_t *restrict guesses,
		    size_t n, const struct tf_key *key,
		    struct tf_last *restrict state, struct span side,
		    struct err *err)
{
	const uint32_t *restrict of = key->of;
	uint64_t fresh = 0, eight;
	size_t i = 0;
	int rc = 0;

	for (; n - i >= sizeof(eight) && rc == 0; i += sizeof(eight)) {
		memcpy(&eight, guesses + i, sizeof(eight));
		if (eight)
			rc = take_some(v, guesses, i, i + sizeof(eight), of,
				       state, &fresh, &side, err);
		else
			for (size_t k = i; k < i + sizeof(eight); k++)
				v[k] = state[of[k]].last;
	}
	if (rc)
		return rc;
	rc = take_some(v, guesses, i, n, of, state, &fresh, &side, err);
	return rc ? rc : used_up(side, err);
}
