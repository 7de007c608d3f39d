#include "varint.h"

#include <endian.h>
#include <string.h>

size_t varint_put(uint8_t *to, uint64_t v)
{
	size_t n = 0;

	while (v >= 0x80) {
		to[n++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	to[n++] = (uint8_t)v;
	return n;
}

/* Seven bits of each byte, put together in pairs. */
static uint64_t join_sevens(uint64_t x)
{
	x &= 0x7f7f7f7f7f7f7f7f;
	x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
	x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
	return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

bool span_long_varint(struct span *s, uint64_t *out)
{
	uint64_t v = 0, eight, ends;

	if (s->n >= sizeof(eight)) {
		memcpy(&eight, s->p, sizeof(eight));
		eight = le64toh(eight);
		ends = ~eight & 0x8080808080808080;
		if (ends) {
			unsigned n = (unsigned)__builtin_ctzll(ends) / 8 + 1;

			eight &= UINT64_MAX >> (64 - 8 * n);
			if (n > 1 && !(eight >> (8 * (n - 1))))
				return false; /* a shorter form exists */
			*out = join_sevens(eight);
			return span_skip(s, n);
		}
	}
	for (size_t i = 0; i < s->n && i < VARINT_MAX; i++) {
		uint8_t b = s->p[i];

		if (i == VARINT_MAX - 1 && b > 1)
			return false; /* bits past the 64th */
		v |= (uint64_t)(b & 0x7f) << (7 * i);
		if (b & 0x80)
			continue;
		if (i && !b)
			return false; /* a shorter form exists */
		*out = v;
		return span_skip(s, i + 1);
	}
	return false;
}

bool span_zz(struct span *s, int64_t *out)
{
	uint64_t v;

	if (!span_varint(s, &v))
		return false;
	*out = zz_to(v);
	return true;
}
