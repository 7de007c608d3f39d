/* Positions: children from their parent's left edge, in the order of names. */
#include "layout.h"

#include "walk.h"

#include <errno.h>
#include <stdlib.h>

/* One number of each kind for each node. */
struct sums {
	uint64_t *n, *before;	/* with all below */
	uint32_t *below;	/* nodes below that weigh something */
	uint64_t *start;	/* set when the parent is placed */
};

static void sums_fini(struct sums *s)
{
	free(s->n);
	free(s->before);
	free(s->below);
	free(s->start);
}

static int sums_alloc(struct sums *s, const struct fg_tree *t)
{
	s->n = malloc(t->n_nodes * sizeof(*s->n));
	s->below = calloc(t->n_nodes, sizeof(*s->below));
	s->start = calloc(t->n_nodes, sizeof(*s->start));
	if (t->before)
		s->before = malloc(t->n_nodes * sizeof(*s->before));
	if (!s->n || !s->below || !s->start || (!s->before && t->before))
		return -ENOMEM;
	fg_huge(s->n, t->n_nodes * sizeof(*s->n));
	fg_huge(s->below, t->n_nodes * sizeof(*s->below));
	return 0;
}

/* Parents have smaller ids, so one pass from the end adds everything up. */
static void sums_add_up(struct sums *s, const struct fg_tree *t)
{
	for (size_t i = 0; i < t->n_nodes; i++)
		s->n[i] = t->nodes[i].self;
	for (size_t i = t->n_nodes; i-- > 1;) {
		uint32_t parent = t->nodes[i].parent;

		s->n[parent] += s->n[i];
		s->below[parent] += s->below[i] + (s->n[i] > 0);
	}
	for (size_t i = 0; t->before && i < t->n_nodes; i++)
		s->before[i] = t->before[i];
	for (size_t i = t->n_nodes; t->before && i-- > 1;)
		s->before[t->nodes[i].parent] += s->before[i];
}

static int box_add(struct fg_layout *l, const struct fg_box *box)
{
	if (fg_grow(&l->boxes, &l->cap_boxes, l->n_boxes + 1,
		    sizeof(*l->boxes)))
		return -ENOMEM;
	l->boxes[l->n_boxes++] = *box;
	if (box->level >= l->n_levels)
		l->n_levels = box->level + 1;
	return 0;
}

/* Gives the wide children their places. What they leave of the parent, beside
 * its own weight, is the narrow ones. */
static void place_children(struct sums *s, const struct fg_walk *walk,
			   const struct fg_visit *at, struct fg_box *narrow)
{
	uint64_t start = s->start[at->node];

	narrow->n = s->n[at->node] - narrow->self;
	narrow->n_narrow = s->below[at->node];
	for (size_t k = 1; k <= walk->n_children; k++) {
		uint32_t i = walk->ahead[walk->n_ahead - k].node;

		s->start[i] = start;
		start += s->n[i];
		narrow->n -= s->n[i];
		narrow->n_narrow -= s->below[i] + 1;
		narrow->before -= s->before ? s->before[i] : 0;
	}
	narrow->self = narrow->n;
	narrow->start = start;
	narrow->level = at->level + 1;
}

static int place(struct fg_layout *l, struct sums *s,
		 const struct fg_walk *walk, const struct fg_visit *at)
{
	const struct fg_tree *t = walk->tree;
	uint32_t node = at->node;
	struct fg_box box = {
		.node = node,
		.level = at->level,
		.start = s->start[node],
		.n = s->n[node],
		.self = t->nodes[node].self,
		.before = s->before ? s->before[node] : 0,
	};
	struct fg_box narrow = {
		.node = FG_NONE,
		.self = box.self,
		.before = box.before - (t->before ? t->before[node] : 0),
	};
	int rc = box_add(l, &box);

	place_children(s, walk, at, &narrow);
	if (!rc && narrow.n_narrow)
		rc = box_add(l, &narrow);
	l->n_narrow += narrow.n_narrow;
	return rc;
}

static int place_all(struct fg_layout *l, struct sums *s, struct fg_walk *walk)
{
	struct fg_visit at;
	int rc;

	while ((rc = fg_walk_next(walk, &at)) == 0) {
		rc = place(l, s, walk, &at);
		if (rc)
			break;
	}
	return rc == 1 ? 0 : rc;
}

int fg_layout_init(struct fg_layout *l, const struct fg_tree *t, uint64_t least)
{
	struct fg_walk walk = { 0 };
	struct sums sums = { 0 };
	int rc;

	*l = (struct fg_layout){ 0 };
	rc = sums_alloc(&sums, t);
	if (!rc) {
		sums_add_up(&sums, t);
		rc = fg_walk_init(&walk, t, t, sums.n, least);
	}
	if (!rc)
		rc = place_all(l, &sums, &walk);
	fg_walk_fini(&walk);
	sums_fini(&sums);
	return rc;
}

void fg_layout_fini(struct fg_layout *l)
{
	free(l->boxes);
	*l = (struct fg_layout){ 0 };
}
