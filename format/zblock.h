/* One block of bytes, raw or one zstd frame, under hard ceilings. The only
 * user of libzstd. */
#ifndef FORMAT_ZBLOCK_H
#define FORMAT_ZBLOCK_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct tf_zpack;
struct tf_zunpack;

struct tf_zpack *tf_zpack_new(void); /* NULL: out of memory */
void tf_zpack_free(struct tf_zpack *z); /* NULL is fine */

/* How hard the blocks from now on are pressed: a level of zstd, TF_ZSTD_LEVEL
 * at first. false: there is no such level. */
bool tf_zpack_set_level(struct tf_zpack *z, int level);

/* Appends the block to `out`, as a frame where that is smaller; *codec says
 * which. A failure of memory sticks to `out`. */
void tf_zpack_put(struct tf_zpack *z, struct buf *out, const void *p, size_t n,
		  uint8_t *codec);

struct tf_zunpack *tf_zunpack_new(void); /* NULL: out of memory */
void tf_zunpack_free(struct tf_zunpack *z); /* NULL is fine */

/* Decodes `in`, exactly one block of `raw` bytes, into to[0..raw-1]. */
int tf_zunpack_take(struct tf_zunpack *z, uint8_t *to, size_t raw,
		    struct span in, uint8_t codec, struct err *err);

#endif
