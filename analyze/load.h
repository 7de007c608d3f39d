/* Reads the definition tables of a trace and joins its epochs by content. */
#ifndef ANALYZE_LOAD_H
#define ANALYZE_LOAD_H

#include "analyze/columns.h"
#include "analyze/trace_data.h"

/* Fills an opened trace, as far as it is needed for the selection that `args`,
 * which may be NULL, asks for. Damaged parts are noted and skipped. */
int an_load(struct an_trace *t, const struct an_selection_args *args,
	    struct err *err);

/* Brings the ids of an epoch's frames and stacks again, which were loaded once.
 */
int an_load_again(struct an_trace *t, struct an_epoch *epoch, struct err *err);

/* One row of a definition part. */
struct an_row {
	struct an_trace *t;
	const struct tf_view *view;
	const struct an_columns *columns;
	const struct an_epoch *epoch;
	uint32_t row;
	int further; /* position of the column beyond the catalog, or -1 */
};

static inline uint64_t an_row_value(const struct an_row *r, unsigned column)
{
	return an_column_value(r->columns, r->view, column, r->row);
}

static inline bool an_row_has(const struct an_row *r, unsigned column)
{
	int at = r->columns->at[column];

	return at >= 0 && r->view->columns[at].present;
}

static inline uint64_t an_row_value_or(const struct an_row *r, unsigned column,
				       uint64_t absent)
{
	return an_row_has(r, column) ? an_row_value(r, column) : absent;
}

static inline struct span an_row_bytes(const struct an_row *r, unsigned column)
{
	return an_column_bytes(r->columns, r->view, column, r->row);
}

/* Of the column that tells which source of a merged trace a row is of. */
static inline uint32_t an_row_source(const struct an_row *r)
{
	return r->further < 0 || !r->view->columns[r->further].present ? 0 :
		       (uint32_t)r->view->columns[r->further].v[r->row];
}

/* The trace's id of what a column refers to, or AN_NONE where that or the
 * column is not there. */
static inline uint32_t an_row_ref(const struct an_row *r, unsigned column,
				  enum an_space space)
{
	return an_row_has(r, column) ?
		       an_ids_get(&r->epoch->ids[space],
				  an_row_value(r, column)) : AN_NONE;
}

/* Rows are joined by a key that spells what makes them equal; the interned key
 * and the row get the same id. Ends the key. */
int an_key_put(struct intern *keys, struct buf *key, uint32_t *id,
	       bool *is_new, struct err *err);

/* Each adds a row to its array, or finds an equal one there, and tells which.
 * Rows that no other table refers to get no id. A row without a column that it
 * means nothing without is lost, as if it were damaged. */
int an_load_string(const struct an_row *r, uint32_t *id, struct err *err);
int an_load_image(const struct an_row *r, uint32_t *id, struct err *err);
int an_load_process(const struct an_row *r, uint32_t *id, struct err *err);
int an_load_thread(const struct an_row *r, uint32_t *id, struct err *err);
int an_load_event(const struct an_row *r, uint32_t *id, struct err *err);
int an_load_tracepoint(const struct an_row *r, uint32_t *id, struct err *err);
int an_load_frame(const struct an_row *r, uint32_t *id, struct err *err);
int an_load_symbol(const struct an_row *r, uint32_t *id, struct err *err);
int an_load_clock(const struct an_row *r, uint32_t *id, struct err *err);
int an_load_fact(const struct an_row *r, uint32_t *id, struct err *err);
int an_load_loss(const struct an_row *r, uint32_t *id, struct err *err);
int an_load_mark(const struct an_row *r, uint32_t *id, struct err *err);
int an_load_series(const struct an_row *r, uint32_t *id, struct err *err);

/* A whole part of stack nodes: the many among the definitions. */
int an_load_nodes(struct an_trace *t, struct an_epoch *epoch,
		  const struct tf_view *v, const struct an_columns *c,
		  struct err *err);

/* Tells which frames are the kernel's and adds the twins of those that may be
 * either's; after all others. */
int an_load_halves(struct an_trace *t, struct err *err);

/* After all threads: tells of which process each is. */
void an_load_processes_join(struct an_trace *t);

/* After all marks: puts them in the order of their time. */
void an_load_marks_order(struct an_trace *t);

/* Node 0, before any other. */
int an_load_empty_stack(struct an_trace *t, struct err *err);

#endif
