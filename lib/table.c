#include "lib/private.h"

#include <assert.h>
#include <string.h>

static_assert((int)CT_DEFINITION == TF_KIND_DEFINITION &&
		      (int)CT_EVENT == TF_KIND_EVENT &&
		      (int)CT_INTERVAL == TF_KIND_INTERVAL,
	      "kinds are the same");
static_assert((int)CT_U64 == TF_U64 && (int)CT_I64 == TF_I64 &&
		      (int)CT_F64 == TF_F64 && (int)CT_BOOL == TF_BOOL &&
		      (int)CT_BYTES == TF_BYTES && (int)CT_REF == TF_REF,
	      "types are the same");
static_assert((int)CT_ROLE_BLOB == TF_ROLE_BLOB &&
		      (int)CT_PRIVACY_CONTENT == TF_PRIVACY_CONTENT,
	      "roles and classes are the same");

size_t ct_trace_tables(const struct ct_trace *trace)
{
	return trace->n_tables;
}

const struct ct_table *ct_trace_table(const struct ct_trace *trace, size_t i)
{
	return i < trace->n_tables ? &trace->tables[i].open : NULL;
}

const struct ct_table *ct_table_by_name(const struct ct_trace *trace,
					const char *name)
{
	for (size_t i = 0; i < trace->n_tables; i++)
		if (strcmp(trace->tables[i].open.name, name) == 0)
			return &trace->tables[i].open;
	return NULL;
}

const struct ct_table *ct_table_by_id(const struct ct_trace *trace,
				      uint32_t id)
{
	size_t low = 0, high = trace->n_tables;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (trace->tables[mid].open.id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < trace->n_tables && trace->tables[low].open.id == id ?
		       &trace->tables[low].open : NULL;
}

const struct ct_column *ct_table_column(const struct ct_table *table,
					size_t position)
{
	return position < table->n_columns ?
		       &((const struct ct_table_here *)table)
				->columns[position] :
		       NULL;
}

int ct_table_find(const struct ct_table *table, const char *name)
{
	return tf_table_column(ct_table_inside(table), name);
}

int ct_table_times(const struct ct_trace *trace, const struct ct_table *table,
		   uint64_t *min, uint64_t *max, struct ct_error *error)
{
	struct err err = { 0 };
	uint64_t low, high;
	int rc = tf_reader_bounds(trace->reader, &table->id, 1, &low, &high,
				  &err);

	if (rc == 0) {
		*min = low;
		*max = high;
	}
	return rc < 0 ? ct_fail(error, rc, &err) : rc;
}
