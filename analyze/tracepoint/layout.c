#include "analyze/tracepoint/layout.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FIELDS 512u
#define MAX_NAME 200u /* of a field */

struct maker {
	struct an_layout *out;
	size_t cap;
	const struct tf_table *table;
	bool calls;
	uint32_t long_size;
	unsigned argument;   /* of the system call, counted from its number */
	struct err *err;
};

static bool take_word(struct span *s, const char *text)
{
	size_t n = strlen(text);

	return s->n >= n && memcmp(s->p, text, n) == 0 && span_skip(s, n);
}

static struct span trim(struct span s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		span_skip(&s, 1);
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* What comes before `end`, which is taken, too. */
static bool take_until(struct span *s, uint8_t end, struct span *out)
{
	const uint8_t *at = s->n ? memchr(s->p, end, s->n) : NULL;

	return at && span_take(s, (size_t)(at - s->p), out) &&
	       span_skip(s, 1);
}

static bool take_number(struct span *line, const char *key, uint32_t *out)
{
	struct span s;
	uint32_t v = 0;

	if (!take_until(line, ';', &s))
		return false;
	s = trim(s);
	if (!take_word(&s, key) || !s.n)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || v > AN_MAX_RECORD)
			return false;
		v = v * 10 + (uint32_t)(s.p[i] - '0');
	}
	*out = v;
	return true;
}

int an_payload_column(const struct tf_table *table, struct span name)
{
	for (uint32_t i = TF_PAYLOAD_POSITION; i < table->n_columns; i++)
		if (span_is(name, table->columns[i].name))
			return (int)i;
	return -1;
}

/* Sizes of what may be in a dynamic array; a kernel's `long` is not ours. */
static uint32_t size_of(struct span type, uint32_t long_size)
{
	static const struct {
		const char *name;
		uint8_t size; /* 0: a long */
	} types[] = {
		{ "u16", 2 }, { "s16", 2 }, { "short", 2 },
		{ "unsigned short", 2 }, { "u32", 4 }, { "s32", 4 },
		{ "int", 4 }, { "unsigned int", 4 }, { "pid_t", 4 },
		{ "u64", 8 }, { "s64", 8 }, { "long long", 8 },
		{ "unsigned long long", 8 }, { "long", 0 },
		{ "unsigned long", 0 },
	};

	take_word(&type, "__");
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (span_is(type, types[i].name))
			return types[i].size ? types[i].size : long_size;
	return 8;
}

static bool is_letter(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* Nothing in it surprises the library, which parses it once more. */
static bool is_plain(struct span decl)
{
	int open = 0;

	for (size_t i = 0; i < decl.n; i++) {
		uint8_t c = decl.p[i];

		open += (c == '[') - (c == ']');
		if (open < 0 || open > 1 ||
		    !c || (!is_letter(c) && !strchr(" *[]()+-:", c)))
			return false;
	}
	return open == 0;
}

static bool is_identifier(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_letter(s.p[i]))
			return false;
	return s.n && s.n <= MAX_NAME && !(s.p[0] >= '0' && s.p[0] <= '9');
}

/* "TYPE name", "TYPE name[16]", "__data_loc TYPE[] name"; the words of the type
 * without array and place. */
static bool take_declaration(struct span decl, struct an_field *f,
			     struct span *type)
{
	const uint8_t *open;
	size_t end;

	decl = trim(decl);
	if (!is_plain(decl))
		return false;
	f->relative = take_word(&decl, "__rel_loc ");
	f->dynamic = f->relative || take_word(&decl, "__data_loc ");
	open = decl.n ? memchr(decl.p, '[', decl.n) : NULL;
	if (open && !f->dynamic)
		decl.n = (size_t)(open - decl.p);
	decl = trim(decl);
	for (end = decl.n; end && !strchr(" *]", decl.p[end - 1]); end--)
		;
	f->name = span_of(decl.p + end, decl.n - end);
	*type = trim(span_of(decl.p, end));
	f->pointer = !open && type->n && type->p[type->n - 1] == '*';
	open = type->n ? memchr(type->p, '[', type->n) : NULL;
	if (open)
		*type = trim(span_of(type->p, (size_t)(open - type->p)));
	/* The width of a bit field is behind a colon. */
	open = f->name.n ? memchr(f->name.p, ':', f->name.n) : NULL;
	if (open)
		f->name.n = (size_t)(open - f->name.p);
	return is_identifier(f->name);
}

