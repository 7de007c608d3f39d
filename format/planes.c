#include "format/planes.h"

#include "format/base/varint.h"

unsigned tf_planes_width(uint64_t bits)
{
	unsigned w = 0;

	for (; bits; bits >>= 8)
		w++;
	return w;
}

void tf_planes_split(uint8_t *restrict to, const uint64_t *restrict v, size_t n,
		     unsigned w)
{
	for (unsigned b = 0; b < w; b++) {
		uint8_t *restrict plane = to + b * n;
		unsigned shift = 8 * b;

		for (size_t i = 0; i < n; i++)
			plane[i] = (uint8_t)(v[i] >> shift);
	}
}

void tf_planes_join(uint64_t *restrict v, const uint8_t *restrict plane,
		    size_t n, unsigned b)
{
	unsigned shift = 8 * b;

	if (b == 0) {
		for (size_t i = 0; i < n; i++)
			v[i] = plane[i];
		return;
	}
	for (size_t i = 0; i < n; i++)
		v[i] |= (uint64_t)plane[i] << shift;
}

uint64_t tf_planes_delta(uint64_t *restrict to, const uint64_t *restrict v,
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

uint64_t tf_planes_below(uint64_t *restrict to, const uint64_t *restrict v,
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

uint64_t tf_planes_zigzag(uint64_t *restrict to, const uint64_t *restrict v,
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

struct tf_range tf_planes_range(const uint64_t *v, size_t n, uint64_t bias)
{
	uint64_t min = v[0] ^ bias, max = min, bits = 0, differ = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t x = v[i] ^ bias;

		min = x < min ? x : min;
		max = x > max ? x : max;
		bits |= v[i];
		differ |= v[i] ^ v[0];
	}
	return (struct tf_range){ min ^ bias, max ^ bias, bits, differ };
}
