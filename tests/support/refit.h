/* Changed trace files that are sound again on the outside, so that what was
 * changed is met behind the checksums. */
#ifndef TESTS_SUPPORT_REFIT_H
#define TESTS_SUPPORT_REFIT_H

#include "format/base/buf.h"
#include "format/base/span.h"

#include <stddef.h>
#include <stdint.h>

/* Makes the checksums, own offsets and file ids of all chunks true, as far as
 * hopping from chunk to chunk leads. */
void refit(uint8_t *p, size_t n);

/* Copies a file with all packed bodies stored raw and without its index, which
 * would not be true any more. `out` is a zeroed buffer. */
void refit_raw(struct buf *out, struct span file);

#endif
