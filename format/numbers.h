/* Number encodings back to values: of a column, of lengths, of list items. */
#ifndef FORMAT_NUMBERS_H
#define FORMAT_NUMBERS_H

#include "format/body.h"
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
	uint64_t value; /* CONST: the value; DELTA: the base */
	uint32_t count; /* DICT: distinct values */
};

struct tf_job { /* a column on its way */
	const struct tf_entry *entry;
	struct tf_body *body; /* with the column loaded */
	struct tf_scratch *mem;
	struct err *err;
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

#endif
