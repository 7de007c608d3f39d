#include "format/columns.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of columns that are read at once, but for the last of them. */
#define RUN_MAX (256u << 10)

struct tf_columns_slot {
	bool there;
	struct tf_part at;   /* its entry comes next */
	bool planned, asked; /* the plan is made; what it needs is counted */
	struct tf_plan plan;
	bool is_key, is_made;
	struct tf_key key;
	const uint64_t *distinct; /* of a key */
	uint64_t *v;              /* of a key */
};

struct tf_columns_keys { /* the key of two columns */
	uint32_t a, b; /* positions */
	bool is_link, is_made;
	struct tf_key key;
};

/* Makes one thing: what all of it needs. */
struct making {
	struct tf_columns *cs;
	struct tf_body *body;
	struct tf_scratch *mem;
	struct err *err;
};

int tf_columns_init(struct tf_columns *cs, const struct tf_table *t,
		    struct err *err)
{
	*cs = (struct tf_columns){ .table = t };
	cs->slots = calloc(t->n_columns + 1u, sizeof(*cs->slots));
	return cs->slots ? 0 : err_nomem(err);
}

void tf_columns_fini(struct tf_columns *cs)
{
	free(cs->slots);
	free(cs->keys);
	*cs = (struct tf_columns){ 0 };
}

void tf_columns_forget(struct tf_columns *cs)
{
	for (uint32_t i = 0; i < cs->table->n_columns; i++) {
		struct tf_columns_slot *s = &cs->slots[i];

		s->planned = s->asked = s->is_key = s->is_made = false;
	}
	cs->n_keys = 0;
	cs->size = 0;
	cs->n_constants = 0;
}

/* Both the part and the table are in ascending order of ids. */
int tf_columns_begin(struct tf_columns *cs, const struct tf_part *part,
		     struct err *err)
{
	const struct tf_table *t = cs->table;
	struct tf_part p = *part, at = p;
	struct tf_entry e;
	uint32_t k = 0;
	int rc;

	tf_columns_forget(cs);
	for (uint32_t i = 0; i < t->n_columns; i++)
		cs->slots[i].there = false;
	while ((rc = tf_part_next(&p, &e, err)) == 0) {
		while (k < t->n_columns && t->columns[k].id < e.column)
			k++;
		if (k < t->n_columns && t->columns[k].id == e.column) {
			cs->slots[k].there = true;
			cs->slots[k].at = at;
		}
		at = p;
	}
	return rc < 0 ? rc : 0;
}

bool tf_columns_there(const struct tf_columns *cs, uint32_t position)
{
	return cs->slots[position].there;
}

int tf_columns_entry(const struct tf_columns *cs, uint32_t position,
		     struct tf_entry *out, struct err *err)
{
	struct tf_part p;

	if (!cs->slots[position].there)
		return 1;
	p = cs->slots[position].at;
	return tf_part_next(&p, out, err);
}

/* What stays above the limits of memory is more than any limit. */
static void add_size(struct tf_columns *cs, uint64_t size)
{
	if (size > SIZE_MAX || ckd_add(&cs->size, cs->size, (size_t)size))
		cs->size = SIZE_MAX;
}

static int make_plan(struct tf_columns *cs, uint32_t position, struct err *err)
{
	struct tf_columns_slot *s = &cs->slots[position];
	struct tf_entry e;
	int rc;

	if (s->planned)
		return 0;
	rc = tf_columns_entry(cs, position, &e, err);
	if (rc == 0)
		rc = tf_plan_take(&s->plan, &cs->table->columns[position],
				  s->at.rows, &e, err);
	if (rc)
		return rc;
	s->planned = true;
	if (s->plan.known)
		add_size(cs, s->plan.size);
	return 0;
}

static int position_of(const struct tf_table *t, uint32_t id, uint32_t *out)
{
	for (uint32_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].id == id) {
			*out = i;
			return 0;
		}
	return 1;
}

/* 1: the schema or the part lacks the column, or it is stored in a way that is
 * not known here. */
static int want_key(struct tf_columns *cs, uint32_t id, uint32_t *position,
		    struct err *err)
{
	struct tf_columns_slot *s;
	int rc = position_of(cs->table, id, position);

	if (rc)
		return rc;
	s = &cs->slots[*position];
	if (!s->there)
		return 1;
	rc = make_plan(cs, *position, err);
	if (rc)
		return err_in(err, rc, "key");
	if (!s->plan.known)
		return 1;
	if (s->plan.is_bytes || s->plan.is_list)
		return err_set(err, ERR_FORMAT, "its key, column %" PRIu32
			       ", is no number", id);
	if (!tf_numbers_distinct(&s->plan.rows))
		return err_set(err, ERR_FORMAT, "its key, column %" PRIu32
			       ", is no dictionary", id);
	if (!s->is_key)
		add_size(cs, tf_numbers_key_size(&s->plan.rows));
	s->is_key = true;
	return 0;
}

