#include "utf8.h"

#include <string.h>

#define ESCAPE 16 /* room for one, whatever the code point */

struct lead {
	uint8_t mask, bits; /* first byte: byte & mask == bits */
	uint8_t more;       /* bytes that follow */
	uint32_t least;     /* lower values had a shorter form */
};

static const struct lead leads[] = {
	{ 0x80, 0x00, 0, 0 },
	{ 0xe0, 0xc0, 1, 0x80 },
	{ 0xf0, 0xe0, 2, 0x800 },
	{ 0xf8, 0xf0, 3, 0x10000 },
};

static const struct lead *lead_of(uint8_t byte)
{
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++)
		if ((byte & leads[i].mask) == leads[i].bits)
			return &leads[i];
	return NULL;
}

static bool is_code_point(uint32_t code, const struct lead *l)
{
	bool surrogate = code >= 0xd800 && code <= 0xdfff;

	return code >= l->least && code <= 0x10ffff && !surrogate;
}

bool utf8_next(struct span *s, uint32_t *out)
{
	const struct lead *l = lead_of(s->p[0]);
	uint32_t code = s->p[0];
	size_t n = 1;

	if (l && s->n > l->more) {
		code &= (uint8_t)~l->mask;
		for (; n <= l->more && (s->p[n] & 0xc0) == 0x80; n++)
			code = code << 6 | (s->p[n] & 0x3f);
		if (n > l->more && is_code_point(code, l)) {
			*out = code;
			return span_skip(s, n);
		}
	}
	*out = s->p[0];
	span_skip(s, 1);
	return false;
}

bool utf8_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ||
	       (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/* Takes what begins `text`: itself, or the escape that was written to room. */
static struct span take_clean(struct span *text, char room[ESCAPE])
{
	const uint8_t *at = text->p;
	uint32_t code;
	bool valid = utf8_next(text, &code);
	int n;

	if (valid && !utf8_is_control(code))
		return span_of(at, (size_t)(text->p - at));
	if (code == '\n' || code == '\t')
		n = snprintf(room, ESCAPE, "\\%c", code == '\n' ? 'n' : 't');
	else
		n = snprintf(room, ESCAPE,
			     valid && code >= 0x80 ? "\\u%04x" : "\\x%02x",
			     (unsigned)code);
	return span_of(room, (size_t)n);
}

void utf8_clean(struct buf *out, struct span text)
{
	char room[ESCAPE];

	while (text.n) {
		struct span s = take_clean(&text, room);

		buf_put(out, s.p, s.n);
	}
}

void utf8_print(FILE *to, struct span text)
{
	char room[ESCAPE];

	while (text.n) {
		struct span s = take_clean(&text, room);

		fwrite(s.p, 1, s.n, to);
	}
}

void utf8_print_cstr(FILE *to, const char *text)
{
	utf8_print(to, span_of(text, strlen(text)));
}

size_t utf8_width(struct span clean)
{
	size_t n = 0;

	for (size_t i = 0; i < clean.n; i++)
		n += (clean.p[i] & 0xc0) != 0x80;
	return n;
}
