/* Who is below whom, in the order of names: the tree read downwards. */
#ifndef FG_LINKS_H
#define FG_LINKS_H

#include "tree.h"

struct fg_links {
	uint32_t *first;	/* child of a node, or FG_NONE */
	uint32_t *next;		/* sibling of a node, or FG_NONE */
};

/* Sorts the children of every node by name, then kind. With `weights`, one for
 * each node, those that weigh less than `least` have no place in the links. The
 * links hold while the tree stays as it is. Release with fg_links_fini(), after
 * a failure too. */
int fg_links_init(struct fg_links *links, const struct fg_tree *tree,
		  const uint64_t *weights, uint64_t least);
void fg_links_fini(struct fg_links *links);

/* Depth first, parents before children: the node after `node`, and the first
 * one after it that is not below it. FG_NONE at the end. */
uint32_t fg_links_next(const struct fg_links *links, const struct fg_tree *tree,
		       uint32_t node);
uint32_t fg_links_skip(const struct fg_links *links, const struct fg_tree *tree,
		       uint32_t node);

#endif
