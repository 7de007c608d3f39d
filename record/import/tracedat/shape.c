#include "record/import/tracedat/shape.h"

#include "format/base/mem.h"
#include "record/import/tracedat/bytes.h"
#include "record/proc/procfs.h"
#include "record/tracepoint/field.h"

#include <stdlib.h>
#include <string.h>

/* Of the word that tells where a dynamic array is. */
#define WORD 4u

static uint8_t number_size(uint64_t n)
{
	return n == 2 || n == 4 || n == 8 ? (uint8_t)n : 1;
}

/* Bytes of a number of the type, by its name; 1: it is no number, or one of a
 * byte. */
static uint8_t size_of_type(struct span type, unsigned long_size)
{
	static const struct {
		const char *name;
		uint8_t size; /* 0: that of a long */
	} types[] = {
		{ "u16", 2 }, { "s16", 2 }, { "short", 2 },
		{ "unsigned short", 2 }, { "u32", 4 }, { "s32", 4 },
		{ "__u32", 4 }, { "int", 4 }, { "unsigned int", 4 },
		{ "u64", 8 }, { "s64", 8 }, { "__u64", 8 },
		{ "unsigned long long", 8 }, { "unsigned long", 0 },
		{ "long", 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (span_is(type, types[i].name))
			return types[i].size ? types[i].size :
					       (uint8_t)long_size;
	return 1;
}

static uint8_t element_of(const struct rec_field_line *l, unsigned long_size)
{
	if (l->dynamic || !l->size)
		return size_of_type(l->type, long_size);
	if (span_is(l->type, "char"))
		return 1;
	if (l->is_array)
		return l->length ? number_size(l->size / l->length) : 1;
	return number_size(l->size);
}

static bool is_long(struct span type)
{
	return span_is(type, "unsigned long") || span_is(type, "long");
}

static void put_span(struct buf *b, struct span s)
{
	buf_put(b, s.p, s.n);
}

/* "field:char buf[]; offset:16; size:0" as other formats write it. A long of
 * four bytes gets the name of a type that has as many everywhere. */
static void put_dynamic(struct buf *to, const struct rec_field_line *l,
			unsigned element, bool is_text)
{
	struct span type = l->type;

	if (is_long(type) && element == 4)
		type = span_of("unsigned int", strlen("unsigned int"));
	/* Of bytes that are no text none may be taken for its end. */
	if (span_is(type, "char") && !is_text)
		type = span_of("unsigned char", strlen("unsigned char"));
	buf_printf(to, "\tfield:%s %.*s[] %.*s;\toffset:%u;\tsize:%u;\t"
		   "signed:%d;\n",
		   l->relative ? "__rel_loc" : "__data_loc", (int)type.n,
		   (const char *)type.p, (int)l->name.n,
		   (const char *)l->name.p, (unsigned)l->offset, WORD,
		   l->is_signed);
}

/* The print format with "REC->buf" as a dynamic string is written. */
static void put_print(struct buf *to, struct span line, struct span name)
{
	static const char rec[] = "REC->";
	const size_t n = sizeof(rec) - 1;

	while (line.n) {
		const uint8_t *at = memmem(line.p, line.n, rec, n);
		size_t before = at ? (size_t)(at - line.p) : line.n;
		struct span s;

		(void)span_take(&line, before, &s);
		put_span(to, s);
		if (!at)
			break;
		(void)span_take(&line, n, &s);
		if (line.n >= name.n && !memcmp(line.p, name.p, name.n)) {
			buf_printf(to, "__get_str(%.*s)", (int)name.n,
				   (const char *)name.p);
			(void)span_skip(&line, name.n);
		} else {
			put_span(to, s);
		}
	}
	buf_u8(to, '\n');
}

struct maker {
	struct rec_dat_shape *s;
	unsigned long_size;
	struct span print; /* the print format */
	struct span open;  /* name of the open field, where it is a string */
	struct err *err;
};

/* Whether the print format shows the field as it is: not as "REC->buf[0]". */
static bool is_shown(struct span print, struct span name)
{
	static const char rec[] = "REC->";
	const size_t n = sizeof(rec) - 1;
	const uint8_t *at;

	while (print.n && (at = memmem(print.p, print.n, rec, n)) != NULL) {
		(void)span_skip(&print, (size_t)(at - print.p) + n);
		if (print.n < name.n || memcmp(print.p, name.p, name.n))
			continue;
		return print.n == name.n || print.p[name.n] != '[';
	}
	return false;
}

static int add_field(struct maker *m, const struct rec_field_line *l,
		     uint8_t element)
{
	struct rec_dat_shape *s = m->s;

	if (l->offset > UINT16_MAX || l->size > UINT16_MAX)
		return err_set(m->err, ERR_FORMAT, "field '%.*s' lies beyond "
			       "any record", (int)l->name.n,
			       (const char *)l->name.p);
	if (!mem_grow(&s->fields, &s->cap, s->n + 1, sizeof(*s->fields)))
		return err_nomem(m->err);
	s->fields[s->n++] = (struct rec_dat_field){
		.name = l->name,
		.offset = (uint16_t)l->offset,
		.size = (uint16_t)l->size,
		.element = element,
		.dynamic = l->dynamic,
		.relative = l->relative,
	};
	return 0;
}

static int take_line(struct maker *m, struct span line)
{
	static const char print[] = "print fmt:";
	struct rec_dat_shape *s = m->s;
	struct rec_field_line l;
	uint8_t element;

	if (!rec_field_line(line, &l)) {
		if (m->open.n && line.n > sizeof(print) &&
		    !memcmp(line.p, print, sizeof(print) - 1)) {
			put_print(&s->text, line, m->open);
		} else {
			put_span(&s->text, line);
			buf_u8(&s->text, '\n');
		}
		return 0;
	}
	element = element_of(&l, m->long_size);
	if (!l.size && !l.dynamic && s->open < 0) {
		s->open = (int)s->n;
		if (span_is(l.type, "char") && is_shown(m->print, l.name))
			m->open = l.name;
	}
	if (s->open == (int)s->n ||
	    (l.dynamic && is_long(l.type) && element == 4)) {
		put_dynamic(&s->text, &l, element,
			    l.dynamic || m->open.n);
	} else {
		put_span(&s->text, line);
		buf_u8(&s->text, '\n');
	}
	return add_field(m, &l, element);
}

int rec_dat_shape_init(struct rec_dat_shape *s, struct span text, bool big,
		       unsigned long_size, struct err *err)
{
	static const char print[] = "print fmt:";
	struct maker m = { .s = s, .long_size = long_size, .err = err };
	const uint8_t *at = text.n ? memmem(text.p, text.n, print,
					    sizeof(print) - 1) : NULL;
	struct span line;
	int rc = 0;

	if (at)
		m.print = span_of(at, text.n - (size_t)(at - text.p));

	*s = (struct rec_dat_shape){ .open = -1, .big = big };
	buf_init(&s->text, 0);
	while (rc == 0 && rec_line(&text, &line))
		rc = take_line(&m, line);
	if (rc == 0 && buf_failed(&s->text))
		rc = err_nomem(err);
	return rc;
}

void rec_dat_shape_fini(struct rec_dat_shape *s)
{
	free(s->fields);
	buf_fini(&s->text);
	*s = (struct rec_dat_shape){ 0 };
}

/* Numbers of `element` bytes, as far as they are there. */
static void turn(uint8_t *p, size_t n, uint8_t element)
{
	for (; n >= element && element > 1; p += element, n -= element)
		for (unsigned i = 0; i < element / 2u; i++) {
			uint8_t byte = p[i];

			p[i] = p[element - 1 - i];
			p[element - 1 - i] = byte;
		}
}

/* Where a dynamic array is, by its word, which was turned before. */
static void turn_dynamic(struct buf *b, const struct rec_dat_field *f)
{
	struct span all = span_of(b->p, b->n);
	uint64_t word, at;

	if (!rec_dat_number_at(all, f->offset, WORD, false, &word))
		return;
	at = (word & 0xffff) + (f->relative ? f->offset + WORD : 0u);
	if (at <= b->n && word >> 16 <= b->n - at)
		turn(b->p + at, word >> 16, f->element);
}

/* Only numbers; what is behind the last field is not known. */
static void turn_all(const struct rec_dat_shape *s, struct buf *b)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct rec_dat_field *f = &s->fields[i];
		size_t size = f->size;

		if (f->offset > b->n)
			continue;
		if ((int)i == s->open)
			size = b->n - f->offset;
		if (size > b->n - f->offset)
			continue;
		turn(b->p + f->offset, size,
		     f->dynamic ? (uint8_t)WORD : f->element);
		if (f->dynamic)
			turn_dynamic(b, f);
	}
}

