#include "record/tracepoint/format.h"

#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/layout.h"
#include "record/proc/procfs.h"
#include "record/tracepoint/field.h"
#include "record/tracepoint/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A record of the kernel's ring is no larger than a page. */
#define MAX_RECORD UINT16_MAX

struct maker {
	struct rec_tracepoint *t;
	size_t columns_cap, fields_cap;
	struct span print; /* of the print format */
	struct err *err;
};

/* Those of `sample`, then the two of every tracepoint. */
static int common_columns(struct maker *m)
{
	static const struct tf_column more[] = {
		{ .id = TF_PAYLOAD_FLAGS, .name = "common_flags",
		  .type = TF_U64, .unit = "", .role = TF_ROLE_ID,
		  .privacy = TF_PRIVACY_NUMBER },
		{ .id = TF_PAYLOAD_PREEMPT, .name = "common_preempt_count",
		  .type = TF_U64, .unit = "", .role = TF_ROLE_ID,
		  .privacy = TF_PRIVACY_NUMBER },
	};
	const struct tf_table *sample = tf_catalog_table(TF_TABLE_SAMPLE);
	struct rec_tracepoint *t = m->t;

	if (!mem_grow(&t->columns, &m->columns_cap, 32, sizeof(*t->columns)))
		return err_nomem(m->err);
	for (uint32_t i = 0; i < sample->n_columns; i++)
		t->columns[i] = sample->columns[i];
	for (uint32_t i = 0; i < ARRAY_LEN(more); i++)
		t->columns[sample->n_columns + i] = more[i];
	t->table.n_columns = TF_PAYLOAD_POSITION;
	return 0;
}

static void set_type(struct tf_column *c, const struct rec_field *f)
{
	c->type = f->is_signed ? TF_I64 : TF_U64;
	/* Of few bytes planes are small as they are; of eight they are
	 * pointers and the like, which come again. */
	c->role = f->element == 8 ? TF_ROLE_ID : TF_ROLE_VALUE;
	switch (f->kind) {
	case REC_FIELD_STRING:
	case REC_FIELD_DYN_STRING:
		c->type = TF_REF;
		c->ref_table = TF_TABLE_STRING;
		c->role = TF_ROLE_VALUE;
		break;
	case REC_FIELD_BYTES:
	case REC_FIELD_DYN_BYTES:
		c->type = TF_BYTES;
		c->unit = "bytes";
		c->role = TF_ROLE_BLOB;
		break;
	case REC_FIELD_DYN_LIST:
		c->list = true;
		c->role = TF_ROLE_VALUE;
		break;
	case REC_FIELD_NUMBER:
		break;
	}
}

static int add_column(struct maker *m, const struct rec_field_line *l,
		      const struct rec_field *f, unsigned i, unsigned n)
{
	struct rec_tracepoint *t = m->t;
	struct tf_column c = {
		.id = TF_PAYLOAD_FIRST + (uint32_t)t->n,
		.unit = "",
		.privacy = rec_field_privacy(l, f, t->is_syscall),
	};
	char *name;
	int len;

	if (t->table.n_columns >= TF_MAX_COLUMNS)
		return err_set(m->err, ERR_LIMIT, "%s:%s has more than %u "
			       "fields", t->system, t->name, TF_MAX_COLUMNS);
	if (!mem_grow(&t->columns, &m->columns_cap, t->table.n_columns + 1u,
		      sizeof(*t->columns)) ||
	    !mem_grow(&t->fields, &m->fields_cap, t->n + 1, sizeof(*t->fields)))
		return err_nomem(m->err);
	len = n > 1 ? asprintf(&name, "%.*s[%u]", (int)l->name.n,
			       (const char *)l->name.p, i) :
		      asprintf(&name, "%.*s", (int)l->name.n,
			       (const char *)l->name.p);
	if (len < 0)
		return err_nomem(m->err);
	c.name = name;
	set_type(&c, f);
	if (n == 1 && strcmp(name, "id") == 0)
		t->key = (int)t->n;
	t->columns[t->table.n_columns++] = c;
	t->fields[t->n] = *f;
	t->fields[t->n].offset = (uint16_t)(f->offset + i * f->size);
	t->n++;
	return 0;
}

