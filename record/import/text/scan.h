/* Words and numbers of a line of text. Nothing here looks beyond its span. */
#ifndef RECORD_IMPORT_TEXT_SCAN_H
#define RECORD_IMPORT_TEXT_SCAN_H

#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool rec_text_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static inline bool rec_text_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* The digit's value; 16 and more: none. */
static inline unsigned rec_text_hex_digit(uint8_t c)
{
	if (rec_text_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10u : 16;
}

static inline struct span rec_text_from(struct span s, size_t at)
{
	if (!at)
		return s;
	return at <= s.n ? span_of(s.p + at, s.n - at) : span_of(s.p, 0);
}

static inline struct span rec_text_skip_blanks(struct span s)
{
	size_t i = 0;

	while (i < s.n && rec_text_blank(s.p[i]))
		i++;
	return rec_text_from(s, i);
}

static inline struct span rec_text_cut_blanks(struct span s)
{
	while (s.n && rec_text_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

static inline struct span rec_text_trim(struct span s)
{
	return rec_text_cut_blanks(rec_text_skip_blanks(s));
}

/* NULL where it is not there. */
static inline const uint8_t *rec_text_find(struct span s, const char *what)
{
	return s.n ? memmem(s.p, s.n, what, strlen(what)) : NULL;
}

/* Takes what is up to the next blank, and the blanks before it. */
bool rec_text_word(struct span *s, struct span *word);
/* The same from the end. */
bool rec_text_last_word(struct span *s, struct span *word);

/* The whole span as a number: digits only; false also where it does not fit. */
bool rec_text_decimal(struct span s, uint64_t *out);
bool rec_text_hex(struct span s, uint64_t *out); /* at most 16 digits, no 0x */

/* A process or thread id: decimal, or -1. */
bool rec_text_id(struct span s, int32_t *out);

/* "12.345678": one to nine digits behind the point; ns. */
bool rec_text_seconds(struct span s, uint64_t *ns);

/* Takes the next line of a text that is all in memory, without its end. false:
 * there is none. */
bool rec_text_take_line(struct span *text, struct span *line);

#endif
