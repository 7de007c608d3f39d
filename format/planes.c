#include "format/planes.h"

#include "format/base/varint.h"

#include <string.h>

/* The loops over whole columns, once more for machines of the last ten years:
 * which one runs is settled when the program is loaded. Clang up to 17 leaves out
 * the name that is called. */
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

unsigned tf_planes_width(uint64_t bits)
{
	unsigned w = 0;

	for (; bits; bits >>= 8)
		w++;
	return w;
}

WIDE void tf_planes_split(uint8_t *restrict to, const uint64_t *restrict v, size_t n,
		     unsigned w)
{
	for (unsigned b = 0; b < w; b++) {
		uint8_t *restrict plane = to + b * n;
		unsigned shift = 8 * b;

		for (size_t i = 0; i < n; i++)
			plane[i] = (uint8_t)(v[i] >> shift);
	}
}

/* Each value is written once: what is read is small beside it. */
static void join_1(uint64_t *restrict v, const uint8_t *restrict a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = a[i];
}

static void join_2(uint64_t *restrict v, const uint8_t *restrict a,
		   const uint8_t *restrict b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = (uint64_t)a[i] | (uint64_t)b[i] << 8;
}

static void join_3(uint64_t *restrict v, const uint8_t *restrict a,
		   const uint8_t *restrict b, const uint8_t *restrict c,
		   size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = (uint64_t)a[i] | (uint64_t)b[i] << 8 |
		       (uint64_t)c[i] << 16;
}

void tf_planes_join(uint64_t *restrict v, const uint8_t *const *planes, size_t n,
		    unsigned w)
{
	if (w == 0 && n)
		memset(v, 0, n * sizeof(*v));
	else if (w == 1)
		join_1(v, planes[0], n);
	else if (w == 2)
		join_2(v, planes[0], planes[1], n);
	else if (w)
		join_3(v, planes[0], planes[1], planes[2], n);
	for (unsigned b = 3; b < w; b++) {
		const uint8_t *restrict plane = planes[b];
		unsigned shift = 8 * b;

		for (size_t i = 0; i < n; i++)
			v[i] |= (uint64_t)plane[i] << shift;
	}
}

bool tf_planes_join_below(uint32_t *restrict v, const uint8_t *const *planes,
			  size_t n, unsigned w, uint32_t limit)
{
	uint32_t above = 0;

	if (!w && n)
		memset(v, 0, n * sizeof(*v));
	for (unsigned b = 0; b < w; b++) {
		const uint8_t *restrict plane = planes[b];
		unsigned shift = 8 * b;

		for (size_t i = 0; i < n; i++)
			v[i] = (b ? v[i] : 0) | (uint32_t)plane[i] << shift;
	}
	for (size_t i = 0; i < n; i++)
		above |= v[i] >= limit;
	return !above;
}

WIDE uint64_t tf_planes_delta(uint64_t *restrict to, const uint64_t *restrict v,
			 size_t n)
{
	uint64_t bits = 0, before = n ? v[0] : 0;

	for (size_t i = 0; i < n; i++) {
		to[i] = zz_from((int64_t)(v[i] - before));
		bits |= to[i];
		before = v[i];
	}
	return bits;
}

void tf_planes_sum(uint64_t *v, size_t n, uint64_t base)
{
	for (size_t i = 0; i < n; i++) {
		base += (uint64_t)zz_to(v[i]);
		v[i] = base;
	}
}

WIDE uint64_t tf_planes_below(uint64_t *restrict to, const uint64_t *restrict v,
			 size_t n, uint64_t *base)
{
	uint64_t bits = 0, top = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i] >= i && v[i] - i > top)
			top = v[i] - i;
	for (size_t i = 0; i < n; i++) {
		to[i] = top + i - v[i];
		bits |= to[i];
	}
	*base = top;
	return bits;
}

void tf_planes_rise(uint64_t *v, size_t n, uint64_t base)
{
	for (size_t i = 0; i < n; i++)
		v[i] = base + i - v[i];
}

WIDE uint64_t tf_planes_zigzag(uint64_t *restrict to, const uint64_t *restrict v,
			  size_t n)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < n; i++) {
		to[i] = zz_from((int64_t)v[i]);
		bits |= to[i];
	}
	return bits;
}

void tf_planes_unzigzag(uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = (uint64_t)zz_to(v[i]);
}

WIDE struct tf_range tf_planes_range(const uint64_t *v, size_t n, uint64_t bias)
{
	uint64_t min = v[0] ^ bias, max = min, bits = 0, differ = 0;

	for (size_t i = 0; i < n; i++) {
		bits |= v[i];
		differ |= v[i] ^ v[0];
	}
	for (size_t i = 0; differ && i < n; i++) {
		uint64_t x = v[i] ^ bias;

		min = x < min ? x : min;
		max = x > max ? x : max;
	}
	return (struct tf_range){ min ^ bias, max ^ bias, bits, differ };
}
