#include "analyze/rewrite/shape.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>

/* References that are stored as row + 1. */
static const struct {
	uint32_t table, column, to;
} rows_and_one[] = {
	{ TF_TABLE_EVENT, TF_EVENT_TRACEPOINT, TF_TABLE_TRACEPOINT },
	{ TF_TABLE_LOSS, TF_LOSS_EVENT, TF_TABLE_EVENT },
	{ TF_TABLE_SERIES, TF_SERIES_EVENT, TF_TABLE_EVENT },
};

/* Tables refer to each other in chains of a few; longer ones are of a file that
 * was made to keep us busy, and their order does not matter. */
#define MAX_RANK 32u

void an_shape_fini(struct an_shape *s)
{
	tf_schema_fini(&s->schema);
	free(s->v);
	free(s->order);
	arena_fini(&s->memory);
	*s = (struct an_shape){ 0 };
}

void an_renumber_fini(struct an_renumber *r)
{
	free(r->v);
	*r = (struct an_renumber){ 0 };
}

bool an_renumber_get(const struct an_renumber *r, uint64_t from, uint32_t *to)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->v[mid].from < from)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == r->n || r->v[low].from != from)
		return false;
	*to = r->v[low].to;
	return true;
}

uint32_t an_shape_find(const struct an_shape *s, uint32_t table)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->v[mid].table->id < table)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n && s->v[low].table->id == table ? (uint32_t)low :
							     AN_NOWHERE;
}

static bool is_storable(const struct tf_column *c)
{
	return c->type >= TF_U64 && c->type <= TF_REF &&
	       !(c->list && c->type == TF_BYTES);
}

static bool is_number(const struct tf_table *t, uint32_t id)
{
	for (uint32_t i = 0; i < t->n_columns; i++) {
		const struct tf_column *c = &t->columns[i];

		if (c->id == id)
			return !c->list && (c->type == TF_U64 ||
					    c->type == TF_I64 ||
					    c->type == TF_REF);
	}
	return false;
}

/* What predicts a column has to be a number, and another one. */
static uint32_t predictor(const struct tf_table *t, const struct tf_column *c,
			  uint32_t id_and_one)
{
	return id_and_one && id_and_one - 1 != c->id &&
	       is_number(t, id_and_one - 1) ? id_and_one : 0;
}

/* How many are left out. */
static size_t copy_columns(struct tf_table *to, struct tf_column *columns,
			   const struct tf_table *t)
{
	to->columns = columns;
	to->n_columns = 0;
	for (uint32_t i = 0; i < t->n_columns; i++) {
		struct tf_column *c = &columns[to->n_columns];

		if (!is_storable(&t->columns[i]))
			continue;
		*c = t->columns[i];
		c->key = predictor(t, c, c->key);
		c->second = c->key ? predictor(t, c, c->second) : 0;
		c->link = c->key ? predictor(t, c, c->link) : 0;
		to->n_columns++;
	}
	return t->n_columns - to->n_columns;
}

static int put_table(struct an_shape *s, const struct tf_table *t,
		     struct err *err)
{
	struct buf b;
	int rc;

	buf_init(&b, 0);
	tf_schema_put(&b, &t, 1);
	rc = buf_failed(&b) ? err_nomem(err) :
			      tf_schema_take(&s->schema, span_of(b.p, b.n),
					     err);
	buf_fini(&b);
	if (rc == ERR_FORMAT)
		return err_set(err, ERR_UNSUPPORTED, "table '%s' has columns of"
			       " other types than in a trace before this one",
			       t->name);
	return rc;
}

static bool same_column(const struct tf_column *a, const struct tf_column *b)
{
	return a->id == b->id && a->type == b->type && a->list == b->list &&
	       a->ref_table == b->ref_table && strcmp(a->name, b->name) == 0;
}

static bool same_table(const struct tf_table *a, const struct tf_table *b)
{
	if (a->kind != b->kind || a->n_columns != b->n_columns ||
	    strcmp(a->name, b->name) != 0)
		return false;
	for (uint32_t i = 0; i < a->n_columns; i++)
		if (!same_column(&a->columns[i], &b->columns[i]))
			return false;
	return true;
}

