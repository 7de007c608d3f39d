#include "record/import/text/pairs.h"

#include "record/import/text/layouts.h"
#include "record/import/text/scan.h"

static bool is_letter(uint8_t c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

static bool is_key_byte(uint8_t c)
{
	return is_letter(c) || rec_text_digit(c) || c == '-';
}

/* The key that ends before `end`; at the beginning of the text, or behind a
 * blank or a bracket. */
static bool key_before(struct span text, size_t end, struct span *key)
{
	size_t i = end;

	while (i && is_key_byte(text.p[i - 1]))
		i--;
	if (i == end || !is_letter(text.p[i]) ||
	    (i && !strchr(" \t,({[", text.p[i - 1])))
		return false;
	*key = span_of(text.p + i, end - i);
	return true;
}

/* Whether the bracket at the end closes one that is before the value. */
static bool closes_nothing(struct span s)
{
	static const char open[] = "([{", close[] = ")]}";
	const char *which = s.n ? strchr(close, s.p[s.n - 1]) : NULL;
	size_t depth = 0;

	if (!which || !*which)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == (uint8_t)open[which - close])
			depth++;
		else if (s.p[i] == (uint8_t)*which && depth-- == 0)
			return true;
	return false;
}

/* Without what parts it from the next key: "1, ", "R ==> ", "9 [" of
 * "vec=9 [action=RCU]". */
static struct span value(struct span s)
{
	s = rec_text_trim(s);
	if (span_ends(s, "==>"))
		s.n -= 3;
	if (s.n && strchr("([{", s.p[s.n - 1]))
		s.n--;
	s = rec_text_cut_blanks(s);
	if (s.n && s.p[s.n - 1] == ',')
		s.n--;
	s = rec_text_cut_blanks(s);
	while (closes_nothing(s))
		s.n--;
	return s;
}

static size_t equal_signs(struct span text, struct rec_text_pair *pairs,
			  size_t n)
{
	size_t first = n, begin = 0;

	for (size_t i = 0; i < text.n; i++) {
		const uint8_t *at = memchr(text.p + i, '=', text.n - i);
		struct span key;

		if (!at)
			break;
		i = (size_t)(at - text.p);
		if (!key_before(text, i, &key))
			continue;
		if (n > first)
			pairs[n - 1].value = value(span_of(
				text.p + begin,
				(size_t)(key.p - text.p) - begin));
		if (n == REC_TEXT_PAIRS_MAX)
			return n;
		pairs[n++] = (struct rec_text_pair){ .key = key };
		begin = i + 1;
	}
	if (n > first)
		pairs[n - 1].value = value(rec_text_from(text, begin));
	return n;
}

/* "dfd: 0xffffff9c, flags: 0x0", "ih:0 client_id:27": numbers only. */
static size_t colons(struct span text, bool hex, struct rec_text_pair *pairs)
{
	size_t n = 0;

	struct span word, key, rest;
	uint64_t v;

	while (n < REC_TEXT_PAIRS_MAX) {
		const uint8_t *at = text.n ? memchr(text.p, ':', text.n) : NULL;
		size_t i = at ? (size_t)(at - text.p) : 0;
		bool is_key;

		if (!at)
			break;
		is_key = key_before(text, i, &key);
		text = rec_text_from(text, i + 1);
		rest = text;
		if (!is_key || !rec_text_word(&rest, &word))
			continue;
		if (word.p[word.n - 1] == ',' || word.p[word.n - 1] == ')')
			word.n--;
		if (!word.n || (!rec_text_digit(word.p[0]) &&
				!(hex && rec_text_hex(word, &v))))
			continue;
		pairs[n++] = (struct rec_text_pair){ key, word, hex };
		text = rest;
	}
	return n;
}

/* "sys_close -> 0x0" as ftrace has it, "0x0" as perf. */
static size_t returned(struct span text, struct rec_text_pair *pairs)
{
	static const char ret[] = "ret", arrow[] = " -> ";
	const uint8_t *at = rec_text_find(text, arrow);

	if (at)
		text = rec_text_from(text, (size_t)(at - text.p) +
						   sizeof(arrow) - 1);
	pairs[0] = (struct rec_text_pair){ span_of(ret, sizeof(ret) - 1),
					   rec_text_trim(text), false };
	return 1;
}

size_t rec_text_pairs(struct span event, struct span text,
		      struct rec_text_pair pairs[REC_TEXT_PAIRS_MAX])
{
	size_t n = 0;

	if (span_begins(event, "sys_enter_"))
		return colons(text, true, pairs);
	if (span_begins(event, "sys_exit_"))
		return returned(text, pairs);
	(void)rec_text_layout(event, text, pairs, &n, &text);
	n = equal_signs(text, pairs, n);
	return n ? n : colons(text, false, pairs);
}
