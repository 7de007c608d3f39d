/* Frames and the stack tree, joined over epochs. */
#include "analyze/load.h"

#include "format/base/mem.h"
#include "format/catalog.h"

static uint64_t frame_hash(const void *rows, uint32_t row)
{
	const struct an_frame *f = (const struct an_frame *)rows + row;

	return an_hash(an_hash(f->image, f->kind), f->address);
}

static int frame_put(struct an_trace *t, const struct an_frame *f,
		     uint32_t *id, struct err *err)
{
	struct an_index *x = &t->frame_index;
	size_t i;

	if (!an_index_room(x, frame_hash, t->frames.v) || !AN_ROOM(t->frames))
		return err_nomem(err);
	for (i = an_index_first(x, frame_hash(f, 0));
	     x->slots[i] != AN_INDEX_FREE; i = an_index_next(x, i)) {
		const struct an_frame *have = &t->frames.v[x->slots[i]];

		if (have->address == f->address && have->image == f->image &&
		    have->kind == f->kind) {
			*id = x->slots[i];
			return 0;
		}
	}
	*id = AN_NONE; /* the file has changed */
	if (t->loaded)
		return 0;
	*id = (uint32_t)t->frames.n;
	an_index_set(x, i, *id);
	t->frames.v[t->frames.n++] = *f;
	return 0;
}

static uint8_t kind_of(const struct an_row *r)
{
	uint64_t kind = an_row_value_or(r, TF_FRAME_KIND, AN_FRAME_UNSURE);

	return kind < AN_FRAME_UNSURE ? (uint8_t)kind : AN_FRAME_UNSURE;
}

int an_load_frame(const struct an_row *r, uint32_t *id, struct err *err)
{
	struct an_frame f = {
		.image = an_row_ref(r, TF_FRAME_IMAGE, AN_SPACE_IMAGE),
		.symbol = AN_NONE,
		.address = an_row_value(r, TF_FRAME_ADDRESS),
		.kind = kind_of(r),
	};

	*id = AN_NONE;
	if (!an_row_has(r, TF_FRAME_ADDRESS))
		return 0;
	return frame_put(r->t, &f, id, err);
}

static bool is_kernel(enum tf_image_kind kind)
{
	return kind == TF_IMAGE_KERNEL || kind == TF_IMAGE_MODULE ||
	       kind == TF_IMAGE_BPF;
}

int an_load_halves(struct an_trace *t, struct err *err)
{
	size_t n = t->frames.n;

	t->first_twin = n;
	for (size_t i = 0; i < n; i++) {
		struct an_frame *f = &t->frames.v[i];
		enum tf_image_kind kind = an_image_of(t, f->image)->kind;

		f->kernel = is_kernel(kind);
		f->in_kernel = (uint32_t)i;
		if (f->image >= t->images.n || kind != TF_IMAGE_UNKNOWN)
			continue;
		f->in_kernel = (uint32_t)t->frames.n;
		if (t->frames.n >= AN_NONE || !AN_ROOM(t->frames))
			return err_nomem(err);
		t->frames.v[t->frames.n] = t->frames.v[i];
		t->frames.v[t->frames.n++].kernel = true;
	}
	return 0;
}

static int node_add(struct an_trace *t, uint32_t parent, uint32_t frame,
		    uint32_t *id, struct err *err)
{
	uint16_t depth = t->nodes.n ? t->depth.v[parent] : 0;

	if ((t->nodes.n == t->nodes.cap && !AN_ROOM(t->nodes)) ||
	    (t->depth.n == t->depth.cap && !AN_ROOM(t->depth)))
		return err_nomem(err);
	*id = (uint32_t)t->nodes.n;
	t->nodes.v[t->nodes.n++] = (struct an_node){ parent, frame };
	t->depth.v[t->depth.n++] = (uint16_t)(depth + 1);
	return 0;
}

static int node_put(struct an_trace *t, uint32_t parent, uint32_t frame,
		    uint32_t *id, struct err *err)
{
	uint32_t *at;
	bool is_new;

	if (!t->joins_stacks)
		return node_add(t, parent, frame, id, err);
	if (t->loaded) {
		if (!map64_get(&t->node_index, map64_pair(parent, frame), id))
			*id = AN_NONE;
		return 0;
	}
	at = map64_put(&t->node_index, map64_pair(parent, frame),
		       (uint32_t)t->nodes.n, &is_new);
	if (!at)
		return err_nomem(err);
	*id = *at;
	return is_new ? node_add(t, parent, frame, id, err) : 0;
}

/* Callers that are not there, and a depth that no recorder writes, are shown
 * as one lost frame; its node is lower than any that hangs there. */
static int lost_node(struct an_trace *t, uint32_t *id, struct err *err)
{
	int rc = 0;

	if (!t->lost_node)
		rc = node_put(t, 0, AN_NONE, &t->lost_node, err);
	*id = t->lost_node;
	return rc;
}

/* No row has the number that stands for a column which is not there. */
static uint64_t value(const uint64_t *column, uint32_t row)
{
	return column ? column[row] : UINT64_MAX;
}

static int load_node(struct an_trace *t, const struct an_ids *ids,
		     uint64_t own, uint64_t above, uint32_t frame,
		     uint32_t *id, struct err *err)
{
	uint32_t parent = AN_NONE;
	int rc = 0;

	*id = 0;
	if (!own)
		return 0;
	if (!above) /* the empty stack, be its row there or not */
		parent = 0;
	else if (above < own)
		parent = an_ids_get(ids, above);
	if (parent == AN_NONE || t->depth.v[parent] > TF_MAX_STACK_DEPTH)
		rc = lost_node(t, &parent, err);
	return rc ? rc : node_put(t, parent, frame, id, err);
}

int an_load_nodes(struct an_trace *t, struct an_epoch *epoch,
		  const struct tf_view *v, const struct an_columns *c,
		  struct err *err)
{
	const uint64_t *parents = an_column(c, v, TF_STACK_PARENT);
	const uint64_t *frames = an_column(c, v, TF_STACK_FRAME);
	struct an_ids *ids = &epoch->ids[AN_SPACE_STACK];
	int rc = an_ids_room(&t->epochs, ids, v->base_row, v->rows, err);

	for (uint32_t i = 0; !rc && i < v->rows; i++) {
		uint64_t own = v->base_row + i;

		rc = load_node(t, ids, own, value(parents, i),
			       an_ids_get(&epoch->ids[AN_SPACE_FRAME],
					  value(frames, i)),
			       &ids->v[own], err);
	}
	return rc;
}

int an_load_empty_stack(struct an_trace *t, struct err *err)
{
	uint32_t id;

	return node_add(t, 0, AN_NONE, &id, err);
}
