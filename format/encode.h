/* Columns to streams: chooses the encoding by type, role and keys, keeps the
 * raw bytes of all streams of a chunk back to back. */
#ifndef FORMAT_ENCODE_H
#define FORMAT_ENCODE_H

#include "format/base/buf.h"
#include "format/builder.h"
#include "format/choice.h"
#include "format/dict.h"
#include "format/keyring.h"
#include "format/predict.h"
#include "format/schema.h"
#include "format/zblock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tf_encoder {
	struct buf raw;    /* all streams */
	size_t *lengths;   /* of each stream */
	size_t n, cap;
	struct buf tails;  /* of each column: statistics, encoding, parameters*/
	uint64_t *work;    /* values on their way into planes */
	size_t work_cap;
	struct tf_dict dict;
	struct tf_keyring keys; /* of the part */
	struct tf_last *state;  /* of predictions, by key */
	size_t state_cap;
	struct buf guesses, side;
	struct tf_choices choices;
	struct tf_zpack *pack; /* not owned; tells what a frame gains */
	struct buf trial;
	bool failed;       /* out of memory; sticks until the next clear */
};

/* `pack` outlives the encoder. */
void tf_encoder_init(struct tf_encoder *e, struct tf_zpack *pack);
void tf_encoder_fini(struct tf_encoder *e);
void tf_encoder_clear(struct tf_encoder *e); /* keeps the memory */

/* Goes to the columns of a builder, which has rows and is not kept. */
void tf_encoder_begin(struct tf_encoder *e, const struct tf_builder *from);

/* Appends the streams and the tail of the column at a position. */
void tf_encode(struct tf_encoder *e, uint32_t position);

static inline bool tf_encoder_failed(const struct tf_encoder *e)
{
	return e->failed || buf_failed(&e->raw) || buf_failed(&e->tails) ||
	       buf_failed(&e->side) || buf_failed(&e->guesses);
}

#endif
