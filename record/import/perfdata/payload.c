#include "record/import/perfdata/payload.h"

#include <string.h>

static void turn(uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size / 2; i++) {
		uint8_t b = p[i];

		p[i] = p[size - 1 - i];
		p[size - 1 - i] = b;
	}
}

static void turn_all(uint8_t *p, size_t size, size_t element)
{
	for (size_t i = 0; element && i + element <= size; i += element)
		turn(p + i, element);
}

/* The list that a word, now in native form, points to. */
static void turn_list(const struct rec_field *f, uint8_t *p, size_t n)
{
	uint32_t word;
	size_t offset, size;

	memcpy(&word, p + f->offset, sizeof(word));
	offset = word & 0xffff;
	size = word >> 16;
	if (f->relative)
		offset += f->offset + sizeof(word);
	if (offset <= n && size <= n - offset)
		turn_all(p + offset, size, f->element);
}

static void turn_field(const struct rec_field *f, uint8_t *p, size_t n)
{
	bool dynamic = f->kind >= REC_FIELD_DYN_STRING;
	size_t size = dynamic ? sizeof(uint32_t) : f->size;

	if (f->offset > n || size > n - f->offset)
		return;
	if (dynamic)
		turn(p + f->offset, size);
	else if (f->kind == REC_FIELD_NUMBER)
		turn(p + f->offset, f->element);
	if (f->kind == REC_FIELD_DYN_LIST)
		turn_list(f, p, n);
}

struct span rec_pd_payload_turn(const struct rec_tracepoint *format,
				struct span raw, uint8_t *to)
{
	if (!format || !raw.n || raw.n > REC_PD_PAYLOAD_MAX)
		return span_of(NULL, 0);
	memcpy(to, raw.p, raw.n);
	for (size_t i = 0; i < format->n; i++)
		turn_field(&format->fields[i], to, raw.n);
	return span_of(to, raw.n);
}
