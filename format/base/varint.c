#include "varint.h"

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

bool span_long_varint(struct span *s, uint64_t *out)
{
	uint64_t v = 0;

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
