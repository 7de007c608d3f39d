/* Where each box of the picture lies, in weights and levels. */
#ifndef FG_LAYOUT_H
#define FG_LAYOUT_H

#include "tree.h"

struct fg_box {
	uint32_t node;		/* FG_NONE: narrow frames folded */
	uint32_t level;		/* of the root: 0 */
	uint64_t start;		/* left edge, in weight */
	uint64_t n;		/* weight with all below */
	uint64_t self;
	uint64_t before;	/* as n, in the earlier profile */
	uint32_t n_narrow;	/* frames folded into this box */
};

/* Boxes depth first. A box of folded frames comes right after its parent, and
 * lies to the right of its siblings. */
struct fg_layout {
	struct fg_box *boxes;
	size_t n_boxes, cap_boxes;
	uint32_t n_levels;
	uint64_t n_narrow;	/* frames folded, in all */
};

/* Children that weigh less than `least`, which is 1 or more, are folded; such as
 * weigh nothing are left out. Release with fg_layout_fini(), after a failure too. */
int fg_layout_init(struct fg_layout *layout, const struct fg_tree *tree,
		   uint64_t least);
void fg_layout_fini(struct fg_layout *layout);

#endif
