/* Children in the order of names, in time linear in the nodes. */
#include "links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b, void *ctx)
{
	const struct fg_tree *t = *(const struct fg_tree *const *)ctx;
	const struct fg_frame *x = &t->frames[*(const uint32_t *)a];
	const struct fg_frame *y = &t->frames[*(const uint32_t *)b];
	size_t n = x->size < y->size ? x->size : y->size;
	int order = n ? memcmp(t->names + x->at, t->names + y->at, n) : 0;

	if (!order)
		order = (x->size > y->size) - (x->size < y->size);
	return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

/* bucket[f] becomes the last node with frame f; `before` chains the others. */
static void chain_by_frame(const struct fg_tree *t, const uint64_t *weights,
			   uint64_t least, uint32_t *bucket, uint32_t *before)
{
	for (size_t f = 0; f < t->n_frames; f++)
		bucket[f] = FG_NONE;
	for (uint32_t i = 1; i < t->n_nodes; i++) {
		if (weights && weights[i] < least)
			continue;
		before[i] = bucket[t->nodes[i].frame];
		bucket[t->nodes[i].frame] = i;
	}
}

/* From the last name to the first, each node goes before its siblings. */
static void link_children(struct fg_links *l, const struct fg_tree *t,
			  const uint32_t *sorted, const uint32_t *bucket)
{
	for (size_t i = 0; i < t->n_nodes; i++)
		l->first[i] = FG_NONE;
	for (size_t f = t->n_frames; f-- > 0;)
		for (uint32_t i = bucket[sorted[f]], before; i != FG_NONE;
		     i = before) {
			uint32_t parent = t->nodes[i].parent;

			/* The chain and the sibling list share l->next: a node
			 * leaves the one as it enters the other. */
			before = l->next[i];
			l->next[i] = l->first[parent];
			l->first[parent] = i;
		}
	l->next[FG_ROOT] = FG_NONE;
}

int fg_links_init(struct fg_links *l, const struct fg_tree *t,
		  const uint64_t *weights, uint64_t least)
{
	uint32_t *sorted = calloc(t->n_frames + 1, sizeof(*sorted));
	uint32_t *bucket = calloc(t->n_frames + 1, sizeof(*bucket));
	int rc = -ENOMEM;

	l->first = malloc(t->n_nodes * sizeof(*l->first));
	l->next = malloc(t->n_nodes * sizeof(*l->next));
	if (sorted && bucket && l->first && l->next) {
		for (uint32_t i = 0; i < t->n_frames; i++)
			sorted[i] = i;
		qsort_r(sorted, t->n_frames, sizeof(*sorted), by_name, &t);
		chain_by_frame(t, weights, least, bucket, l->next);
		link_children(l, t, sorted, bucket);
		rc = 0;
	}
	free(sorted);
	free(bucket);
	return rc;
}

void fg_links_fini(struct fg_links *l)
{
	free(l->first);
	free(l->next);
	*l = (struct fg_links){ 0 };
}

uint32_t fg_links_next(const struct fg_links *l, const struct fg_tree *t,
		       uint32_t node)
{
	return l->first[node] != FG_NONE ? l->first[node] :
					   fg_links_skip(l, t, node);
}

uint32_t fg_links_skip(const struct fg_links *l, const struct fg_tree *t,
		       uint32_t node)
{
	for (; node != FG_NONE; node = t->nodes[node].parent)
		if (l->next[node] != FG_NONE)
			return l->next[node];
	return FG_NONE;
}
