#include "record/import/text/utf16.h"

static uint32_t unit(const uint8_t *p, bool big_endian)
{
	return big_endian ? (uint32_t)p[0] << 8 | p[1] :
			    (uint32_t)p[1] << 8 | p[0];
}

static size_t put(uint8_t *to, uint32_t c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n - 1; i; i--) {
		to[i] = (uint8_t)(0x80 | (c & 0x3f));
		c >>= 6;
	}
	to[0] = (uint8_t)(lead[n] | c);
	return n;
}

size_t rec_text_utf16(struct span *in, bool big_endian, uint8_t *to)
{
	size_t n = 0;

	while (in->n >= 2) {
		uint32_t c = unit(in->p, big_endian), low;
		size_t used = 2;

		if (c >= 0xd800 && c < 0xdc00) {
			if (in->n < 4)
				break;
			low = unit(in->p + 2, big_endian);
			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) +
				    (low - 0xdc00);
				used = 4;
			} else {
				c = 0xfffd;
			}
		} else if (c >= 0xdc00 && c < 0xe000) {
			c = 0xfffd;
		}
		n += put(to + n, c);
		(void)span_skip(in, used);
	}
	return n;
}
