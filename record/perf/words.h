/* Native 64-bit words off the front of a span, inline: a sample is nothing but
 * these, and there may be a million a second. */
#ifndef RECORD_PERF_WORDS_H
#define RECORD_PERF_WORDS_H

#include "format/base/span.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WORD 8u

/* The word at p, which the caller has found to be inside its span. */
static inline uint64_t word_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static inline uint32_t half_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline bool word_take(struct span *in, uint64_t *out)
{
	if (in->n < WORD)
		return false;
	*out = word_at(in->p);
	in->p += WORD;
	in->n -= WORD;
	return true;
}

/* n words as a span of their own. */
static inline bool words_take(struct span *in, uint64_t n, struct span *out)
{
	size_t size = (size_t)n * WORD;

	if (n > in->n / WORD)
		return false;
	*out = (struct span){ in->p, size };
	in->p += size;
	in->n -= size;
	return true;
}

#endif
