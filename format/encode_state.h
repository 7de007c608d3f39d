/* What the encoders of columns share. */
#ifndef FORMAT_ENCODE_STATE_H
#define FORMAT_ENCODE_STATE_H

#include "format/encode.h"
#include "format/layout.h"
#include "format/planes.h"

/* Numbers that are encoded together: a column, lengths, or list items. */
struct tf_encoding_numbers {
	const uint64_t *v;
	size_t n;
	enum tf_type type;
	enum tf_encoding want; /* PLANES, DELTA or DICT, unless constant */
};

/* The bytes since the stream before are a stream. */
void tf_encode_stream(struct tf_encoder *e, size_t size);

/* Appends w planes. */
void tf_encode_planes(struct tf_encoder *e, const uint64_t *v, size_t n,
		      unsigned w);

/* Room for n values; the encoder has failed where there is none. */
uint64_t *tf_encode_work(struct tf_encoder *e, size_t n);

/* By the rows before of the same key: KDELTA for what would be DELTA, else LINK
 * or KLAST. */
void tf_encode_predicted(struct tf_encoder *e,
			 const struct tf_encoding_numbers *x,
			 const struct tf_keyring_key *k);

#endif