static int add_field(struct maker *m, const struct rec_field_line *l)
{
	struct rec_field f;
	unsigned n;
	int rc = 0;

	if (l->offset > MAX_RECORD || l->size > MAX_RECORD ||
	    l->offset + l->size > MAX_RECORD)
		return err_set(m->err, ERR_FORMAT, "format of %s:%s: field "
			       "'%.*s' lies beyond any record", m->t->system,
			       m->t->name, (int)l->name.n,
			       (const char *)l->name.p);
	/* A flexible array that the kernel does not say the place of. */
	if (!l->size)
		return 0;
	f = rec_field_of(l, &n);
	f.is_code = f.kind == REC_FIELD_NUMBER && f.element == 8 &&
		    rec_field_is_code(m->print, l->name);
	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = add_column(m, l, &f, i, n);
	return rc;
}

static bool is_common(struct span name)
{
	static const char common[] = "common_";
	const size_t n = sizeof(common) - 1;

	return name.n > n && memcmp(name.p, common, n) == 0;
}

static struct span print_of(struct span text)
{
	static const char key[] = "print fmt: ";
	const uint8_t *at = text.n ? memmem(text.p, text.n, key,
					    sizeof(key) - 1) : NULL;

	if (at)
		(void)span_skip(&text, (size_t)(at - text.p) +
					       sizeof(key) - 1);
	else
		text.n = 0;
	return text;
}

static bool take_id(struct span line, uint64_t *id)
{
	static const char key[] = "ID: ";
	const size_t n = sizeof(key) - 1;

	return line.n > n && memcmp(line.p, key, n) == 0 &&
	       span_skip(&line, n) && rec_number(line, 10, id);
}

static int parse(struct maker *m, struct span text)
{
	struct rec_tracepoint *t = m->t;
	struct rec_field_line l;
	bool common = false, id = false;
	struct span line;
	int rc = common_columns(m);

	m->print = print_of(text);
	while (rc == 0 && rec_line(&text, &line)) {
		id = id || take_id(line, &t->id);
		if (!rec_field_line(line, &l))
			continue;
		if (is_common(l.name))
			common = true;
		else
			rc = add_field(m, &l);
	}
	if (rc == 0 && (!common || !id))
		rc = err_set(m->err, ERR_FORMAT, "the format file of %s:%s "
			     "has no %s", t->system, t->name,
			     id ? "common fields" : "ID");
	return rc;
}

static int table_of(struct rec_tracepoint *t, uint32_t number, struct err *err)
{
	char *name;

	if (asprintf(&name, "%s:%s", t->system, t->name) < 0)
		return err_nomem(err);
	t->table.id = number;
	t->table.name = name;
	t->table.kind = TF_KIND_EVENT;
	t->table.columns = t->columns;
	return 0;
}

int rec_tracepoint_new(struct rec_tracepoint **out, const char *system,
		       const char *name, struct span text, uint32_t table,
		       struct err *err)
{
	struct rec_tracepoint *t = calloc(1, sizeof(*t));
	struct maker m = { .t = t, .err = err };
	int rc;

	if (!t)
		return err_nomem(err);
	t->key = -1;
	t->system = strdup(system);
	t->name = strdup(name);
	t->text = malloc(text.n + 1);
	if (!t->system || !t->name || !t->text) {
		rec_tracepoint_free(t);
		return err_nomem(err);
	}
	memcpy(t->text, text.p, text.n);
	t->text[text.n] = 0;
	t->text_size = text.n;
	t->is_syscall = strcmp(system, "raw_syscalls") == 0 ||
			strcmp(system, "syscalls") == 0;
	rc = parse(&m, span_of(t->text, t->text_size));
	if (rc == 0)
		rc = table_of(t, table, err);
	if (rc < 0) {
		rec_tracepoint_free(t);
		return rc;
	}
	rec_tracepoint_keys(t->columns, t->table.n_columns, system, name);
	*out = t;
	return 0;
}

void rec_tracepoint_free(struct rec_tracepoint *t)
{
	if (!t)
		return;
	for (uint32_t i = TF_PAYLOAD_POSITION; i < t->table.n_columns; i++)
		free((char *)(uintptr_t)t->columns[i].name);
	free((char *)(uintptr_t)t->table.name);
	free(t->columns);
	free(t->fields);
	free(t->system);
	free(t->name);
	free(t->text);
	free(t);
}
