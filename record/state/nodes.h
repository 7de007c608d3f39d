/* Nodes of the stack tree by (parent, frame): the recorder's largest and most
 * asked table. A node's place comes from a hash of the frames on its path, not
 * of its parent's id, so that all places of a chain are known, and fetched into
 * the cache, before the first is looked at: the misses overlap. What is
 * compared is the pair itself. */
#ifndef RECORD_STATE_NODES_H
#define RECORD_STATE_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_node_slot {
	uint32_t parent, frame;
	uint32_t hash;
	uint32_t node; /* + 1; 0: an empty slot */
};

struct rec_nodes {
	struct rec_node_slot *slots;
	size_t n;
	size_t cap; /* 0 or a power of two */
};

void rec_nodes_fini(struct rec_nodes *t); /* a zeroed table is ready to use */
void rec_nodes_clear(struct rec_nodes *t); /* empties it, keeps the memory */
size_t rec_nodes_size(const struct rec_nodes *t); /* bytes of memory held */

/* The hash of a path that goes on with `frame`; the empty path's is 0. */
static inline uint32_t rec_node_hash(uint32_t path, uint32_t frame)
{
	uint64_t h = ((uint64_t)path << 32 | frame) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(h >> 32 ^ h);
}

static inline void rec_nodes_prefetch(const struct rec_nodes *t, uint32_t hash)
{
	if (t->cap)
		__builtin_prefetch(&t->slots[hash & (t->cap - 1)]);
}

/* The slot of a pair, or the empty one where it would go. The table must have
 * room. */
static inline struct rec_node_slot *rec_nodes_slot(const struct rec_nodes *t,
						   uint32_t hash,
						   uint32_t parent,
						   uint32_t frame)
{
	size_t at = hash & (t->cap - 1);

	while (t->slots[at].node && (t->slots[at].parent != parent ||
				     t->slots[at].frame != frame))
		at = (at + 1) & (t->cap - 1);
	return &t->slots[at];
}

/* The node of a pair that is there: node + 1, or 0. */
static inline uint32_t rec_nodes_get(const struct rec_nodes *t, uint32_t hash,
				     uint32_t parent, uint32_t frame)
{
	return t->cap ? rec_nodes_slot(t, hash, parent, frame)->node : 0;
}

/* The node of a pair, which becomes `fresh` where the pair is new; then *is_new
 * is true. A pair must always come with the same hash. false: out of memory. */
bool rec_nodes_put(struct rec_nodes *t, uint32_t hash, uint32_t parent,
		   uint32_t frame, uint32_t fresh, uint32_t *node,
		   bool *is_new);

#endif
