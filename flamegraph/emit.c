/* Buffered text out. */
#include "emit.h"

#include <errno.h>
#include <string.h>

void fg_emit_init(struct fg_emit *e, FILE *out)
{
	e->out = out;
	e->rc = 0;
	e->n = 0;
}

static void put_out(struct fg_emit *e, const char *s, size_t size)
{
	errno = 0;
	if (!e->rc && size && fwrite(s, 1, size, e->out) != size)
		e->rc = errno ? -errno : -EIO;
}

void fg_emit_bytes(struct fg_emit *e, const char *s, size_t size)
{
	if (size > sizeof(e->buf) - e->n) {
		put_out(e, e->buf, e->n);
		e->n = 0;
	}
	if (size > sizeof(e->buf)) {
		put_out(e, s, size);
		return;
	}
	if (size)
		memcpy(e->buf + e->n, s, size);
	e->n += size;
}

void fg_emit_str(struct fg_emit *e, const char *s)
{
	fg_emit_bytes(e, s, strlen(s));
}

/* Digits of `v` to the end of `to`, a comma before each `group` of them. */
static char *digits(char *to, uint64_t v, int group)
{
	int n = 0;

	do {
		if (n && group && n % group == 0)
			*--to = ',';
		*--to = (char)('0' + v % 10);
		v /= 10;
		n++;
	} while (v);
	return to;
}

void fg_emit_u64(struct fg_emit *e, uint64_t v)
{
	char s[32], *end = s + sizeof(s), *at = digits(end, v, 0);

	fg_emit_bytes(e, at, (size_t)(end - at));
}

void fg_emit_grouped(struct fg_emit *e, uint64_t v)
{
	char s[32], *end = s + sizeof(s), *at = digits(end, v, 3);

	fg_emit_bytes(e, at, (size_t)(end - at));
}

void fg_emit_fixed(struct fg_emit *e, uint64_t v)
{
	uint64_t part = v % FG_FIXED;
	char s[32], *end = s + sizeof(s), *at;

	fg_emit_u64(e, v / FG_FIXED);
	if (!part)
		return;
	for (; part % 10 == 0; part /= 10)
		;
	at = digits(end, part, 0);
	for (uint64_t unit = FG_FIXED / 10, rest = v % FG_FIXED;
	     unit > rest; unit /= 10)
		*--at = '0';
	*--at = '.';
	fg_emit_bytes(e, at, (size_t)(end - at));
}

int fg_emit_end(struct fg_emit *e)
{
	put_out(e, e->buf, e->n);
	e->n = 0;
	errno = 0;
	if (!e->rc && (fflush(e->out) || ferror(e->out)))
		e->rc = errno ? -errno : -EIO;
	return e->rc;
}
