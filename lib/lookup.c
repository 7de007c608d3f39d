#include "lib/lookup.h"

#include "format/catalog.h"

#include <stdlib.h>

int ct_lookup_new(struct ct_lookup **out, const struct ct_trace *trace,
		  struct ct_error *error)
{
	struct ct_lookup *l = calloc(1, sizeof(*l));
	struct err err;

	if (!l)
		return ct_fail(error, err_nomem(&err), &err);
	l->trace = trace;
	l->epochs.reader = trace->reader;
	*out = l;
	return 0;
}

void ct_lookup_free(struct ct_lookup *lookup)
{
	if (!lookup)
		return;
	ct_epochs_fini(&lookup->epochs);
	ct_facts_fini(&lookup->facts);
	free(lookup);
}

static struct span text_of(const struct ct_kept *c, uint32_t row)
{
	return span_of(c->bytes + c->offsets[row],
		       c->offsets[row + 1] - c->offsets[row] - 1);
}

int ct_string(struct ct_lookup *l, uint32_t epoch, uint64_t id,
	      struct span *out, struct err *err)
{
	const struct tf_table *t =
		tf_schema_by_id(tf_reader_schema(l->trace->reader),
				TF_TABLE_STRING);
	const struct ct_store *store;
	const struct ct_kept *c;
	uint32_t row;
	int rc = ct_epochs_table(&l->epochs, epoch, t, &store, err);

	if (rc)
		return rc;
	c = ct_store_find(store, id, TF_STRING_BYTES, &row);
	if (c && c->bytes) {
		*out = text_of(c, row);
		return 0;
	}
	/* Row 0 is the empty string, written or not. */
	*out = span_of("", 0);
	return id || c;
}

int ct_lookup_string(struct ct_lookup *lookup, uint32_t epoch, uint64_t id,
		     const char **text, size_t *size, struct ct_error *error)
{
	struct err err = { 0 };
	struct span s = { 0 };
	int rc = ct_string(lookup, epoch, id, &s, &err);

	if (rc == 0) {
		*text = (const char *)s.p;
		*size = s.n;
	}
	return rc < 0 ? ct_fail(error, rc, &err) : rc;
}

const char *ct_lookup_name(struct ct_lookup *lookup, uint32_t epoch,
			   uint64_t id)
{
	struct err err = { 0 };
	struct span s = { 0 };
	int rc = ct_string(lookup, epoch, id, &s, &err);

	if (rc < 0 && !lookup->failure.code)
		lookup->failure = err;
	return rc ? "?" : (const char *)s.p;
}

int ct_lookup_failure(const struct ct_lookup *lookup, struct ct_error *error)
{
	int rc = lookup->failure.code;

	return rc ? ct_fail(error, rc, &lookup->failure) : 0;
}

/* Finds the column of a row. 1: it is not there. */
static int find(struct ct_lookup *l, const struct ct_table *table,
		uint32_t epoch, uint64_t id, size_t position,
		const struct ct_kept **out, uint32_t *row, struct err *err)
{
	const struct ct_store *store;
	int rc;

	if (!table || table->kind != CT_DEFINITION)
		return err_set(err, ERR_USAGE, "table '%s' is no definition",
			       table ? table->name : "");
	if (position >= table->n_columns ||
	    ct_table_column(table, position)->list)
		return err_set(err, ERR_USAGE, "table '%s' has no column at "
			       "position %zu, or it is a list", table->name,
			       position);
	rc = ct_epochs_table(&l->epochs, epoch, ct_table_inside(table),
			     &store, err);
	if (rc)
		return rc;
	*out = ct_store_find(store, id, position, row);
	return !*out;
}

int ct_lookup_u64(struct ct_lookup *lookup, const struct ct_table *table,
		  uint32_t epoch, uint64_t id, size_t position, uint64_t *out,
		  struct ct_error *error)
{
	const struct ct_kept *c = NULL;
	struct err err = { 0 };
	uint32_t row = 0;
	int rc = find(lookup, table, epoch, id, position, &c, &row, &err);

	if (rc == 0 && ct_table_column(table, position)->type == CT_BYTES)
		rc = err_set(&err, ERR_USAGE, "table '%s': column '%s' is no "
			     "number", table->name,
			     ct_table_column(table, position)->name);
	if (rc)
		return rc < 0 ? ct_fail(error, rc, &err) : rc;
	if (!c->v)
		return 1;
	*out = c->v[row];
	return 0;
}

static int find_text(struct ct_lookup *l, const struct ct_table *table,
		     uint32_t epoch, uint64_t id, size_t position,
		     struct span *out, struct err *err)
{
	const struct ct_column *column;
	const struct ct_kept *c = NULL;
	uint32_t row = 0;
	int rc = find(l, table, epoch, id, position, &c, &row, err);

	if (rc)
		return rc;
	column = ct_table_column(table, position);
	if (column->type == CT_REF && column->ref_table == TF_TABLE_STRING)
		return c->v ? ct_string(l, epoch, c->v[row], out, err) : 1;
	if (column->type != CT_BYTES)
		return err_set(err, ERR_USAGE, "table '%s': column '%s' is no "
			       "text", table->name, column->name);
	if (!c->bytes)
		return 1;
	*out = text_of(c, row);
	return 0;
}

int ct_lookup_text(struct ct_lookup *lookup, const struct ct_table *table,
		   uint32_t epoch, uint64_t id, size_t position,
		   const char **text, size_t *size, struct ct_error *error)
{
	struct err err = { 0 };
	struct span s = { 0 };
	int rc = find_text(lookup, table, epoch, id, position, &s, &err);

	if (rc == 0) {
		*text = (const char *)s.p;
		*size = s.n;
	}
	return rc < 0 ? ct_fail(error, rc, &err) : rc;
}
