/* Byte planes: byte b of every value, one value behind another. */
#ifndef FORMAT_PLANES_H
#define FORMAT_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that a value with these bits needs, 0..8. */
unsigned tf_planes_width(uint64_t bits);

/* Writes w planes of n bytes each to `to`. */
void tf_planes_split(uint8_t *to, const uint64_t *v, size_t n, unsigned w);

/* The way back: planes[b] are the bytes b of n values, w of at most 8. */
void tf_planes_join(uint64_t *v, const uint8_t *const *planes, size_t n,
		    unsigned w);

/* The same of at most 3 bytes. Returns whether all values are below `limit`. */
bool tf_planes_join_below(uint32_t *v, const uint8_t *const *planes, size_t n,
			  unsigned w, uint32_t limit);

/* to[i] = zz(v[i] - v[i - 1]), v[-1] = v[0]; returns all bits that occur. */
uint64_t tf_planes_delta(uint64_t *to, const uint64_t *v, size_t n);

/* The way back, in place. */
void tf_planes_sum(uint64_t *v, size_t n, uint64_t base);

/* to[i] = base + i - v[i], none below 0; returns all bits that occur. */
uint64_t tf_planes_below(uint64_t *to, const uint64_t *v, size_t n,
			 uint64_t *base);

/* The way back, in place. */
void tf_planes_rise(uint64_t *v, size_t n, uint64_t base);

/* to[i] = zz(v[i]); returns all bits that occur. */
uint64_t tf_planes_zigzag(uint64_t *to, const uint64_t *v, size_t n);
void tf_planes_unzigzag(uint64_t *v, size_t n);

struct tf_range {
	uint64_t min, max; /* in the order that the bias makes */
	uint64_t bits;     /* all bits that occur */
	uint64_t differ;   /* bits in which a value differs from the first */
};

/* `bias` is 0 for unsigned order, 1 << 63 for signed. n > 0. */
struct tf_range tf_planes_range(const uint64_t *v, size_t n, uint64_t bias);

#endif
