/* The storage of a tree, for the files of this folder that walk it. */
#ifndef FG_TREE_H
#define FG_TREE_H

#include "fg.h"

#define FG_ROOT 0u
#define FG_NONE UINT32_MAX

struct fg_frame {
	size_t at;		/* of the name in tree->names */
	uint32_t size;
	uint32_t hash;		/* of the name's bytes alone */
	enum fg_kind kind;
};

struct fg_node {
	uint64_t self;
	uint32_t parent;	/* of the root: FG_NONE */
	uint32_t frame;		/* of the root: FG_NONE */
	uint32_t child;		/* the first made, or FG_NONE */
	uint32_t child_frame;	/* its frame: of most nodes the only one */
	uint32_t sibling;	/* another child of the parent, or FG_NONE */
};

/* Open addressing over ids that are stored elsewhere; 0 is an empty slot. */
struct fg_table {
	uint32_t *slots;	/* id + 1 */
	size_t n_slots;		/* a power of two, or 0 */
};

/* The children but the first, by what they are found by: a look at a slot is a
 * miss of the cache already, one at the node would be another. */
struct fg_child_slot {
	uint32_t parent, frame;
	uint32_t node;		/* 0: an empty slot; no child is the root */
};

struct fg_children {
	struct fg_child_slot *slots;
	size_t n, n_slots;	/* n_slots is a power of two, or 0 */
};

struct fg_tree {
	char *names;
	size_t names_size, names_cap;

	struct fg_frame *frames;
	size_t n_frames, cap_frames;
	struct fg_table by_name;

	struct fg_node *nodes;
	size_t n_nodes, cap_nodes;
	struct fg_children others;	/* all but the first children */

	uint64_t *before;	/* cap_nodes of them, NULL: not differential */
	uint64_t total, total_before;
};

static inline const char *tree_name(const struct fg_tree *t, uint32_t frame)
{
	return t->names + t->frames[frame].at;
}

/* Grows *array, of *cap items of `size` bytes, to hold at least `n`. On failure
 * nothing changes. */
int fg_grow(void *array, size_t *cap, size_t n, size_t size);

/* Asks for huge pages behind a large block that is about to be filled: the
 * kernel takes a fifth of the time for them. */
void fg_huge(void *p, size_t size);

#endif
