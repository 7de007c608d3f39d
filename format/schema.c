#include "format/schema.h"

#include "format/base/mem.h"
#include "format/base/varint.h"
#include "format/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int tf_table_column(const struct tf_table *t, const char *name)
{
	for (uint32_t i = 0; i < t->n_columns; i++)
		if (strcmp(t->columns[i].name, name) == 0)
			return (int)i;
	return -1;
}

const struct tf_column *tf_table_column_of(const struct tf_table *t,
					   uint32_t id)
{
	uint32_t low = 0, high = t->n_columns;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (t->columns[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->n_columns && t->columns[low].id == id ?
		       &t->columns[low] : NULL;
}

static void put_string(struct buf *out, const char *s)
{
	size_t n = strlen(s);

	buf_varint(out, n);
	buf_put(out, s, n);
}

/* A thing is prefixed by its length, which is known only behind it: the bytes
 * are made in place and moved up by the few bytes of the length. */
static void end_counted(struct buf *out, size_t begin)
{
	uint8_t prefix[VARINT_MAX];
	size_t n = out->n - begin;
	size_t width = varint_put(prefix, n);

	if (!buf_room(out, width))
		return;
	memmove(out->p + begin + width, out->p + begin, n);
	memcpy(out->p + begin, prefix, width);
	out->n += width;
}

static void put_column(struct buf *out, const struct tf_column *c)
{
	size_t begin = out->n;

	buf_varint(out, c->id);
	put_string(out, c->name);
	buf_varint(out, (uint64_t)c->type);
	buf_varint(out, c->list);
	put_string(out, c->unit);
	buf_varint(out, c->ref_table);
	buf_varint(out, (uint64_t)c->role);
	buf_varint(out, (uint64_t)c->privacy);
	if (c->key || c->second || c->link) {
		buf_varint(out, c->key);
		buf_varint(out, c->second);
		buf_varint(out, c->link);
	}
	end_counted(out, begin);
}

static void put_table(struct buf *out, const struct tf_table *t)
{
	size_t begin = out->n;

	buf_varint(out, t->id);
	put_string(out, t->name);
	buf_varint(out, (uint64_t)t->kind);
	buf_varint(out, t->n_columns);
	for (uint32_t i = 0; i < t->n_columns; i++)
		put_column(out, &t->columns[i]);
	end_counted(out, begin);
}

void tf_schema_put(struct buf *out, const struct tf_table *const *tables,
		   size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_table(out, tables[i]);
}

static bool take_small(struct span *in, uint64_t limit, uint32_t *out)
{
	struct span at = *in;
	uint64_t v;

	if (!span_varint(&at, &v) || v > limit)
		return false;
	*in = at;
	*out = (uint32_t)v;
	return true;
}

/* A number of a list that later versions add to: what does not fit is none that
 * is known. */
static bool take_word(struct span *in, uint32_t *out)
{
	uint64_t v;

	if (!span_varint(in, &v))
		return false;
	*out = v < UINT8_MAX ? (uint32_t)v : UINT8_MAX;
	return true;
}

static bool take_counted(struct span *in, struct span *out)
{
	uint32_t n;

	return take_small(in, UINT32_MAX, &n) && span_take(in, n, out);
}

static int take_string(struct arena *memory, struct span *in, const char **out,
		       struct err *err)
{
	struct span s;

	if (!take_counted(in, &s))
		return err_set(err, ERR_FORMAT, "name cut short");
	if (s.n > TF_MAX_STRING)
		return err_set(err, ERR_LIMIT, "name of %zu bytes, limit %u",
			       s.n, TF_MAX_STRING);
	if (s.n && memchr(s.p, 0, s.n))
		return err_set(err, ERR_FORMAT, "name with a zero byte");
	*out = arena_dup(memory, s.p, s.n);
	return *out ? 0 : err_nomem(err);
}

/* Lists of bytes and what is neither one value nor a list are, like type 0, of
 * no type that is known here. */
static void settle_type(struct tf_column *c, uint32_t type, uint32_t list)
{
	c->type = list > 1 || (list && type == TF_BYTES) ? TF_UNKNOWN :
							   (enum tf_type)type;
	c->list = list != 0;
	if (c->type != TF_REF)
		c->ref_table = 0;
}

/* Numbers of later versions are kept as they are: such a column is absent for
 * this reader, its role is only a hint, its privacy unknown. */
static int take_column(struct arena *memory, struct span in,
		       struct tf_column *out, struct err *err)
{
	uint32_t type, list, role, privacy;
	struct tf_column c;
	int rc;

	if (!take_small(&in, UINT32_MAX, &c.id))
		return err_set(err, ERR_FORMAT, "column cut short");
	rc = take_string(memory, &in, &c.name, err);
	if (rc)
		return rc;
	if (!take_word(&in, &type) || !take_word(&in, &list))
		return err_set(err, ERR_FORMAT, "column '%s': bad type",
			       c.name);
	rc = take_string(memory, &in, &c.unit, err);
	if (rc)
		return rc;
	if (!take_small(&in, UINT32_MAX, &c.ref_table) ||
	    !take_word(&in, &role) || !take_word(&in, &privacy))
		return err_set(err, ERR_FORMAT, "column '%s' cut short",
			       c.name);
	c.key = c.second = c.link = 0;
	if (in.n && (!take_small(&in, UINT32_MAX, &c.key) ||
		     !take_small(&in, UINT32_MAX, &c.second) ||
		     !take_small(&in, UINT32_MAX, &c.link)))
		return err_set(err, ERR_FORMAT, "column '%s': bad keys",
			       c.name);
	settle_type(&c, type, list);
	c.role = (enum tf_role)role;
	c.privacy = (enum tf_privacy)privacy;
	*out = c;
	return 0;
}

static int take_columns(struct arena *memory, struct span *in,
			struct tf_column *to, uint32_t n, struct err *err)
{
	for (uint32_t i = 0; i < n; i++) {
		struct span entry;
		int rc;

		if (!take_counted(in, &entry))
			return err_set(err, ERR_FORMAT, "column cut short");
		rc = take_column(memory, entry, &to[i], err);
		if (rc)
			return rc;
		if (i && to[i].id <= to[i - 1].id)
			return err_set(err, ERR_FORMAT,
				       "column '%s' out of order", to[i].name);
	}
	return 0;
}

static int take_table(struct arena *memory, struct span in,
		      struct tf_table **out, struct err *err)
{
	struct tf_table *t = arena_alloc(memory, sizeof(*t));
	struct tf_column *columns;
	uint32_t kind;
	int rc;

	if (!t)
		return err_nomem(err);
	if (!take_small(&in, UINT32_MAX, &t->id))
		return err_set(err, ERR_FORMAT, "table cut short");
	rc = take_string(memory, &in, &t->name, err);
	if (rc)
		return rc;
	if (!take_word(&in, &kind) ||
	    !take_small(&in, TF_MAX_COLUMNS, &t->n_columns) || !t->n_columns ||
	    t->n_columns > in.n)
		return err_set(err, ERR_FORMAT, "table '%s': bad kind or "
			       "number of columns", t->name);
	t->kind = (enum tf_kind)kind;
	columns = arena_alloc(memory, t->n_columns * sizeof(*columns));
	if (!columns)
		return err_nomem(err);
	t->columns = columns;
	rc = take_columns(memory, &in, columns, t->n_columns, err);
	if (rc)
		return err_in(err, rc, "table '%s'", t->name);
	*out = t;
	return 0;
}

/* Position of the first table whose id is not below. */
static size_t position(const struct tf_schema *s, uint32_t id)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->tables[mid]->id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int check_same(const struct tf_table *t, const struct tf_column *a,
		      const struct tf_column *b, struct err *err)
{
	if (a->type == b->type && a->list == b->list &&
	    a->ref_table == b->ref_table)
		return 0;
	return err_set(err, ERR_FORMAT,
		       "table '%s': column '%s' does not have its known type",
		       t->name, a->name);
}

static int copy_column(struct arena *memory, struct tf_column *to,
		       const struct tf_column *c, struct err *err)
{
	*to = *c;
	to->name = arena_dup(memory, c->name, strlen(c->name));
	to->unit = arena_dup(memory, c->unit, strlen(c->unit));
	return to->name && to->unit ? 0 : err_nomem(err);
}

/* How many columns of `fresh` `known` lacks; those both have must agree. */
static int count_new(const struct tf_table *known, const struct tf_table *fresh,
		     uint32_t *out, struct err *err)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < fresh->n_columns; i++) {
		const struct tf_column *c = &fresh->columns[i];
		const struct tf_column *have = tf_table_column_of(known, c->id);
		int rc = have ? check_same(known, have, c, err) : 0;

		if (rc)
			return rc;
		n += !have;
	}
	*out = n;
	return 0;
}

