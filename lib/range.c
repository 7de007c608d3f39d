#include "lib/range.h"

#include "format/base/mem.h"

#include <stdlib.h>
#include <string.h>

void ct_range_init(struct ct_range *r, const struct tf_table *t, uint64_t min,
		   uint64_t max)
{
	*r = (struct ct_range){ .min = min, .max = max, .column = -1 };
	buf_init(&r->bytes, 0);
	if (t->kind == TF_KIND_DEFINITION || (!min && max == UINT64_MAX))
		return;
	for (uint32_t i = t->n_columns; i-- > 0;)
		if (tf_column_is_time(&t->columns[i]))
			r->column = (int)i;
}

void ct_range_fini(struct ct_range *r)
{
	free(r->rows);
	buf_fini(&r->bytes);
}

/* true: all rows stay, and r->rows says nothing. */
static bool choose(struct ct_range *r, const struct tf_view *v)
{
	const uint64_t *time = r->column < 0 ? NULL :
						v->columns[r->column].v;

	r->n = v->rows;
	if (!time || (v->t_min >= r->min && v->t_max <= r->max && v->t_max))
		return true;
	r->n = 0;
	for (uint32_t i = 0; i < v->rows; i++)
		if (time[i] >= r->min && time[i] <= r->max)
			r->rows[r->n++] = i;
	return r->n == v->rows;
}

static void move_values(const struct ct_range *r, uint64_t *v)
{
	for (size_t i = 0; i < r->n; i++)
		v[i] = v[r->rows[i]];
}

/* What each row has of `size` bytes an item moves up in `to`, which may be
 * `from`; the offsets become those there. */
static void move_pieces(const struct ct_range *r, uint32_t *offsets,
			uint8_t *to, const uint8_t *from, size_t size)
{
	uint32_t used = 0;

	for (size_t i = 0; i < r->n; i++) {
		uint32_t at = offsets[r->rows[i]];
		uint32_t n = offsets[r->rows[i] + 1] - at;

		if (n)
			memmove(to + used * size, from + at * size, n * size);
		offsets[i] = used;
		used += n;
	}
	offsets[r->n] = used;
}

static size_t bytes_left(const struct ct_range *r, const struct tf_values *c)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += c->offsets[r->rows[i] + 1] - c->offsets[r->rows[i]];
	return n;
}

/* The bytes of a view are not ours to move: room for those of all columns, so
 * that what was given once stays where it is. */
static int make_room(struct ct_range *r, const struct tf_view *v,
		     struct err *err)
{
	size_t n = 0;

	for (uint32_t i = 0; i < v->table->n_columns; i++)
		if (v->columns[i].present && v->columns[i].bytes)
			n += bytes_left(r, &v->columns[i]);
	buf_clear(&r->bytes);
	return buf_room(&r->bytes, n + 1) ? 0 : err_nomem(err);
}

static void move_column(struct ct_range *r, struct tf_values *c)
{
	if (!c->present)
		return;
	if (c->v) {
		move_values(r, c->v);
	} else if (c->bytes) {
		uint8_t *to = r->bytes.p + r->bytes.n;

		r->bytes.n += bytes_left(r, c);
		move_pieces(r, c->offsets, to, c->bytes, 1);
		c->bytes = to;
	} else {
		move_pieces(r, c->offsets, (uint8_t *)c->items,
			    (const uint8_t *)c->items, sizeof(*c->items));
	}
}

int ct_range_apply(struct ct_range *r, const struct tf_view *v,
		   struct err *err)
{
	int rc;

	if (!mem_grow(&r->rows, &r->cap, v->rows, sizeof(*r->rows)))
		return err_nomem(err);
	if (choose(r, v) || !r->n)
		return 0;
	rc = make_room(r, v, err);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < v->table->n_columns; i++)
		move_column(r, &v->columns[i]);
	return 0;
}
