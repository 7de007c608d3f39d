/* Only nodes with several children have something to put in order. */
#include "walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* So many children are put in order without a call of qsort(). */
#define FEW 12

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

static int walk_push(struct fg_walk *w, uint32_t node, uint32_t level)
{
	const struct fg_node *nodes = w->tree->nodes;
	uint32_t frame = nodes[node].frame;

	/* The first thing to be looked at once its turn comes. */
	if (nodes[node].child != FG_NONE)
		__builtin_prefetch(&nodes[nodes[node].child]);
	if (w->n_ahead == w->cap_ahead &&
	    fg_grow(&w->ahead, &w->cap_ahead, w->n_ahead + 1, sizeof(*w->ahead)))
		return -ENOMEM;
	w->ahead[w->n_ahead++] = (struct fg_visit){
		node, level, frame == FG_NONE ? 0 : w->rank[frame],
	};
	return 0;
}

int fg_walk_init(struct fg_walk *w, const struct fg_tree *t,
		 const struct fg_tree *names, const uint64_t *weights,
		 uint64_t least)
{
	size_t n = names->n_frames;
	uint32_t *sorted = calloc(n + 1, sizeof(*sorted));
	int rc = -ENOMEM;

	*w = (struct fg_walk){ .tree = t, .weights = weights, .least = least };
	w->rank = calloc(n + 1, sizeof(*w->rank));
	if (sorted && w->rank) {
		for (uint32_t i = 0; i < n; i++)
			sorted[i] = i;
		qsort_r(sorted, n, sizeof(*sorted), by_name, &names);
		for (uint32_t i = 0; i < n; i++)
			w->rank[sorted[i]] = i;
		rc = walk_push(w, FG_ROOT, 0);
	}
	free(sorted);
	return rc;
}

void fg_walk_fini(struct fg_walk *w)
{
	free(w->rank);
	free(w->ahead);
	*w = (struct fg_walk){ 0 };
}

static int last_first(const void *a, const void *b)
{
	const struct fg_visit *x = a, *y = b;

	return (x->rank < y->rank) - (x->rank > y->rank);
}

static void put_in_order(struct fg_visit *v, size_t n)
{
	if (n > FEW) {
		qsort(v, n, sizeof(*v), last_first);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct fg_visit one = v[i];
		size_t k = i;

		for (; k && v[k - 1].rank < one.rank; k--)
			v[k] = v[k - 1];
		v[k] = one;
	}
}

int fg_walk_next(struct fg_walk *w, struct fg_visit *out)
{
	const struct fg_tree *t = w->tree;
	size_t begin;

	if (!w->n_ahead)
		return 1;
	*out = w->ahead[begin = --w->n_ahead];
	for (uint32_t i = t->nodes[out->node].child; i != FG_NONE;
	     i = t->nodes[i].sibling) {
		if (w->weights && w->weights[i] < w->least)
			continue;
		if (walk_push(w, i, out->level + 1))
			return -ENOMEM;
	}
	w->n_children = w->n_ahead - begin;
	put_in_order(w->ahead + begin, w->n_children);
	return 0;
}
