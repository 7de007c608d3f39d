/* Memory that the decoded columns of one part share: made once in the size that
 * all of them take, then handed out piece by piece. */
#ifndef FORMAT_SCRATCH_H
#define FORMAT_SCRATCH_H

#include "format/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct tf_scratch {
	uint8_t *p;
	size_t cap;
	size_t used;
};

void tf_scratch_fini(struct tf_scratch *s); /* a zeroed one is ready */

/* Forgets what was handed out and makes room for `size` bytes. */
int tf_scratch_reset(struct tf_scratch *s, size_t size, struct err *err);

/* What a piece of n bytes takes of the room. */
static inline size_t tf_scratch_size(size_t n)
{
	return (n + 7) / 8 * 8;
}

/* The next n bytes, which the room must have, aligned for numbers. */
void *tf_scratch_take(struct tf_scratch *s, size_t n);

#endif