static int merge_columns(struct arena *memory, struct tf_column *to,
			 const struct tf_table *a, const struct tf_table *b,
			 struct err *err)
{
	uint32_t i = 0, k = 0;
	int rc = 0;

	while (rc == 0 && (i < a->n_columns || k < b->n_columns)) {
		bool from_a = k == b->n_columns ||
			      (i < a->n_columns &&
			       a->columns[i].id <= b->columns[k].id);

		if (from_a) {
			if (k < b->n_columns &&
			    a->columns[i].id == b->columns[k].id)
				k++;
			*to++ = a->columns[i++];
		} else {
			rc = copy_column(memory, to++, &b->columns[k++], err);
		}
	}
	return rc;
}

/* Announced again: columns that were not known are added. */
static int extend(struct tf_schema *s, size_t at, const struct tf_table *fresh,
		  struct err *err)
{
	const struct tf_table *known = s->tables[at];
	struct tf_column *columns;
	struct tf_table *t;
	uint32_t n;
	int rc = count_new(known, fresh, &n, err);

	if (rc || !n)
		return rc;
	if (known->n_columns + n > TF_MAX_COLUMNS)
		return err_set(err, ERR_LIMIT, "table '%s': more than %u "
			       "columns", known->name, TF_MAX_COLUMNS);
	t = arena_alloc(&s->memory, sizeof(*t));
	columns = arena_alloc(&s->memory,
			      (known->n_columns + n) * sizeof(*columns));
	if (!t || !columns)
		return err_nomem(err);
	*t = *known;
	t->n_columns = known->n_columns + n;
	t->columns = columns;
	rc = merge_columns(&s->memory, columns, known, fresh, err);
	if (rc == 0)
		s->tables[at] = t;
	return rc;
}

