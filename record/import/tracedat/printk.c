#include "record/import/tracedat/printk.h"

#include "format/base/mem.h"
#include "record/import/tracedat/bytes.h"
#include "record/proc/procfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `0xffffffff82966082 : "CPU_ON"`; false: not such a line. */
static bool take_line(struct span line, uint64_t *address, struct span *text)
{
	struct span word, colon;
	const uint8_t *end;

	if (!rec_word(&line, &word) || !rec_number(word, 16, address) ||
	    !rec_word(&line, &colon) || colon.n != 1 || colon.p[0] != ':')
		return false;
	while (line.n && line.p[0] == ' ')
		(void)span_skip(&line, 1);
	if (!line.n || line.p[0] != '"' || !span_skip(&line, 1))
		return false;
	end = line.n ? memrchr(line.p, '"', line.n) : NULL;
	if (!end)
		return false;
	*text = span_of(line.p, (size_t)(end - line.p));
	return true;
}

int rec_dat_printk_init(struct rec_dat_printk *p, struct span text,
			struct err *err)
{
	struct span line, s;
	uint64_t address;
	uint32_t *at;
	bool fresh;

	*p = (struct rec_dat_printk){ 0 };
	while (rec_line(&text, &line)) {
		if (!take_line(line, &address, &s))
			continue;
		at = map64_put(&p->by_address, address, (uint32_t)p->n,
			       &fresh);
		if (!at || !mem_grow(&p->texts, &p->cap, p->n + 1,
				     sizeof(*p->texts)))
			return err_nomem(err);
		if (fresh)
			p->texts[p->n++] = s;
	}
	return 0;
}

void rec_dat_printk_fini(struct rec_dat_printk *p)
{
	free(p->texts);
	map64_fini(&p->by_address);
	*p = (struct rec_dat_printk){ 0 };
}