/* The number of an equal table, or the first free one from its own on. */
static int number_of(const struct an_shape *s, const struct tf_table *t,
		     uint32_t *to, struct err *err)
{
	*to = t->id;
	for (size_t i = 0; s->n_sources && i < s->schema.n; i++)
		if (s->schema.tables[i]->id >= TF_TABLE_DYNAMIC &&
		    same_table(s->schema.tables[i], t)) {
			*to = s->schema.tables[i]->id;
			return 0;
		}
	while (tf_schema_by_id(&s->schema, *to))
		if (++*to == UINT32_MAX)
			return err_set(err, ERR_LIMIT, "table '%s' finds no "
				       "free number", t->name);
	return 0;
}

/* Numbers below are the same everywhere, as are those of their columns. */
static int check_fixed(const struct an_shape *s, const struct tf_table *t,
		       struct err *err)
{
	const struct tf_table *known = tf_schema_by_id(&s->schema, t->id);

	if (known && strcmp(known->name, t->name) != 0)
		return err_set(err, ERR_UNSUPPORTED, "table %u is '%s' here "
			       "and '%s' in a trace before this one", t->id,
			       t->name, known->name);
	for (uint32_t i = 0; known && i < t->n_columns; i++) {
		const struct tf_column *c = &t->columns[i];
		const struct tf_column *have = tf_table_column_of(known, c->id);

		if (have && !same_column(have, c))
			return err_set(err, ERR_UNSUPPORTED, "table '%s': "
				       "column %u is another one than in a "
				       "trace before this one", t->name,
				       c->id);
	}
	return 0;
}

static int add_table(struct an_shape *s, const struct tf_table *t,
		     struct an_renumber *out, struct err *err)
{
	struct tf_column *columns = calloc(t->n_columns, sizeof(*columns));
	struct tf_table copy = *t;
	int rc = 0;

	if (!columns)
		return err_nomem(err);
	if (t->id == TF_TABLE_INDEX)
		goto done;
	s->left_out += copy_columns(&copy, columns, t);
	if (!copy.n_columns)
		goto done;
	if (t->id >= TF_TABLE_DYNAMIC)
		rc = number_of(s, &copy, &copy.id, err);
	else
		rc = check_fixed(s, &copy, err);
	if (!rc)
		rc = put_table(s, &copy, err);
	if (!rc)
		out->v[out->n++] = (struct an_number){ t->id, copy.id };
done:
	free(columns);
	return rc;
}

int an_shape_add(struct an_shape *s, const struct tf_schema *from,
		 struct an_renumber *out, struct err *err)
{
	int rc = 0;

	*out = (struct an_renumber){ 0 };
	out->v = calloc(from->n + 1, sizeof(*out->v));
	if (!out->v)
		return err_nomem(err);
	for (size_t i = 0; i < from->n && !rc; i++)
		rc = add_table(s, from->tables[i], out, err);
	s->n_sources++;
	return rc;
}

int an_shape_add_sources(struct an_shape *s, struct err *err)
{
	static const struct {
		uint32_t table, column;
		const char *name;
	} places[] = {
		{ TF_TABLE_PROCESS, TF_PROCESS_SOURCE, "source" },
		{ TF_TABLE_THREAD, TF_THREAD_SOURCE, "source" },
		{ TF_TABLE_SERIES, TF_SERIES_MACHINE, "machine" },
	};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(places) && !rc; i++) {
		const struct tf_column column = {
			.id = places[i].column,
			.name = places[i].name,
			.type = TF_U64,
			.unit = "",
			.role = TF_ROLE_ID,
			.privacy = TF_PRIVACY_NUMBER,
		};
		struct tf_table t = *tf_catalog_table(places[i].table);

		t.columns = &column;
		t.n_columns = 1;
		rc = put_table(s, &t, err);
	}
	return rc;
}

static bool is_source(const struct tf_table *t, const struct tf_column *c)
{
	return (t->id == TF_TABLE_PROCESS && c->id == TF_PROCESS_SOURCE) ||
	       (t->id == TF_TABLE_THREAD && c->id == TF_THREAD_SOURCE) ||
	       (t->id == TF_TABLE_SERIES && c->id == TF_SERIES_MACHINE);
}

