/* The tree read downwards, depth first, children in the order of names. */
#ifndef FG_WALK_H
#define FG_WALK_H

#include "tree.h"

struct fg_visit {
	uint32_t node;
	uint32_t level;		/* of the root: 0 */
	uint32_t rank;		/* of the frame, by name */
};

struct fg_walk {
	const struct fg_tree *tree;
	const uint64_t *weights;
	uint64_t least;
	uint32_t *rank;		/* by frame */
	struct fg_visit *ahead;	/* those to come, the next one last */
	size_t n_ahead, cap_ahead;
	size_t n_children;	/* of the last node: so many end `ahead` */
};

/* Names are taken from the frames of `names`, which is `tree` or has a frame
 * for each of its frames; equal names come in the order of kinds. With
 * `weights`, one for each node, children that weigh less than `least` are
 * passed over, with all below. The trees stay as they are meanwhile. Release
 * with fg_walk_fini(), after a failure too. */
int fg_walk_init(struct fg_walk *walk, const struct fg_tree *tree,
		 const struct fg_tree *names, const uint64_t *weights,
		 uint64_t least);
void fg_walk_fini(struct fg_walk *walk);

/* 0: *out is the next node, the first time the root; 1: no more. */
int fg_walk_next(struct fg_walk *walk, struct fg_visit *out);

#endif
