#include "record/import/perfdata/fields.h"

#include <string.h>

bool rec_pd_u16(struct rec_pd_fields *f, uint16_t *out)
{
	if (!span_u16(&f->in, out))
		return false;
	if (f->foreign)
		*out = __builtin_bswap16(*out);
	return true;
}

bool rec_pd_u32(struct rec_pd_fields *f, uint32_t *out)
{
	if (!span_u32(&f->in, out))
		return false;
	if (f->foreign)
		*out = __builtin_bswap32(*out);
	return true;
}

bool rec_pd_u64(struct rec_pd_fields *f, uint64_t *out)
{
	if (!span_u64(&f->in, out))
		return false;
	if (f->foreign)
		*out = __builtin_bswap64(*out);
	return true;
}

bool rec_pd_skip(struct rec_pd_fields *f, size_t n)
{
	return span_skip(&f->in, n);
}

struct span rec_pd_until_nul(struct span s)
{
	const uint8_t *nul = s.n ? memchr(s.p, 0, s.n) : NULL;

	if (nul)
		s.n = (size_t)(nul - s.p);
	return s;
}

bool rec_pd_text(struct rec_pd_fields *f, size_t room, struct span *out)
{
	struct span all;

	if (!span_take(&f->in, room, &all))
		return false;
	*out = rec_pd_until_nul(all);
	return true;
}

bool rec_pd_string(struct rec_pd_fields *f, struct span *out)
{
	struct rec_pd_fields was = *f;
	uint32_t room;

	if (rec_pd_u32(f, &room) && rec_pd_text(f, room, out))
		return true;
	*f = was;
	return false;
}