static struct an_turn turn_of(const struct an_shape *s,
			      const struct tf_table *t,
			      const struct tf_column *c)
{
	if (c->type == TF_REF)
		return (struct an_turn){ AN_TURN_ROW,
					 an_shape_find(s, c->ref_table) };
	if (c->type != TF_U64 || c->list)
		return (struct an_turn){ .kind = AN_TURN_COPY };
	for (size_t i = 0; i < ARRAY_LEN(rows_and_one); i++)
		if (rows_and_one[i].table == t->id &&
		    rows_and_one[i].column == c->id)
			return (struct an_turn){
				AN_TURN_ROW_ONE,
				an_shape_find(s, rows_and_one[i].to)
			};
	if (t->id == TF_TABLE_EVENT && c->id == TF_EVENT_TABLE)
		return (struct an_turn){ .kind = AN_TURN_TABLE };
	if (t->id == TF_TABLE_IMAGE && c->id == TF_IMAGE_GENERATION)
		return (struct an_turn){ .kind = AN_TURN_GENERATION };
	if (is_source(t, c))
		return (struct an_turn){ .kind = AN_TURN_SOURCE };
	return (struct an_turn){ .kind = tf_column_is_time(c) ? AN_TURN_TIME :
								AN_TURN_COPY };
}

static int make_turns(struct an_shape *s, struct an_shape_table *t,
		      struct err *err)
{
	uint32_t n = t->table->n_columns;

	t->turns = arena_alloc(&s->memory, n * sizeof(*t->turns));
	if (!t->turns)
		return err_nomem(err);
	for (uint32_t i = 0; i < n; i++) {
		struct an_turn turn = turn_of(s, t->table,
					      &t->table->columns[i]);

		t->turns[i] = turn;
		if ((turn.kind == AN_TURN_ROW || turn.kind == AN_TURN_ROW_ONE)
		    && turn.to != AN_NOWHERE)
			s->v[turn.to].is_target = true;
	}
	return 0;
}

/* true: a rank rose. */
static bool raise_rank(struct an_shape *s, struct an_shape_table *t)
{
	unsigned rank = t->rank;

	for (uint32_t i = 0; i < t->table->n_columns; i++) {
		const struct an_turn *turn = &t->turns[i];
		const struct an_shape_table *to;

		if ((turn->kind != AN_TURN_ROW &&
		     turn->kind != AN_TURN_ROW_ONE) || turn->to == AN_NOWHERE)
			continue;
		to = &s->v[turn->to];
		if (to != t && to->rank >= t->rank && to->rank < MAX_RANK)
			t->rank = to->rank + 1;
	}
	return t->rank > rank;
}

static void find_ranks(struct an_shape *s)
{
	bool rose = true;

	for (unsigned round = 0; rose && round < MAX_RANK; round++) {
		rose = false;
		for (size_t i = 0; i < s->n; i++)
			rose |= raise_rank(s, &s->v[i]);
	}
}

static int make_order(struct an_shape *s, struct err *err)
{
	unsigned highest = 0;
	size_t n = 0;

	s->order = calloc(s->n + 1, sizeof(*s->order));
	if (!s->order)
		return err_nomem(err);
	for (size_t i = 0; i < s->n; i++)
		highest = s->v[i].rank > highest ? s->v[i].rank : highest;
	for (unsigned rank = 0; rank <= highest; rank++)
		for (size_t i = 0; i < s->n; i++)
			if (s->v[i].rank == rank)
				s->order[n++] = (uint32_t)i;
	return 0;
}

int an_shape_finish(struct an_shape *s, struct err *err)
{
	int rc = 0;

	s->v = calloc(s->schema.n + 1, sizeof(*s->v));
	if (!s->v)
		return err_nomem(err);
	s->n = s->schema.n;
	for (size_t i = 0; i < s->n; i++)
		s->v[i].table = s->schema.tables[i];
	for (size_t i = 0; i < s->n && !rc; i++)
		rc = make_turns(s, &s->v[i], err);
	if (rc)
		return rc;
	for (size_t i = 0; i < s->n; i++)
		s->v[i].is_joined = s->v[i].is_target &&
				    s->v[i].table->kind == TF_KIND_DEFINITION;
	find_ranks(s);
	return make_order(s, err);
}
