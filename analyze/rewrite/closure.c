/* From the rows that are kept to the definitions that they need. */
#include "analyze/recall.h"
#include "analyze/rewrite/keep_state.h"

#include "format/catalog.h"

/* References of a table to itself go to rows below: these are noted first, so
 * that one walk from the top marks all that a row stands on. */
static int see_below(struct an_keep *k, const struct an_keep_table *tb,
		     const struct tf_view *v, struct err *err)
{
	int rc = 0;

	for (size_t n = 0; n < tb->n_refs; n++) {
		const struct an_keep_ref *ref = &tb->refs[n];
		const uint64_t *to = v->columns[ref->column].v;

		if (ref->to != tb->position || ref->and_one || !to)
			continue;
		for (uint32_t i = 0; i < v->rows && !rc; i++)
			rc = an_wanted_below(&k->need, v->epoch, tb->position,
					   v->base_row + i, to[i], err);
	}
	return rc;
}

static bool refers_to_itself(const struct an_keep_table *tb)
{
	for (size_t n = 0; n < tb->n_refs; n++)
		if (tb->refs[n].to == tb->position)
			return true;
	return false;
}

static int carry(struct an_keep *k, const struct an_keep_table *tb,
		 struct err *err)
{
	int rc;

	if (!refers_to_itself(tb))
		return 0;
	rc = an_keep_walk(k, tb, tb->mask, see_below, err);
	an_wanted_carry(&k->need, tb->position);
	return rc;
}

/* Marks beside the references: what later rules ask for. */
static int note_row(struct an_keep *k, const struct an_keep_table *tb,
		    const struct tf_view *v, uint32_t row, struct err *err)
{
	const uint32_t *ids;
	size_t n;
	bool is_new;

	if (tb->table->id == TF_TABLE_THREAD &&
	    !map64_put(&k->pids, an_keep_value(v, TF_THREAD_PID, row), 0,
		       &is_new))
		return err_nomem(err);
	if (tb->table->id != TF_TABLE_FRAME)
		return 0;
	ids = an_trace_ids(k->t, v->epoch, AN_SPACE_FRAME, &n);
	if (v->base_row + row < n && ids[v->base_row + row] < an_n_frames(k->t))
		k->frames[ids[v->base_row + row]] = true;
	return 0;
}

static bool is_kept(struct an_keep *k, const struct an_keep_table *tb,
		    const struct tf_view *v, uint32_t row)
{
	return (tb->is_target && an_wanted_has(&k->need, v->epoch, tb->position,
					     v->base_row + row)) ||
	       an_keep_by_rule(k, tb, v, row);
}

static int see_rows(struct an_keep *k, const struct an_keep_table *tb,
		    const struct tf_view *v, struct err *err)
{
	/* Frames are known by their ids in the trace, too. */
	int rc = tb->table->id == TF_TABLE_FRAME ?
			 an_recall(k->t, v->epoch, err) : 0;

	for (uint32_t i = 0; i < v->rows && !rc; i++) {
		if (!is_kept(k, tb, v, i))
			continue;
		if (tb->is_target)
			rc = an_wanted_mark(&k->need, v->epoch, tb->position,
					  v->base_row + i, err);
		if (!rc)
			rc = an_keep_refs(k, tb, v, i, err);
		if (!rc)
			rc = note_row(k, tb, v, i, err);
	}
	if (tb->table->id == TF_TABLE_SYMBOL)
		k->next_symbol += v->rows;
	return rc;
}

/* All definitions of one kind, those that refer to others first. */
static int close_tables(struct an_keep *k, bool targets, struct err *err)
{
	int rc = 0;

	for (size_t i = k->shape.n; i-- > 0 && !rc;) {
		uint32_t id = k->shape.v[k->shape.order[i]].table->id;
		const struct an_keep_table *tb = an_keep_table_of(k, id);

		if (!tb || !tb->is_definition || tb->is_target != targets)
			continue;
		rc = carry(k, tb, err);
		if (!rc)
			rc = an_keep_walk(k, tb, UINT64_MAX, see_rows, err);
	}
	return rc;
}

/* What nobody refers to (processes, mappings, symbols, losses) is kept for what
 * is, and needs strings and images in turn. */
int an_keep_close(struct an_keep *k, struct err *err)
{
	int rc = close_tables(k, true, err);

	if (!rc)
		rc = an_keep_symbols(k, err);
	k->next_symbol = 0;
	if (!rc)
		rc = close_tables(k, false, err);
	k->next_symbol = 0;
	return rc ? rc : close_tables(k, true, err);
}
