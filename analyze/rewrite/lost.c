/* Rows that stand for those which were lost. */
#include "analyze/rewrite/rewrite_state.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>

/* What lost rows look like, so that they are shown as lost. */
static const struct {
	uint32_t table, column;
	uint64_t value;
} lost_numbers[] = {
	{ TF_TABLE_IMAGE, TF_IMAGE_KIND, TF_IMAGE_ELF },
	{ TF_TABLE_THREAD, TF_THREAD_TID, UINT32_MAX },
	{ TF_TABLE_THREAD, TF_THREAD_PID, UINT32_MAX },
};
static const char lost_text[] = "[lost]";

static int fill_lost(struct an_rewrite *r, struct an_epoch_out *e,
		     uint32_t table, struct an_cell *cells, struct err *err);

/* A frame that was lost is no address in a lost file: it has a name, "[lost]",
 * by its image. */
static int lost_place(struct an_rewrite *r, struct an_epoch_out *e,
		      uint64_t *id, struct err *err)
{
	uint32_t table = an_shape_find(r->shape, TF_TABLE_IMAGE);
	struct an_cell *cells = an_rewrite_cells(r, table, err);
	int rc = cells ? fill_lost(r, e, table, cells, err) : ERR_NOMEM;

	if (!rc) {
		cells[TF_IMAGE_KIND].v = TF_IMAGE_SPECIAL;
		rc = an_rewrite_put_now(r, e, table, cells, id, err);
	}
	free(cells);
	return rc;
}

static int fill_lost(struct an_rewrite *r, struct an_epoch_out *e,
		     uint32_t table, struct an_cell *cells, struct err *err)
{
	const struct an_shape_table *t = &r->shape->v[table];
	int rc = 0;

	for (uint32_t i = 0; i < t->table->n_columns && !rc; i++) {
		uint32_t to = t->turns[i].to;

		if (t->turns[i].kind == AN_TURN_ROW && to != AN_NOWHERE &&
		    !t->table->columns[i].list &&
		    r->shape->v[to].rank < t->rank)
			rc = an_rewrite_lost(r, e, to, &cells[i].v, err);
		for (size_t k = 0; k < ARRAY_LEN(lost_numbers); k++)
			if (lost_numbers[k].table == t->table->id &&
			    lost_numbers[k].column == t->table->columns[i].id)
				cells[i].v = lost_numbers[k].value;
	}
	if (t->table->id == TF_TABLE_STRING)
		cells[TF_STRING_BYTES] = (struct an_cell){
			.p = lost_text, .n = strlen(lost_text)
		};
	if (!rc && t->table->id == TF_TABLE_FRAME)
		rc = lost_place(r, e, &cells[TF_FRAME_IMAGE].v, err);
	return rc;
}

int an_rewrite_lost(struct an_rewrite *r, struct an_epoch_out *e,
		    uint32_t table, uint64_t *id, struct err *err)
{
	const struct an_shape_table *t = &r->shape->v[table];
	struct an_cell *cells;
	int rc;

	*id = 0;
	if (!t->is_joined)
		return 0;
	if (e->v[table].lost) {
		*id = e->v[table].lost - 1;
		return 0;
	}
	cells = an_rewrite_cells(r, table, err);
	if (!cells)
		return ERR_NOMEM;
	rc = fill_lost(r, e, table, cells, err);
	if (!rc)
		rc = an_rewrite_put_now(r, e, table, cells, id, err);
	if (!rc)
		e->v[table].lost = *id + 1;
	free(cells);
	return rc;
}
