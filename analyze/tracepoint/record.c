#include "analyze/tracepoint/record.h"

#include "format/catalog.h"

#include <string.h>

#define MAX_PLACE UINT16_MAX /* of a dynamic field: offset and size */

static void store(uint8_t *to, uint32_t size, uint64_t v)
{
	uint32_t v32 = (uint32_t)v;
	uint16_t v16 = (uint16_t)v;

	switch (size) {
	case 1:
		*to = (uint8_t)v;
		break;
	case 2:
		memcpy(to, &v16, 2);
		break;
	case 4:
		memcpy(to, &v32, 4);
		break;
	case 8:
		memcpy(to, &v, 8);
		break;
	}
}

uint64_t an_record_number(const struct an_field *f, const uint8_t *p)
{
	uint64_t v64 = 0;
	uint32_t v32;
	uint16_t v16;

	switch (f->element) {
	case 1:
		return f->is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		memcpy(&v16, p, 2);
		return f->is_signed ? (uint64_t)(int16_t)v16 : v16;
	case 4:
		memcpy(&v32, p, 4);
		return f->is_signed ? (uint64_t)(int32_t)v32 : v32;
	case 8:
		memcpy(&v64, p, 8);
		break;
	}
	return v64;
}

static uint64_t value_of(const struct an_record_row *r, uint32_t column)
{
	const struct tf_values *c = &r->view->columns[column];

	return c->present && c->v ? c->v[r->row] : 0;
}

static struct span text_of(const struct an_record_row *r, uint32_t column)
{
	uint64_t row = value_of(r, column);
	uint32_t id = !r->epoch ? AN_NONE :
		      an_ids_get(&r->epoch->ids[AN_SPACE_STRING], row);

	return row ? an_string(r->t, id) : span_of("", 0);
}

static size_t cut(size_t n, size_t room)
{
	return n < room ? n : room;
}

/* What a dynamic field has behind the fixed part, cut to what its word can
 * say. */
struct body {
	struct span bytes;
	const uint64_t *items; /* of a list */
	size_t n;              /* bytes, with the zero of a text */
};

static struct body body_of(const struct an_field *f,
			   const struct an_record_row *r)
{
	const struct tf_values *c = &r->view->columns[f->column];
	struct body b = { .bytes = span_of("", 0) };

	switch (f->kind) {
	case AN_FIELD_TEXT:
		b.bytes = text_of(r, f->column);
		b.n = b.bytes.n + 1;
		break;
	case AN_FIELD_BYTES:
		b.bytes = tf_view_bytes(r->view, f->column, r->row);
		b.n = b.bytes.n;
		break;
	case AN_FIELD_LIST:
		if (!c->present || !c->items)
			break;
		b.items = c->items + c->offsets[r->row];
		b.n = (size_t)(c->offsets[r->row + 1] - c->offsets[r->row]) *
		      f->element;
		break;
	default: /* a text that nobody kept is empty */
		b.n = 1;
	}
	return b;
}

static void put_dynamic(struct buf *to, size_t start, const struct an_field *f,
			const struct an_record_row *r)
{
	struct body b = body_of(f, r);
	size_t at = to->n - start, base = 0, room;
	uint8_t *p;

	if (f->relative)
		base = f->offset + f->size;
	room = at < MAX_PLACE ? MAX_PLACE - at : 0;
	b.n = cut(b.n, room);
	if (b.items)
		b.n -= b.n % f->element;
	p = buf_room(to, b.n);
	if (!p)
		return;
	memset(p, 0, b.n);
	if (b.items)
		for (size_t i = 0; i < b.n / f->element; i++)
			store(p + i * f->element, f->element, b.items[i]);
	else if (b.n)
		memcpy(p, b.bytes.p, cut(b.bytes.n,
				f->kind == AN_FIELD_TEXT ? b.n - 1 : b.n));
	to->n += b.n;
	if (!b.n)
		at = base; /* perhaps out of reach */
	store(to->p + start + f->offset, 4, (uint64_t)b.n << 16 | (at - base));
}

