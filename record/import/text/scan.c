#include "record/import/text/scan.h"

#include "format/base/mem.h"

bool rec_text_word(struct span *s, struct span *word)
{
	struct span in = rec_text_skip_blanks(*s);
	size_t i = 0;

	while (i < in.n && !rec_text_blank(in.p[i]))
		i++;
	if (!i)
		return false;
	*word = span_of(in.p, i);
	*s = rec_text_from(in, i);
	return true;
}

bool rec_text_last_word(struct span *s, struct span *word)
{
	struct span in = rec_text_cut_blanks(*s);
	size_t i = in.n;

	while (i && !rec_text_blank(in.p[i - 1]))
		i--;
	if (i == in.n)
		return false;
	*word = rec_text_from(in, i);
	*s = span_of(in.p, i);
	return true;
}

bool rec_text_decimal(struct span s, uint64_t *out)
{
	uint64_t v = 0;

	if (!s.n)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (!rec_text_digit(s.p[i]))
			return false;
		/* Nineteen digits always fit. */
		if (i < 19)
			v = v * 10 + (s.p[i] - '0');
		else if (ckd_mul(&v, v, 10u) ||
			 ckd_add(&v, v, (uint64_t)(s.p[i] - '0')))
			return false;
	}
	*out = v;
	return true;
}

bool rec_text_hex(struct span s, uint64_t *out)
{
	uint64_t v = 0;

	if (!s.n || s.n > 16)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned d = rec_text_hex_digit(s.p[i]);

		if (d > 15)
			return false;
		v = v << 4 | d;
	}
	*out = v;
	return true;
}

bool rec_text_id(struct span s, int32_t *out)
{
	uint64_t v;

	if (span_is(s, "-1")) {
		*out = -1;
		return true;
	}
	if (!rec_text_decimal(s, &v) || v > INT32_MAX)
		return false;
	*out = (int32_t)v;
	return true;
}

bool rec_text_seconds(struct span s, uint64_t *ns)
{
	const uint8_t *point = s.n ? memchr(s.p, '.', s.n) : NULL;
	uint64_t seconds, part;
	struct span behind;

	if (!point)
		return false;
	behind = rec_text_from(s, (size_t)(point - s.p) + 1);
	if (behind.n > 9 || !rec_text_decimal(behind, &part) ||
	    !rec_text_decimal(span_of(s.p, (size_t)(point - s.p)), &seconds))
		return false;
	for (size_t i = behind.n; i < 9; i++)
		part *= 10;
	return !ckd_mul(&seconds, seconds, (uint64_t)1000000000) &&
	       !ckd_add(ns, seconds, part);
}

bool rec_text_take_line(struct span *text, struct span *line)
{
	const uint8_t *end = text->n ? memchr(text->p, '\n', text->n) : NULL;

	if (!text->n)
		return false;
	(void)span_take(text, end ? (size_t)(end - text->p) : text->n, line);
	if (end)
		(void)span_skip(text, 1);
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}
