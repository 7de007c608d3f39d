#include "record/tracepoint/payload.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <string.h>

/* Of struct trace_entry, which begins each record. */
#define ENTRY_FLAGS 2
#define ENTRY_PREEMPT 3

/* A list as long as a page of bytes; the kernel's records are no larger. */
#define MAX_ITEMS 8192u

/* false: not all of it is there. */
static bool inside(struct span raw, size_t offset, size_t size)
{
	return offset <= raw.n && size <= raw.n - offset;
}

static uint64_t load(const uint8_t *p, unsigned size, bool is_signed)
{
	uint64_t v = 0;
	uint32_t v32;
	uint16_t v16;

	switch (size) {
	case 8:
		memcpy(&v, p, 8);
		return v;
	case 4:
		memcpy(&v32, p, 4);
		return is_signed ? (uint64_t)(int64_t)(int32_t)v32 : v32;
	case 2:
		memcpy(&v16, p, 2);
		return is_signed ? (uint64_t)(int64_t)(int16_t)v16 : v16;
	default:
		return is_signed ? (uint64_t)(int64_t)(int8_t)*p : *p;
	}
}

static uint32_t string_id(struct rec_payload *p, const uint8_t *text,
			  size_t size)
{
	return rec_defs_string(p->defs, text,
			       strnlen((const char *)text, size));
}

/* A fixed field of REC_PAYLOAD_NAME bytes: what stands behind the zero tells
 * keys apart, too, which costs an entry and changes nothing. */
static uint32_t name_id(struct rec_payload *p, const uint8_t *text)
{
	uint32_t epoch = rec_sink_epoch(p->defs->sink) + 1;
	struct rec_payload_name *name;
	uint64_t key[2];

	memcpy(key, text, sizeof(key));
	name = &p->names[((key[0] ^ key[1] * 3) * 0x9e3779b97f4a7c15u) >> 56];
	if (name->epoch == epoch && name->key[0] == key[0] &&
	    name->key[1] == key[1])
		return name->id;
	name->id = string_id(p, text, REC_PAYLOAD_NAME);
	name->epoch = epoch;
	name->key[0] = key[0];
	name->key[1] = key[1];
	return name->id;
}

/* Where a dynamic field is; false: beyond the record. */
static bool locate(const struct rec_field *f, struct span raw,
		   struct span *out)
{
	size_t offset, size;
	uint32_t word;

	if (!inside(raw, f->offset, sizeof(word)))
		return false;
	memcpy(&word, raw.p + f->offset, sizeof(word));
	offset = word & 0xffff;
	size = word >> 16;
	if (f->relative)
		offset += f->offset + sizeof(word);
	if (!inside(raw, offset, size))
		return false;
	*out = span_of(raw.p + offset, size);
	return true;
}

static void set_list(struct tf_builder *b, unsigned column,
		     const struct rec_field *f, struct span s)
{
	uint64_t items[64];
	size_t n = s.n / f->element, filled = 0;

	for (size_t i = 0; i < n && i < MAX_ITEMS; i++) {
		items[filled++] = load(s.p + i * f->element, f->element,
				       f->is_signed);
		if (filled == ARRAY_LEN(items)) {
			tf_builder_list(b, column, items, filled);
			filled = 0;
		}
	}
	tf_builder_list(b, column, items, filled);
}

static void set_field(struct rec_payload *p, const struct rec_field *f,
		      struct span raw, struct tf_builder *b, unsigned column)
{
	struct span s = { 0 };
	uint64_t v;

	if (f->kind >= REC_FIELD_DYN_STRING) {
		if (!locate(f, raw, &s))
			p->cut++;
	} else if (inside(raw, f->offset, f->size)) {
		s = span_of(raw.p + f->offset, f->size);
	} else {
		p->cut++;
	}
	switch (f->kind) {
	case REC_FIELD_NUMBER:
		v = s.n ? load(s.p, f->element, f->is_signed) : 0;
		tf_builder_set(b, column, v);
		if (f->is_code)
			rec_stacks_touch_kernel(p->stacks, v);
		break;
	case REC_FIELD_STRING:
	case REC_FIELD_DYN_STRING:
		v = !s.n ? 0 :
		    f->kind == REC_FIELD_STRING && s.n == REC_PAYLOAD_NAME ?
			   name_id(p, s.p) : string_id(p, s.p, s.n);
		tf_builder_set(b, column, v);
		break;
	case REC_FIELD_BYTES:
	case REC_FIELD_DYN_BYTES:
		tf_builder_bytes(b, column, s.p, s.n);
		break;
	case REC_FIELD_DYN_LIST:
		set_list(b, column, f, s);
		break;
	}
}

void rec_payload_set(struct rec_payload *p, const struct rec_tracepoint *t,
		     struct span raw, struct tf_builder *b)
{
	bool whole = inside(raw, 0, ENTRY_PREEMPT + 1);

	tf_builder_set(b, TF_PAYLOAD_FLAGS, whole ? raw.p[ENTRY_FLAGS] : 0);
	tf_builder_set(b, TF_PAYLOAD_PREEMPT,
		       whole ? raw.p[ENTRY_PREEMPT] : 0);
	for (size_t i = 0; i < t->n; i++)
		set_field(p, &t->fields[i], raw, b,
			  TF_PAYLOAD_POSITION + (unsigned)i);
}

bool rec_payload_number(uint64_t *out, const struct rec_tracepoint *t,
			size_t field, struct span raw)
{
	const struct rec_field *f = field < t->n ? &t->fields[field] : NULL;

	if (!f || f->kind != REC_FIELD_NUMBER ||
	    !inside(raw, f->offset, f->size))
		return false;
	*out = load(raw.p + f->offset, f->element, false);
	return true;
}

uint32_t rec_payload_key(const struct rec_tracepoint *t, struct span raw)
{
	uint64_t key;

	return rec_payload_number(&key, t, (size_t)t->key, raw) ?
		       (uint32_t)key : UINT32_MAX;
}
