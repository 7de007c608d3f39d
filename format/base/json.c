#include "json.h"

#include "utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_init(struct json *j, FILE *to)
{
	*j = (struct json){ .to = to };
}

void json_break(struct json *j)
{
	j->fresh = true;
}

static void put_code(FILE *to, uint32_t code, struct span bytes)
{
	if (code == '"' || code == '\\')
		fprintf(to, "\\%c", (int)code);
	else if (utf8_is_control(code))
		fprintf(to, "\\u%04x", (unsigned)code);
	else
		fwrite(bytes.p, 1, bytes.n, to);
}

void json_string(FILE *to, struct span text)
{
	putc('"', to);
	while (text.n) {
		const uint8_t *at = text.p;
		uint32_t code;

		if (utf8_next(&text, &code))
			put_code(to, code, span_of(at, (size_t)(text.p - at)));
		else
			fputs("\xef\xbf\xbd", to);
	}
	putc('"', to);
}

/* What stands before a value. A value that was just begun or ended decides
 * alone whether a comma is due, so no depth needs to be remembered. */
static void begin(struct json *j, const char *key)
{
	if (j->more)
		putc(',', j->to);
	if (j->fresh)
		putc('\n', j->to);
	j->fresh = false;
	j->more = true;
	if (!key)
		return;
	json_string(j->to, span_of(key, strlen(key)));
	putc(':', j->to);
}

static void enter(struct json *j, const char *key, char bracket)
{
	begin(j, key);
	putc(bracket, j->to);
	j->more = false;
}

static void leave(struct json *j, char bracket)
{
	putc(bracket, j->to);
	j->more = true;
	j->fresh = false;
}

void json_object(struct json *j, const char *key)
{
	enter(j, key, '{');
}

void json_array(struct json *j, const char *key)
{
	enter(j, key, '[');
}

void json_end_object(struct json *j)
{
	leave(j, '}');
}

void json_end_array(struct json *j)
{
	leave(j, ']');
}

void json_text(struct json *j, const char *key, struct span text)
{
	begin(j, key);
	json_string(j->to, text);
}

void json_cstr(struct json *j, const char *key, const char *text)
{
	json_text(j, key, span_of(text, strlen(text)));
}

void json_cstr_or_null(struct json *j, const char *key, const char *text)
{
	if (text)
		json_cstr(j, key, text);
	else
		json_null(j, key);
}

void json_u64(struct json *j, const char *key, uint64_t v)
{
	begin(j, key);
	fprintf(j->to, "%" PRIu64, v);
}

void json_i64(struct json *j, const char *key, int64_t v)
{
	begin(j, key);
	fprintf(j->to, "%" PRId64, v);
}

/* The shorter of the two texts that give the same number back; JSON has no
 * word for what is not finite. */
void json_f64(struct json *j, const char *key, double v)
{
	char text[40];

	begin(j, key);
	snprintf(text, sizeof(text), "%.15g", v);
	if (strtod(text, NULL) < v || strtod(text, NULL) > v)
		snprintf(text, sizeof(text), "%.17g", v);
	fputs(isfinite(v) ? text : "null", j->to);
}

void json_bool(struct json *j, const char *key, bool v)
{
	begin(j, key);
	fputs(v ? "true" : "false", j->to);
}

void json_null(struct json *j, const char *key)
{
	begin(j, key);
	fputs("null", j->to);
}
