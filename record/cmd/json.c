#include "record/cmd/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Bytes of the UTF-8 character at p, 0: none begins here. Shorter forms exist
 * for what is refused at the second byte, but for surrogates. */
static size_t character(const unsigned char *p)
{
	size_t n;

	if (p[0] < 0x80)
		return 1;
	n = p[0] >= 0xc2 && p[0] < 0xe0 ? 2 :
	    p[0] >= 0xe0 && p[0] < 0xf0 ? 3 :
	    p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

/* C0, DEL and C1: what does something to a terminal. */
static bool is_control(const unsigned char *p)
{
	return p[0] < 0x20 || p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);
}

void rec_print_clean(FILE *to, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		size_t n = character(p);

		if (n && !is_control(p)) {
			fwrite(p, 1, n, to);
			p += n;
		} else {
			fprintf(to, "\\x%02x", *p++);
		}
	}
}

static void string(FILE *to, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	putc('"', to);
	while (*p) {
		size_t n = character(p);

		if (!n)
			fputs("\\ufffd", to);
		else if (*p == '"' || *p == '\\')
			fprintf(to, "\\%c", *p);
		else if (n == 1 && is_control(p))
			fprintf(to, "\\u%04x", *p);
		else
			fwrite(p, 1, n, to);
		p += n ? n : 1;
	}
	putc('"', to);
}

static void before(struct rec_json *j, const char *key)
{
	if (j->more)
		putc(',', j->to);
	if (j->fresh)
		putc('\n', j->to);
	j->fresh = false;
	j->more = true;
	if (!key)
		return;
	string(j->to, key);
	putc(':', j->to);
}

void rec_json_begin(struct rec_json *j, const char *key, char bracket)
{
	before(j, key);
	putc(bracket, j->to);
	j->more = false;
}

void rec_json_end(struct rec_json *j, char bracket)
{
	putc(bracket, j->to);
	j->more = true;
	j->fresh = false;
}

void rec_json_break(struct rec_json *j)
{
	j->fresh = true;
}

void rec_json_text(struct rec_json *j, const char *key, const char *text)
{
	before(j, key);
	string(j->to, text);
}

void rec_json_text_or_null(struct rec_json *j, const char *key,
			   const char *text)
{
	if (text) {
		rec_json_text(j, key, text);
		return;
	}
	before(j, key);
	fputs("null", j->to);
}

void rec_json_i64(struct rec_json *j, const char *key, int64_t v)
{
	before(j, key);
	fprintf(j->to, "%" PRId64, v);
}

/* The shorter of the two texts that give the same number back. */
void rec_json_f64(struct rec_json *j, const char *key, double v)
{
	char text[40];

	before(j, key);
	snprintf(text, sizeof(text), "%.15g", v);
	if (strtod(text, NULL) < v || strtod(text, NULL) > v)
		snprintf(text, sizeof(text), "%.17g", v);
	fputs(isfinite(v) ? text : "null", j->to);
}

void rec_json_bool(struct rec_json *j, const char *key, bool v)
{
	before(j, key);
	fputs(v ? "true" : "false", j->to);
}
