/* LEB128 unsigned integers in their shortest form, and zigzag for signs. */
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VARINT_MAX 10 /* bytes that a 64-bit value can take */

/* Writes at most VARINT_MAX bytes and returns how many. */
size_t varint_put(uint8_t *to, uint64_t v);

bool span_long_varint(struct span *s, uint64_t *out); /* of any length */

/* Refuses a value that is cut short, longer than 64 bits, or not in its
 * shortest form. Nearly all of them are a byte. */
static inline bool span_varint(struct span *s, uint64_t *out)
{
	if (!s->n || *s->p & 0x80)
		return span_long_varint(s, out);
	*out = *s->p++;
	s->n--;
	return true;
}

bool span_zz(struct span *s, int64_t *out);

static inline uint64_t zz_from(int64_t v)
{
	return ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t zz_to(uint64_t v)
{
	return (int64_t)((v >> 1) ^ (0 - (v & 1)));
}

#endif
