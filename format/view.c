#include "format/view.h"

#include "format/base/mem.h"
#include "format/decode.h"

#include <stdlib.h>
#include <string.h>

int tf_view_init(struct tf_view_maker *m, const struct tf_table *t,
		 uint64_t columns, struct tf_scratch *scratch,
		 struct err *err)
{
	int rc;

	*m = (struct tf_view_maker){ .columns = columns };
	m->view.table = t;
	m->view.scratch = scratch;
	m->view.columns = calloc(t->n_columns ? t->n_columns : 1,
				 sizeof(*m->view.columns));
	if (!m->view.columns)
		return err_nomem(err);
	rc = tf_columns_init(&m->parts, t, err);
	if (rc)
		tf_view_fini(m);
	return rc;
}

void tf_view_fini(struct tf_view_maker *m)
{
	free(m->view.columns);
	tf_columns_fini(&m->parts);
	*m = (struct tf_view_maker){ 0 };
}

static bool wanted(const struct tf_view_maker *m, uint32_t position)
{
	return position >= 64 || (m->columns >> position & 1);
}

static int in_column(const struct tf_view_maker *m, uint32_t position, int rc,
		     struct err *err)
{
	return err_in(err, rc, "column '%s'",
		      m->view.table->columns[position].name);
}

/* The memory that all columns asked for take together: m->parts.size. */
static int add_up(struct tf_view_maker *m, struct err *err)
{
	const struct tf_plan *plan;

	for (uint32_t i = 0; i < m->view.table->n_columns; i++) {
		int rc = wanted(m, i) ? tf_columns_want(&m->parts, i, &plan,
							err) : 0;

		if (rc)
			return in_column(m, i, rc, err);
		if (m->parts.size > TF_MAX_PART_MEMORY)
			return err_set(err, ERR_LIMIT, "columns of more than "
				       "%u bytes", TF_MAX_PART_MEMORY);
	}
	return 0;
}

/* Before any is given. */
static int measure(struct tf_view_maker *m, struct err *err)
{
	int rc = add_up(m, err);

	return rc ? rc : tf_scratch_reset(m->view.scratch, m->parts.size, err);
}

size_t tf_view_size(struct tf_view_maker *m, const struct tf_part *part)
{
	if (tf_columns_begin(&m->parts, part, NULL) || add_up(m, NULL))
		return 0;
	return m->parts.size;
}

static int decode(struct tf_view_maker *m, struct tf_body *body,
		  struct err *err)
{
	const struct tf_plan *plan;

	for (uint32_t i = 0; i < m->view.table->n_columns; i++) {
		int rc = 0;

		if (!wanted(m, i))
			continue;
		rc = tf_columns_want(&m->parts, i, &plan, err);
		m->view.columns[i].skipped = rc == 0 && !plan &&
					     tf_columns_there(&m->parts, i);
		if (rc == 0 && plan)
			rc = tf_columns_run(&m->parts, i, body,
					    m->view.scratch,
					    &m->view.columns[i], err);
		if (rc)
			return in_column(m, i, rc, err);
	}
	return 0;
}

int tf_view_fill(struct tf_view_maker *m, const struct tf_part *part,
		 struct tf_body *body, struct err *err)
{
	struct tf_view *v = &m->view;
	int rc;

	memset(v->columns, 0, v->table->n_columns * sizeof(*v->columns));
	v->rows = part->rows;
	v->base_row = part->base_row;
	v->t_min = part->t_min;
	v->t_max = part->t_max;
	v->watermark = part->watermark;
	rc = tf_columns_begin(&m->parts, part, err);
	if (rc == 0)
		rc = measure(m, err);
	if (rc == 0)
		rc = decode(m, body, err);
	return rc ? err_in(err, rc, "table '%s'", v->table->name) : 0;
}

static const struct tf_only *only_of(const struct tf_query *q, uint32_t column)
{
	for (size_t i = 0; i < TF_MAX_ONLY && q->only[i].any; i++)
		if (q->only[i].column == column)
			return &q->only[i];
	return NULL;
}

static bool rows_may(const struct tf_part *part, const struct tf_query *q,
		     uint32_t epoch)
{
	const struct tf_only *only = only_of(q, TF_ONLY_ROWS);
	uint64_t last;

	if (!only || !part->rows ||
	    ckd_add(&last, part->base_row, (uint64_t)part->rows - 1))
		return true;
	return only->any(only->ctx, epoch, part->base_row, last);
}

/* What is wrong with a part is for decoding to find. */
bool tf_view_may(const struct tf_view_maker *m, const struct tf_part *part,
		 const struct tf_query *q, uint32_t epoch)
{
	const struct tf_table *t = m->view.table;
	struct tf_part p = *part;
	struct tf_entry e;
	struct tf_plan plan;
	uint32_t at = 0;

	if (!q->only[0].any)
		return true;
	if (!rows_may(part, q, epoch))
		return false;
	while (tf_part_next(&p, &e, NULL) == 0) {
		const struct tf_only *only;

		while (at < t->n_columns && t->columns[at].id < e.column)
			at++;
		if (at == t->n_columns)
			break;
		only = t->columns[at].id == e.column ? only_of(q, at) : NULL;
		if (only && t->columns[at].type != TF_I64 &&
		    tf_plan_take(&plan, &t->columns[at], p.rows, &e,
				 NULL) == 0 && plan.known && plan.has_range &&
		    !only->any(only->ctx, epoch, plan.min, plan.max))
			return false;
	}
	return true;
}

struct span tf_view_bytes(const struct tf_view *v, unsigned column,
			  uint32_t row)
{
	const struct tf_values *c;
	uint32_t at;

	if (column >= v->table->n_columns || row >= v->rows)
		return span_of("", 0);
	c = &v->columns[column];
	if (!c->present || !c->bytes)
		return span_of("", 0);
	at = c->offsets[row];
	return span_of(c->bytes + at, c->offsets[row + 1] - at);
}