/* The open field moves behind a word that tells its place. */
static void insert_word(struct buf *b, const struct rec_dat_field *f)
{
	size_t at = f->offset + WORD, n;

	if (f->offset > b->n || !buf_room(b, WORD))
		return;
	n = b->n - f->offset;
	n -= n % f->element;
	if (at + n > UINT16_MAX)
		n = UINT16_MAX - at;
	memmove(b->p + at, b->p + f->offset, n);
	b->n = f->offset;
	buf_u32(b, (uint32_t)(n << 16 | at));
	b->n += n;
}

int rec_dat_shape_apply(const struct rec_dat_shape *s, struct span record,
			struct buf *to, struct err *err)
{
	buf_clear(to);
	buf_put(to, record.p, record.n);
	if (!buf_failed(to) && s->big)
		turn_all(s, to);
	if (!buf_failed(to) && s->open >= 0)
		insert_word(to, &s->fields[s->open]);
	return buf_failed(to) ? err_nomem(err) : 0;
}

const struct rec_dat_field *rec_dat_shape_field(const struct rec_dat_shape *s,
						const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (span_is(s->fields[i].name, name))
			return &s->fields[i];
	return NULL;
}

bool rec_dat_shape_number(const struct rec_dat_shape *s, const char *name,
			  struct span record, uint64_t *out)
{
	const struct rec_dat_field *f = rec_dat_shape_field(s, name);

	return f && f->size && f->size <= 8 &&
	       rec_dat_number_at(record, f->offset, f->size, s->big, out);
}

bool rec_dat_shape_bytes(const struct rec_dat_shape *s, const char *name,
			 struct span record, struct span *out)
{
	const struct rec_dat_field *f = rec_dat_shape_field(s, name);
	size_t left;

	if (!f || f->offset > record.n)
		return false;
	left = record.n - f->offset;
	if (f->size > left)
		return false;
	*out = span_of(record.p + f->offset, f->size ? f->size : left);
	return true;
}
