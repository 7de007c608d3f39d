#include "analyze/rewrite/marks.h"

#include "format/base/mem.h"
#include "format/layout.h"

#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX /* it refers to no row below */

void an_wanted_init(struct an_wanted *need, size_t n_tables, uint64_t rows)
{
	*need = (struct an_wanted){ .n_tables = n_tables, .left = rows };
}

void an_wanted_fini(struct an_wanted *need)
{
	for (size_t i = 0; i < need->n; i++) {
		for (size_t k = 0; k < need->n_tables; k++) {
			free(need->v[i].tables[k].v);
			free(need->v[i].tables[k].below);
		}
		free(need->v[i].tables);
	}
	free(need->v);
	*need = (struct an_wanted){ .n = 0 };
}

static size_t place_of(const struct an_wanted *need, uint32_t number)
{
	size_t low = 0, high = need->n;

	if (need->last < need->n && need->v[need->last].number == number)
		return need->last;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (need->v[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct an_wanted_epoch *epoch_of(struct an_wanted *need, uint32_t number,
				      struct err *err)
{
	size_t at = place_of(need, number);
	struct an_row_marks *tables;

	if (at == need->n || need->v[at].number != number) {
		tables = calloc(need->n_tables + 1, sizeof(*tables));
		if (!tables || !mem_grow(&need->v, &need->cap, need->n + 1,
					 sizeof(*need->v))) {
			free(tables);
			err_nomem(err);
			return NULL;
		}
		memmove(need->v + at + 1, need->v + at,
			(need->n - at) * sizeof(*need->v));
		need->v[at] = (struct an_wanted_epoch){ number, tables };
		need->n++;
	}
	need->last = at;
	return &need->v[at];
}

/* Room for `row`; 1: there is no such row. */
static int make_room(struct an_wanted *need, struct an_row_marks *m,
		     uint64_t row, struct err *err)
{
	uint64_t more;

	if (row < m->n)
		return 0;
	if (row - m->n >= need->left || row >= TF_MAX_DEFINITIONS)
		return 1;
	more = row - m->n + 1;
	if (!mem_grow(&m->v, &m->cap, (size_t)row + 1, sizeof(*m->v)))
		return err_nomem(err);
	memset(m->v + m->n, 0, (size_t)more);
	m->n += (size_t)more;
	need->left -= more;
	return 0;
}

int an_wanted_mark(struct an_wanted *need, uint32_t epoch, uint32_t table,
		 uint64_t row, struct err *err)
{
	struct an_wanted_epoch *e = epoch_of(need, epoch, err);
	int rc = e ? make_room(need, &e->tables[table], row, err) : ERR_NOMEM;

	if (!rc)
		e->tables[table].v[row] = 1;
	return rc < 0 ? rc : 0;
}

bool an_wanted_has(const struct an_wanted *need, uint32_t epoch, uint32_t table,
		 uint64_t row)
{
	size_t at = place_of(need, epoch);

	return at < need->n && need->v[at].number == epoch &&
	       row < need->v[at].tables[table].n &&
	       need->v[at].tables[table].v[row];
}

int an_wanted_below(struct an_wanted *need, uint32_t epoch, uint32_t table,
		  uint64_t row, uint64_t below, struct err *err)
{
	struct an_wanted_epoch *e = epoch_of(need, epoch, err);
	struct an_row_marks *m;
	int rc;

	if (!e)
		return ERR_NOMEM;
	if (below >= row)
		return 0;
	m = &e->tables[table];
	rc = make_room(need, m, row, err);
	if (rc)
		return rc < 0 ? rc : 0;
	if (m->below_cap < m->cap) {
		uint32_t *v = realloc(m->below, m->cap * sizeof(*v));

		if (!v)
			return err_nomem(err);
		memset(v + m->below_cap, 0xff,
		       (m->cap - m->below_cap) * sizeof(*v));
		m->below = v;
		m->below_cap = m->cap;
	}
	m->below[row] = (uint32_t)below;
	return 0;
}

void an_wanted_carry(struct an_wanted *need, uint32_t table)
{
	for (size_t i = 0; i < need->n; i++) {
		struct an_row_marks *m = &need->v[i].tables[table];

		/* From the top: what is below comes later. */
		for (size_t row = m->n; row-- > 0;)
			if (m->v[row] && row < m->below_cap &&
			    m->below[row] != NOTHING)
				m->v[m->below[row]] = 1;
		free(m->below);
		m->below = NULL;
		m->below_cap = 0;
	}
}