static void put_fixed(uint8_t *record, const struct an_field *f,
		      const struct an_record_row *r)
{
	uint8_t *to = record + f->offset;
	struct span s;

	switch (f->kind) {
	case AN_FIELD_TYPE:
		store(to, f->size, r->type);
		break;
	case AN_FIELD_FLAGS:
		store(to, f->size, value_of(r, TF_PAYLOAD_FLAGS));
		break;
	case AN_FIELD_PREEMPT:
		store(to, f->size, value_of(r, TF_PAYLOAD_PREEMPT));
		break;
	case AN_FIELD_PID:
		store(to, f->size, (uint64_t)r->tid);
		break;
	case AN_FIELD_NUMBER:
	case AN_FIELD_NUMBERS:
		for (uint32_t i = 0; i < f->n_columns; i++)
			store(to + i * f->element, f->element,
			      value_of(r, f->column + i));
		break;
	case AN_FIELD_TEXT:
	case AN_FIELD_BYTES:
		s = f->kind == AN_FIELD_TEXT ?
			    text_of(r, f->column) :
			    tf_view_bytes(r->view, f->column, r->row);
		if (s.n)
			memcpy(to, s.p, cut(s.n, f->size));
		break;
	default:
		break;
	}
}

void an_record_put(struct buf *to, const struct an_layout *l,
		   const struct an_record_row *r)
{
	size_t start = to->n;

	buf_zero(to, l->size);
	for (size_t i = 0; i < l->n && !buf_failed(to); i++) {
		const struct an_field *f = &l->v[i];

		if (f->dynamic)
			put_dynamic(to, start, f, r);
		else
			put_fixed(to->p + start, f, r);
	}
}

struct span an_record_field(const struct an_field *f, struct span record)
{
	struct span at = record, word;
	uint32_t v;

	if (!span_skip(&at, f->offset) || !span_take(&at, f->size, &word))
		return span_of("", 0);
	if (!f->dynamic)
		return word;
	memcpy(&v, word.p, sizeof(v));
	at = record;
	if (!span_skip(&at, (v & 0xffff) +
				    (f->relative ? f->offset + f->size : 0)) ||
	    !span_take(&at, v >> 16, &word))
		return span_of("", 0);
	return word;
}

static void json_number(struct json *j, const char *key,
			const struct an_field *f, const uint8_t *p)
{
	uint64_t v = an_record_number(f, p);

	if (f->is_signed)
		json_i64(j, key, (int64_t)v);
	else
		json_u64(j, key, v);
}

static void json_bytes(struct json *j, const char *key, struct span s)
{
	json_array(j, key);
	for (size_t i = 0; i < s.n; i++)
		json_u64(j, NULL, s.p[i]);
	json_end_array(j);
}

static void json_numbers(struct json *j, const char *key,
			 const struct an_field *f, struct span s)
{
	json_array(j, key);
	for (size_t i = 0; f->element && i + f->element <= s.n;
	     i += f->element)
		json_number(j, NULL, f, s.p + i);
	json_end_array(j);
}

static void json_field(struct json *j, const char *key,
		       const struct an_field *f, struct span s)
{
	const uint8_t *end;

	switch (f->kind) {
	case AN_FIELD_NUMBER:
		if (s.n == f->element)
			json_number(j, key, f, s.p);
		break;
	case AN_FIELD_NUMBERS:
	case AN_FIELD_LIST:
		json_numbers(j, key, f, s);
		break;
	case AN_FIELD_TEXT:
		end = s.n ? memchr(s.p, 0, s.n) : NULL;
		json_text(j, key, end ? span_of(s.p, (size_t)(end - s.p)) : s);
		break;
	case AN_FIELD_BYTES:
		json_bytes(j, key, s);
		break;
	default:
		break;
	}
}

void an_record_json(struct json *j, const struct an_layout *l,
		    struct span record)
{
	char key[256];

	for (size_t i = 0; i < l->n; i++) {
		const struct an_field *f = &l->v[i];
		size_t n = cut(f->name.n, sizeof(key) - 1);

		memcpy(key, f->name.p, n);
		key[n] = 0;
		json_field(j, key, f, an_record_field(f, record));
	}
}
