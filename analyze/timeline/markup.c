#include "analyze/timeline/markup.h"

#include "format/base/utf8.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

static const char *entity(uint32_t code)
{
	switch (code) {
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
	case '\n':
		return "\n";
	case '\t':
		return " ";
	default:
		/* Surrogates are no UTF-8 already. */
		return utf8_is_control(code) || code == 0xfffe ||
				       code == 0xffff ? REPLACEMENT : NULL;
	}
}

static void put_one(FILE *to, struct span *text)
{
	const uint8_t *at = text->p;
	const char *name;
	uint32_t code;

	if (!utf8_next(text, &code)) {
		fputs(REPLACEMENT, to);
		return;
	}
	name = entity(code);
	if (name)
		fputs(name, to);
	else
		fwrite(at, 1, (size_t)(text->p - at), to);
}

void an_markup(FILE *to, struct span text)
{
	while (text.n)
		put_one(to, &text);
}

void an_markup_cstr(FILE *to, const char *text)
{
	an_markup(to, span_of(text, strlen(text)));
}

static bool fits(struct span text, size_t columns)
{
	uint32_t code;

	for (; text.n && columns; columns--)
		utf8_next(&text, &code);
	return !text.n;
}

void an_markup_cut(FILE *to, struct span text, size_t columns)
{
	if (fits(text, columns)) {
		an_markup(to, text);
		return;
	}
	for (; text.n && columns > 1; columns--)
		put_one(to, &text);
	if (columns)
		fputs("\xe2\x80\xa6", to);
}
