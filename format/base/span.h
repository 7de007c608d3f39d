/* The only way to read bytes that came from outside. A getter that fails takes
 * nothing and changes nothing. All integers are little-endian. */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span {
	const uint8_t *p;
	size_t n;
};

static inline bool span_u8(struct span *s, uint8_t *out)
{
	if (!s->n)
		return false;
	*out = *s->p++;
	s->n--;
	return true;
}

bool span_u16(struct span *s, uint16_t *out);

static inline bool span_u32(struct span *s, uint32_t *out)
{
	if (s->n < 4)
		return false;
	*out = s->p[0] | (uint32_t)s->p[1] << 8 | (uint32_t)s->p[2] << 16 |
	       (uint32_t)s->p[3] << 24;
	s->p += 4;
	s->n -= 4;
	return true;
}

bool span_u64(struct span *s, uint64_t *out);

/* Takes the next n bytes as a span of their own. */
bool span_take(struct span *s, size_t n, struct span *out);
bool span_skip(struct span *s, size_t n);

/* Takes bytes up to a NUL, which is taken too but is not part of *out. */
bool span_cstr(struct span *s, struct span *out);

static inline struct span span_of(const void *p, size_t n)
{
	return (struct span){ p, n };
}

/* Text that is this, begins with it, ends with it. */
static inline bool span_is(struct span s, const char *text)
{
	size_t n = strlen(text);

	return s.n == n && (!n || !memcmp(s.p, text, n));
}

static inline bool span_begins(struct span s, const char *with)
{
	size_t n = strlen(with);

	return s.n >= n && (!n || !memcmp(s.p, with, n));
}

static inline bool span_ends(struct span s, const char *with)
{
	size_t n = strlen(with);

	return s.n >= n && (!n || !memcmp(s.p + s.n - n, with, n));
}

/* Behind the last slash. */
static inline struct span span_base_name(struct span path)
{
	size_t at = path.n;

	while (at && path.p[at - 1] != '/')
		at--;
	return at ? span_of(path.p + at, path.n - at) : path;
}

#endif
