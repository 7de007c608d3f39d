/* Positions: children from their parent's left edge, in the order of names. */
#include "layout.h"

#include "links.h"

#include <errno.h>
#include <stdlib.h>

/* One number of each kind for each node. */
struct sums {
	uint64_t *n, *before;	/* with all below */
	uint32_t *below;	/* nodes below that weigh something */
	uint64_t *start;	/* set when the parent is placed */
	uint32_t *level;
};

static void sums_fini(struct sums *s)
{
	free(s->n);
	free(s->before);
	free(s->below);
	free(s->start);
	free(s->level);
}

static int sums_alloc(struct sums *s, const struct fg_tree *t)
{
	s->n = malloc(t->n_nodes * sizeof(*s->n));
	s->below = calloc(t->n_nodes, sizeof(*s->below));
	s->start = calloc(t->n_nodes, sizeof(*s->start));
	s->level = calloc(t->n_nodes, sizeof(*s->level));
	if (t->before)
		s->before = malloc(t->n_nodes * sizeof(*s->before));
	return s->n && s->below && s->start && s->level &&
	       (s->before || !t->before) ? 0 : -ENOMEM;
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
static void place_children(struct sums *s, const struct fg_links *links,
			   uint32_t parent, struct fg_box *narrow)
{
	uint64_t at = s->start[parent];

	narrow->n = s->n[parent] - narrow->self;
	narrow->n_narrow = s->below[parent];
	for (uint32_t i = links->first[parent]; i != FG_NONE;
	     i = links->next[i]) {
		s->level[i] = s->level[parent] + 1;
		s->start[i] = at;
		at += s->n[i];
		narrow->n -= s->n[i];
		narrow->n_narrow -= s->below[i] + 1;
		narrow->before -= s->before ? s->before[i] : 0;
	}
	narrow->self = narrow->n;
	narrow->start = at;
	narrow->level = s->level[parent] + 1;
}

static int place(struct fg_layout *l, struct sums *s,
		 const struct fg_links *links, const struct fg_tree *t,
		 uint32_t node)
{
	struct fg_box box = {
		.node = node,
		.level = s->level[node],
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

	place_children(s, links, node, &narrow);
	if (!rc && narrow.n_narrow)
		rc = box_add(l, &narrow);
	l->n_narrow += narrow.n_narrow;
	return rc;
}

static int place_all(struct fg_layout *l, struct sums *s,
		     const struct fg_links *links, const struct fg_tree *t)
{
	int rc = 0;

	for (uint32_t node = FG_ROOT; !rc && node != FG_NONE;
	     node = fg_links_next(links, t, node))
		rc = place(l, s, links, t, node);
	return rc;
}

int fg_layout_init(struct fg_layout *l, const struct fg_tree *t, uint64_t least)
{
	struct fg_links links = { 0 };
	struct sums sums = { 0 };
	int rc;

	*l = (struct fg_layout){ 0 };
	rc = sums_alloc(&sums, t);
	if (!rc) {
		sums_add_up(&sums, t);
		rc = fg_links_init(&links, t, sums.n, least);
	}
	if (!rc)
		rc = place_all(l, &sums, &links, t);
	fg_links_fini(&links);
	sums_fini(&sums);
	return rc;
}

void fg_layout_fini(struct fg_layout *l)
{
	free(l->boxes);
	*l = (struct fg_layout){ 0 };
}
