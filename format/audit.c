#include "format/audit.h"

#include "format/catalog.h"
#include "format/columns.h"
#include "format/layout.h"
#include "format/planes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct place { /* what is being checked */
	struct tf_audit *a;
	const struct tf_table *table; /* NULL: not known */
	const struct tf_part *part;
	const struct tf_column *column; /* NULL: the part, or not known */
};

void tf_audit_fini(struct tf_audit *a)
{
	tf_scratch_fini(&a->scratch);
}

bool tf_is_damage(int rc)
{
	return rc == ERR_FORMAT || rc == ERR_LIMIT || rc == ERR_UNSUPPORTED;
}

__attribute__((format(printf, 2, 3))) static void
report(const struct place *at, const char *fmt, ...)
{
	struct err e;
	char what[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	err_set(&e, ERR_FORMAT, "%s", what);
	if (at->column)
		err_in(&e, ERR_FORMAT, "column '%s'", at->column->name);
	if (at->table)
		err_in(&e, ERR_FORMAT, "table '%s'", at->table->name);
	else
		err_in(&e, ERR_FORMAT, "table %" PRIu32, at->part->table);
	at->a->report(at->a->ctx, e.text);
}

/* Reports damage and swallows it; passes on what is no fault of the file. */
static int judge(const struct place *at, int rc, struct err *err)
{
	if (!rc || !tf_is_damage(rc))
		return rc;
	report(at, "%s", err->text);
	return 0;
}

static void check_range(const struct place *at, const struct tf_plan *plan,
			const uint64_t *v)
{
	uint64_t bias = (uint64_t)(at->column->type == TF_I64) << 63;
	struct tf_range r;

	if (!plan->has_range)
		return;
	r = tf_planes_range(v, plan->rows.n, bias);
	if (r.min != plan->min || r.max != plan->max)
		report(at, "smallest and largest value are not as stated");
}

static void check_times(const struct place *at, const uint64_t *v, size_t n)
{
	const struct tf_part *p = at->part;
	struct tf_range r = tf_planes_range(v, n, 0);

	if (!(p->flags & TF_PART_TIMES))
		report(at, "part has times but does not state them");
	else if (r.min != p->t_min || r.max != p->t_max)
		report(at, "times go from %" PRIu64 " to %" PRIu64
		       ", stated are %" PRIu64 " to %" PRIu64, r.min, r.max,
		       p->t_min, p->t_max);
}

/* Row 0 may be referred to even where there is none: it means nothing. */
static void check_refs(const struct place *at, const uint64_t *v, size_t n)
{
	uint32_t to = at->column->ref_table;
	uint64_t there = tf_ledger_rows(at->a->ledger, to);

	if (at->a->ledger->lost || !to)
		return;
	for (size_t i = 0; i < n; i++) {
		if (!v[i] || v[i] < there)
			continue;
		report(at, "row %zu refers to row %" PRIu64 " of table %" PRIu32
		       ", which has %" PRIu64, i, v[i], to, there);
		return;
	}
}

static int check_parents(const struct place *at, const uint64_t *v, size_t n,
			 struct err *err)
{
	uint64_t base = at->part->base_row;
	unsigned deepest;
	int rc;

	for (size_t i = 0; i < n; i++) {
		if (v[i] < base + i || (!v[i] && !(base + i)))
			continue;
		report(at, "stack %" PRIu64 " has the parent %" PRIu64,
		       base + i, v[i]);
		break;
	}
	rc = tf_ledger_stacks(at->a->ledger, base, v, (uint32_t)n, &deepest,
			      err);
	if (rc == 0 && deepest > TF_MAX_STACK_DEPTH)
		report(at, "a stack of more than %u frames",
		       TF_MAX_STACK_DEPTH);
	return rc;
}

static void check_text(const struct place *at, const uint32_t *offsets,
		       size_t n)
{
	for (size_t i = 0; at->column->role == TF_ROLE_TEXT && i < n; i++) {
		uint32_t size = offsets[i + 1] - offsets[i];

		if (size <= TF_MAX_STRING)
			continue;
		report(at, "row %zu has %" PRIu32 " bytes, limit %u", i, size,
		       TF_MAX_STRING);
		return;
	}
}

static const struct tf_column *time_column(const struct tf_table *t)
{
	for (uint32_t i = 0; i < t->n_columns; i++)
		if (tf_column_is_time(&t->columns[i]))
			return &t->columns[i];
	return NULL;
}

static int check_values(const struct place *at, const struct tf_plan *plan,
			const struct tf_values *v, struct err *err)
{
	const struct tf_column *c = at->column;

	if (v->v)
		check_range(at, plan, v->v);
	if (v->v && c == time_column(at->table))
		check_times(at, v->v, plan->rows.n);
	if (c->type == TF_REF && v->v)
		check_refs(at, v->v, plan->rows.n);
	if (c->type == TF_REF && v->items)
		check_refs(at, v->items, plan->items.n);
	if (v->bytes)
		check_text(at, v->offsets, plan->rows.n);
	if (at->table->id == TF_TABLE_STACK && c->id == TF_STACK_PARENT &&
	    v->v)
		return check_parents(at, v->v, plan->rows.n, err);
	return 0;
}

/* All that can be checked of a column whose meaning is not known. */
static int check_streams(const struct place *at, const struct tf_entry *e,
			 struct tf_body *body, struct err *err)
{
	struct span bytes;
	int rc = tf_body_load(body, e->n_streams ? e->streams[0].at : 0,
			      tf_entry_stored(e), err);

	for (unsigned i = 0; i < e->n_streams && rc == 0; i++)
		rc = tf_body_streams(body, e, i, 1, &bytes, err);
	return rc == ERR_UNSUPPORTED ? 0 : judge(at, rc, err);
}

static int run_column(const struct place *at, struct tf_columns *cs,
		      uint32_t position, struct tf_body *body,
		      struct err *err)
{
	struct tf_scratch *mem = &at->a->scratch;
	const struct tf_plan *plan;
	struct tf_values v;
	int rc = tf_columns_want(cs, position, &plan, err);

	if (rc == 0)
		rc = tf_scratch_reset(mem, cs->size, err);
	if (rc == 0)
		rc = tf_columns_run(cs, position, body, mem, &v, err);
	return rc ? judge(at, rc, err) : check_values(at, plan, &v, err);
}

/* Columns are decoded one at a time, so that the largest part of many columns
 * can be checked. */
static int check_column(const struct place *at, struct tf_columns *cs,
			uint32_t position, const struct tf_entry *e,
			struct tf_body *body, struct err *err)
{
	const struct tf_plan *plan;
	int rc;

	tf_columns_forget(cs);
	rc = tf_columns_want(cs, position, &plan, err);
	if (rc)
		return judge(at, rc, err);
	if (!plan)
		return check_streams(at, e, body, err);
	if (cs->size > TF_MAX_PART_MEMORY) {
		report(at, "%zu bytes when decoded, limit %u", cs->size,
		       TF_MAX_PART_MEMORY);
		return 0;
	}
	return run_column(at, cs, position, body, err);
}

static int check_entries(struct place *at, struct tf_columns *cs,
			 struct tf_body *body, struct err *err)
{
	const struct tf_table *t = at->table;
	struct tf_part p = *at->part;
	uint32_t k = 0;
	struct tf_entry e;
	int rc;

	while ((rc = tf_part_next(&p, &e, err)) == 0) {
		while (t && k < t->n_columns && t->columns[k].id < e.column)
			k++;
		at->column = NULL;
		if (t && k < t->n_columns && t->columns[k].id == e.column)
			at->column = &t->columns[k];
		rc = at->column ? check_column(at, cs, k, &e, body, err) :
				  check_streams(at, &e, body, err);
		if (rc)
			return rc;
	}
	at->column = NULL;
	return rc == 1 ? 0 : judge(at, rc, err);
}

static int check_columns(struct place *at, struct tf_body *body,
			 struct err *err)
{
	struct tf_columns cs = { 0 };
	int rc = 0;

	if (at->table)
		rc = tf_columns_init(&cs, at->table, err);
	if (rc == 0 && at->table)
		rc = judge(at, tf_columns_begin(&cs, at->part, err), err);
	if (rc == 0)
		rc = check_entries(at, &cs, body, err);
	tf_columns_fini(&cs);
	return rc;
}

int tf_audit_part(struct tf_audit *a, const struct tf_table *t,
		  const struct tf_part *p, struct tf_body *body,
		  struct err *err)
{
	struct place at = { a, t, p, NULL };
	int rc;

	/* Before the columns: rows may refer to rows of the same part. */
	rc = judge(&at, tf_ledger_add(a->ledger, p->table, p->base_row,
				      p->rows, err), err);
	if (rc)
		return rc;
	if (t && t->kind == TF_KIND_DEFINITION &&
	    (p->base_row > TF_MAX_DEFINITIONS ||
	     p->base_row + p->rows > TF_MAX_DEFINITIONS))
		report(&at, "more than %u rows in an epoch",
		       TF_MAX_DEFINITIONS);
	rc = tf_body_unpack(body, err);
	return rc ? judge(&at, rc, err) : check_columns(&at, body, err);
}