static struct tf_columns_keys *keys_of(const struct tf_columns *cs, uint32_t a,
				       uint32_t b, bool is_link)
{
	for (size_t i = 0; i < cs->n_keys; i++)
		if (cs->keys[i].a == a && cs->keys[i].b == b &&
		    cs->keys[i].is_link == is_link)
			return &cs->keys[i];
	return NULL;
}

static uint32_t distinct(const struct tf_columns *cs, uint32_t position)
{
	return tf_numbers_distinct(&cs->slots[position].plan.rows);
}

/* Counts the table that numbers the keys of two columns, and their numbers. */
static int want_both(struct tf_columns *cs, const uint32_t at[2], bool is_link,
		     uint32_t rows, struct err *err)
{
	uint64_t n = distinct(cs, at[1]);

	if (!is_link)
		n *= distinct(cs, at[0]);
	if (n > TF_MAX_KEYS)
		return err_set(err, ERR_LIMIT, "%" PRIu64 " keys, limit %u", n,
			       TF_MAX_KEYS);
	if (keys_of(cs, at[0], at[1], is_link))
		return 0;
	if (!mem_grow(&cs->keys, &cs->keys_cap, cs->n_keys + 1,
		      sizeof(*cs->keys)))
		return err_nomem(err);
	cs->keys[cs->n_keys++] = (struct tf_columns_keys){
		.a = at[0], .b = at[1], .is_link = is_link,
	};
	add_size(cs, tf_scratch_size((size_t)n * sizeof(uint32_t)) +
			     tf_scratch_size(rows * sizeof(uint32_t)));
	return 0;
}

/* The most keys that the rows can have. */
static uint32_t most_keys(const struct tf_columns *cs,
			  const struct tf_numbers *x, const uint32_t at[2])
{
	uint64_t n = distinct(cs, at[0]);

	if (x->is_link)
		return (uint32_t)n + 1;
	if (x->n_keys == 2)
		n *= distinct(cs, at[1]);
	return (uint32_t)(n < x->n ? n : x->n);
}

static int want_keys(struct tf_columns *cs, const struct tf_numbers *x,
		     struct err *err)
{
	uint32_t at[2] = { 0 };
	int rc = 0;

	for (unsigned i = 0; i < x->n_keys && rc == 0; i++)
		rc = want_key(cs, x->keys[i], &at[i], err);
	if (rc == 0 && x->n_keys == 2)
		rc = want_both(cs, at, x->is_link, (uint32_t)x->n, err);
	if (rc == 0)
		add_size(cs, tf_numbers_state_size(most_keys(cs, x, at)));
	return rc;
}

int tf_columns_want(struct tf_columns *cs, uint32_t position,
		    const struct tf_plan **plan, struct err *err)
{
	struct tf_columns_slot *s = &cs->slots[position];
	int rc;

	*plan = NULL;
	if (!s->there)
		return 0;
	rc = make_plan(cs, position, err);
	if (rc == 0 && !s->asked && s->plan.known && s->plan.rows.n_keys)
		rc = want_keys(cs, &s->plan.rows, err);
	if (rc < 0)
		return rc;
	s->asked = true;
	if (rc == 1)
		s->plan.known = false;
	if (s->plan.known)
		*plan = &s->plan;
	return 0;
}

/* Stored bytes of columns that were asked for and lie beside one another. */
struct run {
	uint64_t begin, end;
};

/* A read costs more than what it brings. */
static bool may_join(const struct tf_columns *cs, uint32_t position,
		     const struct run *r, struct tf_entry *e)
{
	return cs->slots[position].asked && r->end - r->begin < RUN_MAX &&
	       tf_columns_entry(cs, position, e, NULL) == 0;
}

static struct run run_around(const struct tf_columns *cs, uint32_t position,
			     const struct tf_entry *e)
{
	uint64_t at = cs->slots[position].at.at;
	struct run r = { at, at + tf_entry_stored(e) };
	struct tf_entry other;

	for (uint32_t i = position + 1; i < cs->table->n_columns; i++) {
		if (!cs->slots[i].there)
			continue;
		if (cs->slots[i].at.at != r.end ||
		    !may_join(cs, i, &r, &other))
			break;
		r.end += tf_entry_stored(&other);
	}
	for (uint32_t i = position; i-- > 0;) {
		if (!cs->slots[i].there)
			continue;
		at = cs->slots[i].at.at;
		if (!may_join(cs, i, &r, &other) ||
		    at + tf_entry_stored(&other) != r.begin)
			break;
		r.begin = at;
	}
	return r;
}

