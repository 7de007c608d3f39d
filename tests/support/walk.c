#include "tests/support/walk.h"

#include "format/base/mem.h"

#include <string.h>

static uint64_t mix(uint64_t sum, uint64_t v)
{
	sum = (sum ^ v) * 0x9e3779b97f4a7c15u;
	return sum ^ sum >> 29;
}

static uint64_t mix_all(uint64_t sum, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum = mix(sum, v[i]);
	return sum;
}

static uint64_t mix_column(uint64_t sum, const struct tf_values *v,
			   uint32_t rows)
{
	sum = mix(sum, v->present);
	if (!v->present)
		return sum;
	if (v->v)
		sum = mix_all(sum, v->v, rows);
	for (uint32_t i = 0; v->offsets && i <= rows; i++)
		sum = mix(sum, v->offsets[i]);
	if (v->items)
		sum = mix_all(sum, v->items, v->offsets[rows]);
	for (uint32_t i = 0; v->bytes && i < v->offsets[rows]; i++)
		sum = mix(sum, v->bytes[i]);
	return sum;
}

static uint64_t sum_of(const struct tf_view *v)
{
	uint64_t sum = mix(v->table->id, v->epoch);

	sum = mix(mix(sum, v->rows), v->base_row);
	sum = mix(mix(mix(sum, v->t_min), v->t_max), v->watermark);
	for (uint32_t i = 0; i < v->table->n_columns; i++)
		sum = mix_column(sum, &v->columns[i], v->rows);
	return sum;
}

static void walk_table(struct walk *w, const struct tf_reader *r, uint32_t id)
{
	struct tf_query q = { .table = id, .columns = UINT64_MAX };
	const struct tf_view *v;
	struct tf_cursor *c;
	int rc = tf_cursor_new(&c, r, &q, &w->err);

	if (rc) {
		w->failed = rc;
		return;
	}
	while ((rc = tf_cursor_next(c, &v, &w->err)) != 1) {
		if (rc == ERR_NOMEM || rc == ERR_IO)
			w->failed = rc;
		w->damaged += rc < 0;
		if (rc < 0)
			continue;
		w->rows += v->rows;
		if (w->n < ARRAY_LEN(w->sums))
			w->sums[w->n++] = sum_of(v);
	}
	tf_cursor_free(c);
}

void walk_all(struct walk *w, const struct tf_reader *r)
{
	const struct tf_schema *s = tf_reader_schema(r);

	memset(w, 0, sizeof(*w));
	for (size_t i = 0; i < s->n; i++)
		walk_table(w, r, s->tables[i]->id);
}