static bool is_number_size(uint32_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

static bool find_head(struct an_field *f)
{
	static const struct {
		const char *name;
		enum an_field_kind kind;
	} head[] = {
		{ "common_type", AN_FIELD_TYPE },
		{ "common_flags", AN_FIELD_FLAGS },
		{ "common_preempt_count", AN_FIELD_PREEMPT },
		{ "common_pid", AN_FIELD_PID },
	};

	for (size_t i = 0; i < ARRAY_LEN(head); i++)
		if (span_is(f->name, head[i].name)) {
			f->kind = head[i].kind;
			return true;
		}
	return f->name.n > 7 && memcmp(f->name.p, "common_", 7) == 0;
}

/* args[0], args[1], …: how many stand one behind another. */
static uint32_t count_columns(const struct tf_table *t, struct span name,
			      uint32_t *first)
{
	char text[MAX_NAME + 16];
	uint32_t n = 0;

	for (;; n++) {
		int len = snprintf(text, sizeof(text), "%.*s[%" PRIu32 "]",
				   (int)name.n, (const char *)name.p, n);
		int at = an_payload_column(t, span_of(text, (size_t)len));

		if (at < 0 || (n && (uint32_t)at != *first + n))
			return n;
		if (!n)
			*first = (uint32_t)at;
	}
}

/* The number of the call, then its arguments; of an exit, what it returned. */
static int call_column(struct maker *m)
{
	char text[24];
	int at;

	if (m->argument == 0) {
		m->argument++;
		return an_payload_column(m->table, span_of("id", 2));
	}
	snprintf(text, sizeof(text), "args[%u]", m->argument - 1);
	at = an_payload_column(m->table, span_of(text, strlen(text)));
	if (at < 0 && m->argument == 1)
		at = an_payload_column(m->table, span_of("ret", 3));
	m->argument++;
	return at;
}

static enum an_field_kind kind_of(const struct tf_column *c,
				  const struct an_field *f)
{
	if (c->list)
		return f->dynamic && is_number_size(f->element) &&
				       (c->type == TF_U64 || c->type == TF_I64) ?
			       AN_FIELD_LIST : AN_FIELD_ABSENT;
	if (c->type == TF_REF)
		return c->ref_table == TF_TABLE_STRING ? AN_FIELD_TEXT :
							 AN_FIELD_ABSENT;
	if (c->type == TF_BYTES)
		return AN_FIELD_BYTES;
	return !f->dynamic && is_number_size(f->size) ? AN_FIELD_NUMBER :
							AN_FIELD_ABSENT;
}

static bool is_taken(const struct maker *m, uint32_t column)
{
	for (size_t i = 0; i < m->out->n; i++)
		if (m->out->v[i].n_columns && m->out->v[i].column == column)
			return true;
	return false;
}

/* Two fields of amdgpu_vm_grab_id have one name, and so have their columns. */
static int own_column(const struct maker *m, struct span name)
{
	for (uint32_t i = TF_PAYLOAD_POSITION; i < m->table->n_columns; i++)
		if (span_is(name, m->table->columns[i].name) && !is_taken(m, i))
			return (int)i;
	return -1;
}

static void find_columns(struct maker *m, struct an_field *f,
			 struct span type)
{
	int at = m->calls ? call_column(m) : own_column(m, f->name);

	f->kind = AN_FIELD_ABSENT;
	f->element = f->dynamic ? size_of(type, m->long_size) : f->size;
	if (at >= 0) {
		f->column = (uint32_t)at;
		f->n_columns = 1;
		f->kind = kind_of(&m->table->columns[at], f);
		return;
	}
	f->n_columns = f->dynamic ? 0 : count_columns(m->table, f->name,
						      &f->column);
	if (!f->n_columns)
		return;
	f->element = f->size / f->n_columns;
	if (is_number_size(f->element) &&
	    f->element * f->n_columns == f->size)
		f->kind = AN_FIELD_NUMBERS;
}

static int add_field(struct maker *m, struct an_field *f, struct span type)
{
	struct an_layout *l = m->out;

	if (f->offset > AN_MAX_RECORD || f->size > AN_MAX_RECORD - f->offset)
		return err_set(m->err, ERR_FORMAT, "field '%.*s' lies beyond "
			       "any record", (int)f->name.n,
			       (const char *)f->name.p);
	if (f->dynamic && f->size != 4)
		return err_set(m->err, ERR_FORMAT, "field '%.*s' has a place "
			       "of %" PRIu32 " bytes", (int)f->name.n,
			       (const char *)f->name.p, f->size);
	if (l->n == MAX_FIELDS)
		return err_set(m->err, ERR_LIMIT, "more than %u fields",
			       MAX_FIELDS);
	f->kind = AN_FIELD_ABSENT;
	if (!find_head(f))
		find_columns(m, f, type);
	if (!mem_grow(&l->v, &m->cap, l->n + 1, sizeof(*l->v)))
		return err_nomem(m->err);
	l->v[l->n++] = *f;
	if (f->offset + f->size > l->size)
		l->size = f->offset + f->size;
	return 0;
}

static int take_field(struct maker *m, struct span line)
{
	struct an_field f = { 0 };
	struct span decl, type;
	uint32_t is_signed = 0;

	if (!take_until(&line, ';', &decl) ||
	    !take_number(&line, "offset:", &f.offset) ||
	    !take_number(&line, "size:", &f.size) ||
	    (trim(line).n && !take_number(&line, "signed:", &is_signed)) ||
	    trim(line).n || !take_declaration(decl, &f, &type))
		return err_set(m->err, ERR_FORMAT, "a field of it is not "
			       "understood");
	f.is_signed = is_signed != 0;
	return add_field(m, &f, type);
}

/* A record must say of which tracepoint it is. */
static int check(const struct an_layout *l, struct err *err)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].kind == AN_FIELD_TYPE && l->v[i].size == 2)
			return 0;
	return err_set(err, ERR_FORMAT, "it has no field 'common_type'");
}