/* Loads the column and says how to decode it. */
static int load(struct making *m, uint32_t position, struct tf_entry *e,
		struct tf_job *j)
{
	int rc = tf_columns_entry(m->cs, position, e, m->err);
	struct run r;

	*j = (struct tf_job){ .entry = e, .body = m->body, .mem = m->mem,
			      .err = m->err };
	if (rc || tf_body_has(m->body, m->cs->slots[position].at.at,
			      tf_entry_stored(e)))
		return rc;
	r = run_around(m->cs, position, e);
	return tf_body_load(m->body, r.begin, r.end - r.begin, m->err);
}

static int make_key(struct making *m, uint32_t position)
{
	struct tf_columns_slot *s = &m->cs->slots[position];
	struct tf_entry e;
	struct tf_job j;
	int rc;

	if (s->is_made)
		return 0;
	rc = load(m, position, &e, &j);
	if (rc == 0)
		rc = tf_numbers_run_key(&s->plan.rows, &j, &s->key,
					&s->distinct, &s->v);
	s->is_made = rc == 0;
	return rc;
}

static void make_keys(struct making *m, struct tf_columns_keys *k, size_t rows)
{
	const struct tf_key *a = &m->cs->slots[k->a].key;
	const struct tf_key *b = &m->cs->slots[k->b].key;
	size_t n = k->is_link ? b->n : (size_t)a->n * b->n;
	uint32_t *place, *to;

	if (k->is_made)
		return;
	place = tf_scratch_take(m->mem, n * sizeof(*place));
	to = tf_scratch_take(m->mem, rows * sizeof(*to));
	if (k->is_link) {
		k->key = tf_key_lag(to, place, a, b, rows);
	} else {
		memset(place, 0, n * sizeof(*place));
		k->key = tf_key_pair(to, place, a, b, rows);
	}
	k->is_made = true;
}

static int predict(struct making *m, const struct tf_numbers *x,
		   struct tf_prediction *out)
{
	struct tf_columns *cs = m->cs;
	struct tf_columns_keys *both;
	uint32_t at[2] = { 0 };
	int rc = 0;

	for (unsigned i = 0; i < x->n_keys && rc == 0; i++) {
		(void)position_of(cs->table, x->keys[i], &at[i]);
		rc = make_key(m, at[i]);
	}
	if (rc)
		return err_in(m->err, rc, "key");
	*out = (struct tf_prediction){ .key = cs->slots[at[0]].key };
	if (x->n_keys == 2) {
		both = keys_of(cs, at[0], at[1], x->is_link);
		make_keys(m, both, x->n);
		out->key = both->key;
	}
	if (x->is_link) {
		out->initial = cs->slots[at[0]].distinct;
		out->n_initial = cs->slots[at[0]].key.n;
	}
	return 0;
}

static bool is_constant(const struct tf_plan *p)
{
	return !p->is_bytes && !p->is_list && tf_numbers_constant(&p->rows);
}

static uint64_t *find_constant(const struct tf_columns *cs, uint64_t value)
{
	for (unsigned i = 0; i < cs->n_constants; i++)
		if (cs->constants[i].value == value)
			return cs->constants[i].v;
	return NULL;
}

static void keep_constant(struct tf_columns *cs, uint64_t value, uint64_t *v)
{
	if (cs->n_constants < ARRAY_LEN(cs->constants))
		cs->constants[cs->n_constants++] =
			(struct tf_columns_constant){ value, v };
}

static int run_plan(struct tf_columns *cs, const struct tf_plan *p,
		    struct tf_job *j, struct tf_values *out)
{
	uint64_t *v = NULL;
	int rc;

	if (is_constant(p))
		v = find_constant(cs, p->rows.value);
	if (v) {
		*out = (struct tf_values){ .present = true, .v = v };
		return 0;
	}
	rc = tf_plan_run(p, j, out);
	if (rc == 0 && is_constant(p))
		keep_constant(cs, p->rows.value, out->v);
	return rc;
}

int tf_columns_run(struct tf_columns *cs, uint32_t position,
		   struct tf_body *body, struct tf_scratch *mem,
		   struct tf_values *out, struct err *err)
{
	struct making m = { cs, body, mem, err };
	struct tf_columns_slot *s = &cs->slots[position];
	struct tf_prediction by;
	struct tf_entry e;
	struct tf_job j;
	int rc = 0;

	if (s->is_key) {
		rc = make_key(&m, position);
		if (rc == 0)
			*out = (struct tf_values){ .present = true, .v = s->v };
		return rc;
	}
	if (s->plan.rows.n_keys)
		rc = predict(&m, &s->plan.rows, &by);
	if (rc == 0)
		rc = load(&m, position, &e, &j);
	if (rc)
		return rc;
	j.by = &by;
	return run_plan(cs, &s->plan, &j, out);
}
