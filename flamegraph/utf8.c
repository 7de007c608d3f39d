/* Characters in bytes that may or may not be UTF-8. */
#include "utf8.h"

struct range {
	uint32_t first, last;
};

static bool in_ranges(uint32_t c, const struct range *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i].first && c <= r[i].last)
			return true;
	return false;
}

size_t utf8_take(const char *s, size_t n, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead = (unsigned char)s[0];
	size_t len = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 :
		     lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
	uint32_t v = len < 2 ? lead : lead & (0x7fu >> len);

	for (size_t i = 1; i < len && i < n; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			len = 0;
		v = v << 6 | ((unsigned char)s[i] & 0x3fu);
	}
	if (!len || len > n || v < least[len] || v > 0x10ffff ||
	    (v >= 0xd800 && v <= 0xdfff)) {
		*c = UTF8_REPLACEMENT;
		return 1;
	}
	*c = v;
	return len;
}

size_t utf8_put(uint32_t c, char *to)
{
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = len; i-- > 1; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(lead[len] | c);
	return len;
}

bool utf8_is_xml(uint32_t c)
{
	if (c < 0x20)
		return c == '\t' || c == '\n' || c == '\r';
	/* C1 controls are allowed in XML 1.0, but no name means them. */
	return !(c >= 0x7f && c < 0xa0) && !(c >= 0xd800 && c < 0xe000) &&
	       c != 0xfffe && c != 0xffff;
}

unsigned utf8_columns(uint32_t c)
{
	static const struct range none[] = {
		{ 0x300, 0x36f }, { 0x200b, 0x200f }, { 0x20d0, 0x20ff },
		{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
	};
	static const struct range wide[] = {
		{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf },
		{ 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },
		{ 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x1f300, 0x1faff },
		{ 0x20000, 0x3fffd },
	};

	if (c < 0x300)
		return 1;
	if (in_ranges(c, none, sizeof(none) / sizeof(*none)))
		return 0;
	return in_ranges(c, wide, sizeof(wide) / sizeof(*wide)) ? 2 : 1;
}
