/* Nodes of the stack tree by the path to them: the recorder's most asked table.
 * A path is known by a hash of its frames, of 96 bits, so that the deepest node
 * of a chain is found at once, not through all its callers; each look is a miss
 * of the cache. That two of a million paths have one hash happens to one
 * recording in 10^17. */
#ifndef RECORD_STATE_NODES_H
#define RECORD_STATE_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_path_hash { /* of the empty path: 0, 0 */
	uint64_t a;
	uint32_t b;
};

struct rec_node_slot {
	uint64_t a;
	uint32_t b;
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

/* The hash of a path that goes on with an address of what `where` stands for:
 * both halves are mixed apart. */
static inline struct rec_path_hash rec_path_enter(struct rec_path_hash path,
						  uint32_t where,
						  uint64_t address)
{
	uint64_t twice = (uint64_t)path.b << 32 | path.b;
	unsigned __int128 a = path.a ^ (address + where * 0xc2b2ae3d27d4eb4fu +
					0x2d358dccaa6c78a5u);
	uint64_t b = twice ^ address ^
		     (where * 0x9fb21c651e98df25u + 0x8bb84b93962eacc9u);

	a *= 0x9e3779b97f4a7c15u;
	b *= 0xd6e8feb86659fd93u;
	return (struct rec_path_hash){ (uint64_t)(a >> 64) ^ (uint64_t)a,
				       (uint32_t)(b >> 32 ^ b >> 17) };
}

/* The same with a frame, where all paths are of frames. */
static inline struct rec_path_hash rec_path_step(struct rec_path_hash path,
						 uint32_t frame)
{
	return rec_path_enter(path, 0, frame);
}

static inline void rec_nodes_prefetch(const struct rec_nodes *t,
				      struct rec_path_hash path)
{
	if (t->cap)
		__builtin_prefetch(&t->slots[path.a & (t->cap - 1)]);
}

/* The slot of a path, or the empty one where it would go. The table must have
 * room. */
static inline struct rec_node_slot *
rec_nodes_slot(const struct rec_nodes *t, struct rec_path_hash path)
{
	size_t at = path.a & (t->cap - 1);

	while (t->slots[at].node &&
	       (t->slots[at].a != path.a || t->slots[at].b != path.b))
		at = (at + 1) & (t->cap - 1);
	return &t->slots[at];
}

/* The node of a path that is there: node + 1, or 0. */
static inline uint32_t rec_nodes_get(const struct rec_nodes *t,
				     struct rec_path_hash path)
{
	return t->cap ? rec_nodes_slot(t, path)->node : 0;
}

/* The node of a path, which becomes `fresh` where the path is new; then *is_new
 * is true. false: out of memory. */
bool rec_nodes_put(struct rec_nodes *t, struct rec_path_hash path,
		   uint32_t fresh, uint32_t *node, bool *is_new);

#endif
