/* Number encodings back to values: of a column, of lengths, of list items. */
#ifndef FORMAT_NUMBERS_H
#define FORMAT_NUMBERS_H

#include "format/body.h"
#include "format/key.h"
#include "format/schema.h"
#include "format/scratch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tf_decoding;

struct tf_numbers { /* values that are encoded together */
	const struct tf_decoding *how; /* NULL: an encoding not known here */
	size_t n;
	enum tf_type type;
	unsigned first, n_streams; /* of the column's streams */
	uint8_t w;      /* planes */
	uint64_t value; /* CONST: the value; DELTA, KDELTA, RISE: the
			 * base */
	uint32_t count; /* DICT: distinct values */
	unsigned n_keys;  /* columns that it is predicted by, 0 to 2 */
	bool is_link;     /* by the first one as it was before */
	uint32_t keys[2]; /* their ids */
};

struct tf_prediction { /* what the other columns say of each row */
	struct tf_key key;
	const uint64_t *initial; /* the first guess of each of the first keys*/
	uint32_t n_initial;
};

struct tf_job { /* a column on its way */
	const struct tf_entry *entry;
	struct tf_body *body; /* with the column loaded */
	struct tf_scratch *mem;
	struct err *err;
	const struct tf_prediction *by; /* NULL where there are no keys */
};

bool tf_numbers_known(uint8_t encoding);

/* Takes the parameters of an encoding and checks them against the streams of
 * `e`. x->how stays NULL where it is not known. n, type and first are the
 * caller's. */
int tf_numbers_take(struct tf_numbers *x, uint8_t encoding, struct span *in,
		    const struct tf_entry *e, struct err *err);

/* Scratch bytes that decoding takes. */
size_t tf_numbers_size(const struct tf_numbers *x);

int tf_numbers_run(const struct tf_numbers *x, struct tf_job *j,
		   uint64_t **out);

/* Scratch bytes of predictions by n keys. */
size_t tf_numbers_state_size(uint32_t n);

/* Whether all values are x->value. */
bool tf_numbers_constant(const struct tf_numbers *x);

/* The number of distinct values, which makes a key of the column; 0: the
 * encoding does not tell. */
uint32_t tf_numbers_distinct(const struct tf_numbers *x);

/* The same as run for a column that is a key: with the place of each row's
 * value among the distinct ones. */
int tf_numbers_run_key(const struct tf_numbers *x, struct tf_job *j,
		       struct tf_key *key, const uint64_t **distinct,
		       uint64_t **out);
size_t tf_numbers_key_size(const struct tf_numbers *x); /* beside size */

#endif
