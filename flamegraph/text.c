/* Reading an input whole, whatever it is encoded in. */
#include "text.h"

#include "tree.h"
#include "utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define READ_SIZE ((size_t)1 << 16)

static int read_all(struct fg_text *t, FILE *in)
{
	size_t got;

	do {
		if (fg_grow(&t->bytes, &t->cap, t->size + READ_SIZE, 1))
			return -ENOMEM;
		errno = 0;
		got = fread(t->bytes + t->size, 1, t->cap - t->size, in);
		t->size += got;
	} while (got);
	if (ferror(in))
		return errno ? -errno : -EIO;
	return 0;
}

/* The next UTF-16 character at *at, which moves on; half a pair is U+FFFD. */
static uint32_t take_utf16(const unsigned char *s, size_t n, size_t *at,
			   unsigned high)
{
	uint32_t a = (uint32_t)s[*at + high] << 8 | s[*at + 1 - high];
	uint32_t b = 0;

	*at += 2;
	if (a < 0xd800 || a > 0xdfff)
		return a;
	if (a < 0xdc00 && *at + 2 <= n)
		b = (uint32_t)s[*at + high] << 8 | s[*at + 1 - high];
	if (b < 0xdc00 || b > 0xdfff)
		return UTF8_REPLACEMENT;
	*at += 2;
	return 0x10000 + ((a - 0xd800) << 10) + (b - 0xdc00);
}

/* `high` is where in a pair of bytes the high one lies. */
static int from_utf16(struct fg_text *t, unsigned high)
{
	struct fg_text utf8 = { 0 };
	size_t at = 2;

	/* Two bytes become three at most. */
	if (fg_grow(&utf8.bytes, &utf8.cap, t->size / 2 * 3 + 1, 1))
		return -ENOMEM;
	while (at + 2 <= t->size) {
		uint32_t c = take_utf16((const unsigned char *)t->bytes,
					t->size, &at, high);

		utf8.size += utf8_put(c, utf8.bytes + utf8.size);
	}
	fg_text_fini(t);
	*t = utf8;
	return 0;
}

static bool starts_with(const struct fg_text *t, const char *mark, size_t n)
{
	return t->size >= n && !memcmp(t->bytes, mark, n);
}

int fg_text_read(struct fg_text *t, FILE *in)
{
	int rc;

	*t = (struct fg_text){ 0 };
	rc = read_all(t, in);
	if (rc)
		return rc;
	if (starts_with(t, "\xff\xfe", 2))
		return from_utf16(t, 1);
	if (starts_with(t, "\xfe\xff", 2))
		return from_utf16(t, 0);
	if (starts_with(t, "\xef\xbb\xbf", 3)) {
		t->size -= 3;
		memmove(t->bytes, t->bytes + 3, t->size);
	}
	return 0;
}

void fg_text_fini(struct fg_text *t)
{
	free(t->bytes);
	*t = (struct fg_text){ 0 };
}