static uint8_t unescaped(uint8_t c)
{
	return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

bool rec_dat_printk_text(const struct rec_dat_printk *p, uint64_t address,
			 struct buf *to)
{
	struct span s;
	uint32_t i;

	buf_clear(to);
	if (!map64_get(&p->by_address, address, &i))
		return false;
	s = p->texts[i];
	for (size_t at = 0; at < s.n; at++) {
		bool escape = s.p[at] == '\\' && at + 1 < s.n;

		buf_u8(to, escape ? unescaped(s.p[++at]) : s.p[at]);
	}
	return !buf_failed(to);
}

/* -- Printing -------------------------------------------------------------- */

struct printer {
	struct buf *to;
	struct span args;
	size_t taken;       /* bytes before them: numbers are aligned */
	bool big;
	unsigned long_size;
};

struct conversion {
	char flags[24];     /* with width and precision */
	size_t n_flags;
	unsigned size;      /* bytes of its argument */
	char kind;
};

/* Aligned to their size, those of eight bytes to four. */
static bool take_number(struct printer *p, unsigned size, uint64_t *out)
{
	size_t align = size < 4 ? size : 4;
	size_t gap = (align - p->taken % align) % align;
	struct span s;

	if (!span_skip(&p->args, gap) || !span_take(&p->args, size, &s))
		return false;
	p->taken += gap + size;
	*out = rec_dat_number(s.p, size, p->big);
	return true;
}

static bool take_text(struct printer *p, struct span *out)
{
	if (!span_cstr(&p->args, out))
		return false;
	p->taken += out->n + 1;
	return true;
}

static void add_flags(struct conversion *c, const char *text)
{
	for (; *text && c->n_flags < sizeof(c->flags) - 1; text++)
		c->flags[c->n_flags++] = *text;
}

/* A width or precision that is an argument; wider than any screen is none. */
static bool take_star(struct printer *p, struct conversion *c)
{
	char digits[12];
	uint64_t v;

	if (!take_number(p, 4, &v))
		return false;
	snprintf(digits, sizeof(digits), "%u", v < 1000 ? (unsigned)v : 0);
	add_flags(c, digits);
	return true;
}

static unsigned size_of(char kind, unsigned longs, unsigned halves,
			unsigned long_size)
{
	if (kind == 'p')
		return long_size;
	if (kind == 'c')
		return 1;
	if (longs)
		return longs > 1 ? 8 : long_size;
	return halves ? (halves > 1 ? 1 : 2) : 4;
}

/* false: the format ends in it, or its arguments do. */
static bool take_conversion(struct printer *p, struct span *format,
			    struct conversion *c)
{
	unsigned longs = 0, halves = 0;
	uint8_t byte;

	*c = (struct conversion){ 0 };
	for (;;) {
		if (!span_u8(format, &byte))
			return false;
		if (byte == '*') {
			if (!take_star(p, c))
				return false;
		} else if (byte && strchr("lzjtL", byte)) {
			longs += byte == 'L' ? 2 : 1;
		} else if (byte == 'h') {
			halves++;
		} else if (byte && strchr("-+ #0123456789.", byte)) {
			add_flags(c, (char[]){ (char)byte, 0 });
		} else {
			break;
		}
	}
	c->kind = (char)byte;
	c->size = size_of(c->kind, longs, halves, p->long_size);
	return true;
}

static int64_t sign_extended(uint64_t v, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (int64_t)(v << shift) >> shift;
}

/* A width may be at most what three digits say. */
static void sane_width(struct conversion *c)
{
	size_t digits = 0;

	for (size_t i = 0; i < c->n_flags; i++) {
		digits = c->flags[i] >= '0' && c->flags[i] <= '9' ?
				 digits + 1 : 0;
		if (digits > 3)
			c->n_flags = 0;
	}
	c->flags[c->n_flags] = 0;
}

/* The flags are digits and signs alone, the kind is one of four. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_number(struct printer *p, const struct conversion *c,
		       uint64_t v)
{
	char format[40], text[1100];

	if (c->kind == 'd' || c->kind == 'i') {
		snprintf(format, sizeof(format), "%%%slld", c->flags);
		snprintf(text, sizeof(text), format,
			 (long long)sign_extended(v, c->size));
	} else {
		snprintf(format, sizeof(format), "%%%sll%c", c->flags,
			 c->kind);
		snprintf(text, sizeof(text), format, (unsigned long long)v);
	}
	buf_put(p->to, text, strlen(text));
}

static void put_text(struct printer *p, const struct conversion *c,
		     struct span s)
{
	char format[40], text[1100], copy[1025];

	snprintf(copy, sizeof(copy), "%.*s", (int)s.n, (const char *)s.p);
	snprintf(format, sizeof(format), "%%%ss", c->flags);
	snprintf(text, sizeof(text), format, copy);
	buf_put(p->to, text, strlen(text));
}
#pragma GCC diagnostic pop

/* What a pointer stands for was printed when it was recorded, but for the names
 * of functions and the bare address. */
static bool put_pointer(struct printer *p, struct span *format)
{
	uint8_t next = format->n ? format->p[0] : 0;
	bool letter = (next >= 'a' && next <= 'z') ||
		      (next >= 'A' && next <= 'Z');
	struct span s;
	uint64_t v;

	if (letter && !strchr("SsxKe", next)) {
		while (format->n && ((format->p[0] | 32) >= 'a') &&
		       ((format->p[0] | 32) <= 'z'))
			(void)span_skip(format, 1);
		if (!take_text(p, &s))
			return false;
		buf_put(p->to, s.p, s.n);
		return true;
	}
	if (letter)
		(void)span_skip(format, 1);
	if (!take_number(p, p->long_size, &v))
		return false;
	buf_printf(p->to, "0x%" PRIx64, v);
	return true;
}

static bool put_conversion(struct printer *p, struct span *format)
{
	struct conversion c;
	struct span s;
	uint64_t v;

	if (!take_conversion(p, format, &c))
		return false;
	sane_width(&c);
	switch (c.kind) {
	case '%':
		buf_u8(p->to, '%');
		return true;
	case 's':
		if (!take_text(p, &s))
			return false;
		put_text(p, &c, s);
		return true;
	case 'c':
		if (!take_number(p, 1, &v))
			return false;
		buf_u8(p->to, (uint8_t)v);
		return true;
	case 'p':
		return put_pointer(p, format);
	case 'd': case 'i': case 'u': case 'x': case 'X': case 'o':
		if (!take_number(p, c.size, &v))
			return false;
		put_number(p, &c, v);
		return true;
	default:
		return false;
	}
}

void rec_dat_printk_print(struct buf *to, struct span format, struct span args,
			  bool big, unsigned long_size)
{
	struct printer p = { .to = to, .args = args, .big = big,
			     .long_size = long_size };
	uint8_t byte;

	while (span_u8(&format, &byte)) {
		if (byte != '%')
			buf_u8(to, byte);
		else if (!put_conversion(&p, &format))
			return;
	}
}