static int insert(struct tf_schema *s, size_t at, struct tf_table *t,
		  struct err *err)
{
	if (s->n >= TF_MAX_TABLES)
		return err_set(err, ERR_LIMIT, "more than %u tables",
			       TF_MAX_TABLES);
	if (!mem_grow(&s->tables, &s->cap, s->n + 1, sizeof(*s->tables)))
		return err_nomem(err);
	memmove(s->tables + at + 1, s->tables + at,
		(s->n - at) * sizeof(*s->tables));
	s->tables[at] = t;
	s->n++;
	return 0;
}

static int take_one(struct tf_schema *s, struct span in, struct err *err)
{
	struct arena spare = { 0 };
	struct span peek = in;
	struct tf_table *t = NULL;
	uint32_t id;
	bool known;
	size_t at;
	int rc;

	if (!take_small(&peek, UINT32_MAX, &id))
		return err_set(err, ERR_FORMAT, "table cut short");
	at = position(s, id);
	known = at < s->n && s->tables[at]->id == id;
	rc = take_table(known ? &spare : &s->memory, in, &t, err);
	if (rc == 0)
		rc = known ? extend(s, at, t, err) : insert(s, at, t, err);
	arena_fini(&spare);
	return rc;
}

int tf_schema_take(struct tf_schema *s, struct span body, struct err *err)
{
	while (body.n) {
		struct span entry;
		int rc;

		if (!take_counted(&body, &entry))
			return err_set(err, ERR_FORMAT, "schema cut short");
		rc = take_one(s, entry, err);
		if (rc)
			return err_in(err, rc, "schema");
		if (s->memory.used > TF_MAX_SCHEMA_MEMORY)
			return err_set(err, ERR_LIMIT, "schema of more than %u "
				       "bytes", TF_MAX_SCHEMA_MEMORY);
	}
	return 0;
}

const struct tf_table *tf_schema_by_id(const struct tf_schema *s, uint32_t id)
{
	size_t at = position(s, id);

	return at < s->n && s->tables[at]->id == id ? s->tables[at] : NULL;
}

const struct tf_table *tf_schema_by_name(const struct tf_schema *s,
					 const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->tables[i]->name, name) == 0)
			return s->tables[i];
	return NULL;
}

void tf_schema_fini(struct tf_schema *s)
{
	free(s->tables);
	arena_fini(&s->memory);
	*s = (struct tf_schema){ 0 };
}
