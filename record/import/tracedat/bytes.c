#include "record/import/tracedat/bytes.h"

uint64_t rec_dat_number(const uint8_t *p, size_t size, bool big)
{
	uint64_t v = 0;

	if (size > sizeof(v))
		return 0;
	for (size_t i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * (big ? size - 1 - i : i);
	return v;
}

bool rec_dat_number_at(struct span record, uint64_t offset, uint64_t size,
		       bool big, uint64_t *out)
{
	if (offset > record.n || size > record.n - offset)
		return false;
	*out = rec_dat_number(record.p + offset, size, big);
	return true;
}

static bool take(struct rec_dat_bytes *b, size_t size, uint64_t *out)
{
	struct span s;

	if (!span_take(&b->s, size, &s))
		return false;
	*out = rec_dat_number(s.p, size, b->big);
	return true;
}

bool rec_dat_u16(struct rec_dat_bytes *b, uint16_t *out)
{
	uint64_t v;

	if (!take(b, sizeof(*out), &v))
		return false;
	*out = (uint16_t)v;
	return true;
}

bool rec_dat_u32(struct rec_dat_bytes *b, uint32_t *out)
{
	uint64_t v;

	if (!take(b, sizeof(*out), &v))
		return false;
	*out = (uint32_t)v;
	return true;
}

bool rec_dat_u64(struct rec_dat_bytes *b, uint64_t *out)
{
	return take(b, sizeof(*out), out);
}
