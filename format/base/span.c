#include "span.h"

#include <string.h>

bool span_take(struct span *s, size_t n, struct span *out)
{
	if (n > s->n)
		return false;
	*out = (struct span){ s->p, n };
	if (n) {
		s->p += n;
		s->n -= n;
	}
	return true;
}

bool span_skip(struct span *s, size_t n)
{
	struct span gone;

	return span_take(s, n, &gone);
}

static bool get(struct span *s, size_t n, uint64_t *out)
{
	struct span in;
	uint64_t v = 0;

	if (!span_take(s, n, &in))
		return false;
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)in.p[i] << (8 * i);
	*out = v;
	return true;
}

bool span_u16(struct span *s, uint16_t *out)
{
	uint64_t v;

	if (!get(s, 2, &v))
		return false;
	*out = (uint16_t)v;
	return true;
}

bool span_u64(struct span *s, uint64_t *out)
{
	return get(s, 8, out);
}

bool span_cstr(struct span *s, struct span *out)
{
	const uint8_t *nul = s->n ? memchr(s->p, 0, s->n) : NULL;

	if (!nul)
		return false;
	(void)span_take(s, (size_t)(nul - s->p), out);
	return span_skip(s, 1);
}
