#include "analyze/columns.h"

#include "format/catalog.h"

static int column_in(const struct tf_table *have, const struct tf_column *want)
{
	int at = tf_table_column(have, want->name);

	if (at < 0 || at >= AN_COLUMNS_MAX)
		return -1;
	if (have->columns[at].type != want->type ||
	    have->columns[at].list != want->list)
		return -1;
	return at;
}

void an_columns_match(struct an_columns *out, const struct tf_table *want,
		      const struct tf_table *have, uint64_t wanted)
{
	out->mask = 0;
	for (unsigned i = 0; i < AN_COLUMNS_MAX; i++) {
		out->at[i] = -1;
		if (!have || i >= want->n_columns || !(wanted >> i & 1))
			continue;
		out->at[i] = column_in(have, &want->columns[i]);
		if (out->at[i] >= 0)
			out->mask |= (uint64_t)1 << out->at[i];
	}
}

bool an_columns_find(struct an_columns *out, const struct tf_reader *r,
		     uint32_t table, uint64_t wanted)
{
	const struct tf_table *have = tf_schema_by_id(tf_reader_schema(r),
						      table);

	an_columns_match(out, tf_catalog_table(table), have, wanted);
	return have != NULL;
}

const uint64_t *an_column(const struct an_columns *c, const struct tf_view *v,
			  unsigned column)
{
	int at = c->at[column];

	return at >= 0 && v->columns[at].present ? v->columns[at].v : NULL;
}

uint64_t an_column_value(const struct an_columns *c, const struct tf_view *v,
			 unsigned column, uint32_t row)
{
	const uint64_t *values = an_column(c, v, column);

	return values ? values[row] : 0;
}

struct span an_column_bytes(const struct an_columns *c,
			    const struct tf_view *v, unsigned column,
			    uint32_t row)
{
	int at = c->at[column];

	if (at < 0 || !v->columns[at].present)
		return (struct span){ 0 };
	return tf_view_bytes(v, (unsigned)at, row);
}
