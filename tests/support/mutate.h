/* Bad input out of good input. Each walk leaves the bytes as they were. */
#ifndef TESTS_SUPPORT_MUTATE_H
#define TESTS_SUPPORT_MUTATE_H

#include "format/base/span.h"

#include <stddef.h>
#include <stdint.h>

/* Calls `see` with each prefix, the empty one first, the whole one last. Each
 * is a copy of its own, so that a sanitizer sees a read past its end. */
void mutate_prefixes(struct span good, void (*see)(void *ctx, struct span in),
		     void *ctx);

/* Calls `see` with each single bit flipped, and its number. */
void mutate_bits(uint8_t *p, size_t n,
		 void (*see)(void *ctx, struct span in, size_t bit), void *ctx);

#endif