int an_layout_make(struct an_layout *out, struct span format,
		   const struct tf_table *table, bool calls, uint32_t long_size,
		   struct err *err)
{
	struct an_layout l = { 0 };
	struct maker m = { .out = &l, .table = table, .calls = calls,
			   .long_size = long_size, .err = err };
	struct span line;
	bool whole = false;
	int rc = 0;

	while (!rc && !whole && take_until(&format, '\n', &line)) {
		line = trim(line);
		whole = take_word(&line, "print fmt:");
		if (take_word(&line, "field:"))
			rc = take_field(&m, line);
	}
	if (!rc && !whole)
		rc = err_set(err, ERR_FORMAT, "it has no print format");
	if (!rc)
		rc = check(&l, err);
	if (rc) {
		an_layout_fini(&l);
		return rc;
	}
	*out = l;
	return 0;
}

static void set_field(struct an_field *f, const struct tf_column *c)
{
	bool number = c->type != TF_REF && c->type != TF_BYTES;

	f->name = span_of(c->name, strlen(c->name));
	f->is_signed = c->type == TF_I64;
	f->dynamic = c->list || !number;
	f->size = f->dynamic ? 4 : 8;
	f->element = 8;
	f->kind = c->list && !number ? AN_FIELD_ABSENT : kind_of(c, f);
}

int an_layout_of_table(struct an_layout *out, const struct tf_table *table,
		       struct err *err)
{
	struct an_layout l = { 0 };

	l.v = calloc(table->n_columns + 1u, sizeof(*l.v));
	if (!l.v)
		return err_nomem(err);
	for (uint32_t i = TF_PAYLOAD_POSITION; i < table->n_columns; i++) {
		struct an_field *f = &l.v[l.n++];

		set_field(f, &table->columns[i]);
		f->column = i;
		f->n_columns = 1;
		f->offset = l.size;
		l.size += f->size;
	}
	*out = l;
	return 0;
}

void an_layout_fini(struct an_layout *l)
{
	free(l->v);
	*l = (struct an_layout){ 0 };
}
