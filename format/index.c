#include "format/index.h"

#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/view.h"

#include <stdlib.h>

void tf_index_fini(struct tf_index *x)
{
	free(x->chunks);
	*x = (struct tf_index){ 0 };
}

bool tf_index_add(struct tf_index *x, const struct tf_chunk_info *c)
{
	if (!mem_grow(&x->chunks, &x->cap, x->n + 1, sizeof(*x->chunks)))
		return false;
	x->chunks[x->n++] = *c;
	return true;
}

int tf_index_build(const struct tf_index *x, struct tf_builder **out,
		   struct err *err)
{
	struct tf_builder *b;
	int rc;

	if (!x->n || x->n > TF_MAX_ROWS)
		return 1;
	rc = tf_builder_new(&b, tf_catalog_table(TF_TABLE_INDEX),
			    (uint32_t)x->n, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < x->n; i++) {
		const struct tf_chunk_info *c = &x->chunks[i];

		tf_builder_set(b, TF_INDEX_OFFSET, c->offset);
		tf_builder_set(b, TF_INDEX_SIZE, c->size);
		tf_builder_set(b, TF_INDEX_TYPE, c->type);
		tf_builder_set(b, TF_INDEX_FLAGS, c->flags);
		tf_builder_set(b, TF_INDEX_EPOCH, c->epoch);
		tf_builder_set(b, TF_INDEX_PARTS, c->parts);
		tf_builder_set(b, TF_INDEX_T_MIN, c->t_min);
		tf_builder_set(b, TF_INDEX_T_MAX, c->t_max);
		tf_builder_set(b, TF_INDEX_TABLES, c->tables);
		tf_builder_commit(b); /* has no column that could fail */
	}
	*out = b;
	return 0;
}

static int take_row(const struct tf_view *v, uint32_t i,
		    struct tf_chunk_info *c, struct err *err)
{
	const struct tf_values *in = v->columns;
	uint64_t type = in[TF_INDEX_TYPE].v[i];
	uint64_t flags = in[TF_INDEX_FLAGS].v[i];
	uint64_t epoch = in[TF_INDEX_EPOCH].v[i];
	uint64_t parts = in[TF_INDEX_PARTS].v[i];

	if (type > UINT16_MAX || flags > UINT16_MAX || epoch > UINT32_MAX ||
	    parts > TF_MAX_PARTS)
		return err_set(err, ERR_FORMAT, "index: row %u is no chunk", i);
	*c = (struct tf_chunk_info){
		.offset = in[TF_INDEX_OFFSET].v[i],
		.size = in[TF_INDEX_SIZE].v[i],
		.seq = v->base_row + i,
		.epoch = (uint32_t)epoch,
		.type = (uint16_t)type,
		.flags = (uint16_t)flags,
		.parts = (uint32_t)parts,
		.t_min = in[TF_INDEX_T_MIN].v[i],
		.t_max = in[TF_INDEX_T_MAX].v[i],
		.tables = in[TF_INDEX_TABLES].present ?
				  in[TF_INDEX_TABLES].v[i] : UINT64_MAX,
	};
	return 0;
}

static int take_rows(struct tf_index *x, const struct tf_view *v,
		     struct err *err)
{
	for (uint32_t i = 0; i < TF_INDEX_TABLES; i++)
		if (!v->columns[i].present)
			return err_set(err, ERR_FORMAT,
				       "index: no column '%s'",
				       v->table->columns[i].name);
	for (uint32_t i = 0; i < v->rows; i++) {
		struct tf_chunk_info c;
		int rc = take_row(v, i, &c, err);

		if (rc)
			return rc;
		if (!tf_index_add(x, &c))
			return err_nomem(err);
	}
	return 0;
}

int tf_index_read(struct tf_index *x, struct tf_chunk *c, struct err *err)
{
	struct tf_scratch scratch = { 0 };
	struct tf_view_maker m;
	struct tf_part p;
	int rc;

	if (c->head.type != TF_CHUNK_INDEX || c->head.parts != 1)
		return err_set(err, ERR_FORMAT, "not an index");
	rc = tf_chunk_begin(c, err);
	if (rc == 0)
		rc = tf_chunk_next(c, &p, err);
	if (rc)
		return rc;
	if (p.table != TF_TABLE_INDEX)
		return err_set(err, ERR_FORMAT, "index: of another table");
	rc = tf_view_init(&m, tf_catalog_table(TF_TABLE_INDEX), UINT64_MAX,
			  &scratch, err);
	if (rc)
		return rc;
	rc = tf_view_fill(&m, &p, &c->body, err);
	if (rc == 0)
		rc = take_rows(x, &m.view, err);
	tf_view_fini(&m);
	tf_scratch_fini(&scratch);
	return rc;
}
