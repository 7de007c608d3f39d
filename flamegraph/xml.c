/* Text that may come from anywhere, as XML. */
#include "xml.h"

#include "utf8.h"

#include <string.h>

static const char *entity(uint32_t c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	case '\t':
	case '\n':
	case '\r':
		return " ";
	default:
		return NULL;
	}
}

static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '&' && c != '<' && c != '>' &&
	       c != '"' && c != '\'';
}

static size_t plain_size(const char *s, size_t size)
{
	size_t n = 0;

	while (n < size && is_plain(s[n]))
		n++;
	return n;
}

static void emit_char(struct fg_emit *e, uint32_t c)
{
	const char *name = entity(c);
	char utf8[4];

	if (name)
		fg_emit_str(e, name);
	else
		fg_emit_bytes(e, utf8,
			      utf8_put(utf8_is_xml(c) ? c : UTF8_REPLACEMENT,
				       utf8));
}

void fg_emit_xml(struct fg_emit *e, const char *s, size_t size)
{
	uint32_t c;

	while (size) {
		size_t n = plain_size(s, size);

		fg_emit_bytes(e, s, n);
		s += n;
		size -= n;
		if (!size)
			break;
		n = utf8_take(s, size, &c);
		emit_char(e, c);
		s += n;
		size -= n;
	}
}

size_t fg_xml_fit(const char *s, size_t size, uint64_t columns)
{
	size_t at = 0;
	uint32_t c;

	while (at < size) {
		size_t n = utf8_take(s + at, size - at, &c);
		unsigned wide = utf8_columns(c);

		if (wide > columns)
			break;
		columns -= wide;
		at += n;
	}
	return at;
}
