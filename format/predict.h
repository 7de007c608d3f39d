/* Values against those of the rows before with the same key: differences, or
 * whether they are the same. */
#ifndef FORMAT_PREDICT_H
#define FORMAT_PREDICT_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/span.h"
#include "format/key.h"

/* Of one key, so far. */
struct tf_last {
	uint64_t last;
	uint64_t before; /* the last one that was not `last` */
	uint64_t seen;   /* there was a value; else `last` is a guess */
};

enum tf_guess { /* a byte on disk */
	TF_GUESS_LAST = 0,
	TF_GUESS_BEFORE = 1,
	TF_GUESS_NEW = 2, /* the difference is in the side: to the last one; of
			   * a key without any, to what was new before, so that
			   * ids that are given out in order take a byte each*/
};

/* to[i] = zz(v[i] - the value before of the same key); of the first values of
 * the keys zz(v[i] - v[0]) goes to `side` as varints and their rows have 0.
 * `state` has key->n entries of any content. Returns all bits that occur. */
uint64_t tf_predict_delta(uint64_t *to, const uint64_t *v, size_t n,
			  const struct tf_key *key, struct tf_last *state,
			  struct buf *side);

/* The way back, in place. */
int tf_predict_sum(uint64_t *v, size_t n, uint64_t base,
		   const struct tf_key *key, struct tf_last *state,
		   struct span side, struct err *err);

/* A key without any value is guessed to be initial[key]; NULL: 0. */
void tf_predict_begin(struct tf_last *state, uint32_t n,
		      const uint64_t *initial, uint32_t n_initial);

/* guesses[i] is how to find v[i]; new values go to `side` as varints. */
void tf_predict_guess(uint8_t *guesses, const uint64_t *v, size_t n,
		      const struct tf_key *key, struct tf_last *state,
		      struct buf *side);

int tf_predict_take(uint64_t *v, const uint8_t *guesses, size_t n,
		    const struct tf_key *key, struct tf_last *state,
		    struct span side, struct err *err);

#endif
