/* Interned frames and the prefix tree over them. */
#include "tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)

void fg_huge(void *p, size_t size)
{
	uintptr_t begin = ((uintptr_t)p + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	uintptr_t end = ((uintptr_t)p + size) & ~(HUGE_PAGE - 1);

	if (size >= 2 * HUGE_PAGE && end > begin)
		(void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

int fg_grow(void *array, size_t *cap, size_t n, size_t size)
{
	size_t want = *cap < 16 ? 16 : *cap, bytes;
	void *old, *fresh;

	if (n <= *cap)
		return 0;
	while (want < n)
		if (__builtin_mul_overflow(want, 2, &want))
			return -ENOMEM;
	if (__builtin_mul_overflow(want, size, &bytes))
		return -ENOMEM;
	memcpy(&old, array, sizeof(old));
	fresh = realloc(old, bytes);
	if (!fresh)
		return -ENOMEM;
	fg_huge(fresh, bytes);
	memcpy(array, &fresh, sizeof(fresh));
	*cap = want;
	return 0;
}

/* FNV-1a by words with a final mix: names are short and hashed by the million.
 * Reads bytes in a fixed order, so that colours do not depend on the machine. */
static uint32_t hash_bytes(const char *s, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ n;

	for (; n >= 8; s += 8, n -= 8) {
		uint64_t w;

		memcpy(&w, s, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		w = __builtin_bswap64(w);
#endif
		h = (h ^ w) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	for (; n; s++, n--)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	h = (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(h >> 32);
}

static size_t hash_pair(uint32_t parent, uint32_t frame)
{
	uint64_t h = (uint64_t)parent << 32 | frame;

	h *= UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
	return (size_t)(h ^ (h >> 32));
}

static size_t hash_named(uint32_t hash, enum fg_kind kind)
{
	return (size_t)hash * 31 + (size_t)kind;
}

static void table_put(struct fg_table *table, size_t hash, uint32_t id)
{
	size_t mask = table->n_slots - 1, i = hash & mask;

	while (table->slots[i])
		i = (i + 1) & mask;
	table->slots[i] = id + 1;
}

/* Makes room for one more id beside `n`; the caller puts them in again. */
static int table_resize(struct fg_table *table, size_t n, bool *moved)
{
	size_t want = table->n_slots ? table->n_slots * 2 : 64;
	uint32_t *slots;

	*moved = false;
	if (n + 1 <= table->n_slots / 2)
		return 0;
	slots = calloc(want, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(table->slots);
	*table = (struct fg_table){ slots, want };
	*moved = true;
	return 0;
}

static int names_reserve(struct fg_tree *t)
{
	bool moved;
	int rc = table_resize(&t->by_name, t->n_frames, &moved);

	for (size_t i = 0; !rc && moved && i < t->n_frames; i++)
		table_put(&t->by_name,
			  hash_named(t->frames[i].hash, t->frames[i].kind),
			  (uint32_t)i);
	return rc;
}

static struct fg_child_slot *child_slot(const struct fg_children *c,
					uint32_t parent, uint32_t frame)
{
	size_t mask = c->n_slots - 1, i = hash_pair(parent, frame) & mask;

	while (c->slots[i].node && (c->slots[i].parent != parent ||
				    c->slots[i].frame != frame))
		i = (i + 1) & mask;
	return &c->slots[i];
}

/* Most nodes have one child, found through its parent. Only the others are in
 * the table, which so stays small enough for the caches. */
static int others_reserve(struct fg_tree *t)
{
	struct fg_children *old = &t->others, big = { .n = old->n };

	if (old->n < old->n_slots - old->n_slots / 3)
		return 0;
	big.n_slots = old->n_slots ? old->n_slots * 2 : 64;
	big.slots = calloc(big.n_slots, sizeof(*big.slots));
	if (!big.slots)
		return -ENOMEM;
	fg_huge(big.slots, big.n_slots * sizeof(*big.slots));
	for (size_t i = 0; i < old->n_slots; i++)
		if (old->slots[i].node)
			*child_slot(&big, old->slots[i].parent,
				    old->slots[i].frame) = old->slots[i];
	free(old->slots);
	*old = big;
	return 0;
}

static bool frame_is(const struct fg_tree *t, uint32_t id, uint32_t hash,
		     const char *name, size_t size, enum fg_kind kind)
{
	const struct fg_frame *f = &t->frames[id];

	return f->hash == hash && f->kind == kind && f->size == size &&
	       (!size || !memcmp(t->names + f->at, name, size));
}

static bool frame_find(const struct fg_tree *t, uint32_t hash, const char *name,
		       size_t size, enum fg_kind kind, uint32_t *out)
{
	size_t mask = t->by_name.n_slots - 1, i = hash_named(hash, kind) & mask;
	uint32_t slot;

	if (!t->by_name.n_slots)
		return false;
	for (; (slot = t->by_name.slots[i]); i = (i + 1) & mask)
		if (frame_is(t, slot - 1, hash, name, size, kind)) {
			*out = slot - 1;
			return true;
		}
	return false;
}

static int frame_add(struct fg_tree *t, uint32_t hash, const char *name,
		     size_t size, enum fg_kind kind, uint32_t *out)
{
	uint32_t id = (uint32_t)t->n_frames;
	size_t end;

	if (size > UINT32_MAX || t->n_frames >= FG_NONE - 1 ||
	    __builtin_add_overflow(t->names_size, size, &end))
		return -EOVERFLOW;
	if (names_reserve(t) ||
	    fg_grow(&t->names, &t->names_cap, end + 1, 1) ||
	    fg_grow(&t->frames, &t->cap_frames, t->n_frames + 1,
		    sizeof(*t->frames)))
		return -ENOMEM;
	if (size)
		memcpy(t->names + t->names_size, name, size);
	t->frames[id] = (struct fg_frame){ t->names_size, (uint32_t)size, hash,
					   kind };
	t->names_size = end;
	t->n_frames++;
	table_put(&t->by_name, hash_named(hash, kind), id);
	*out = id;
	return 0;
}

int fg_frame(struct fg_tree *t, const char *name, size_t size,
	     enum fg_kind kind, uint32_t *out)
{
	uint32_t hash = hash_bytes(name, size);

	if ((unsigned)kind >= FG_N_KINDS)
		return -EINVAL;
	if (frame_find(t, hash, name, size, kind, out))
		return 0;
	return frame_add(t, hash, name, size, kind, out);
}

static int nodes_reserve(struct fg_tree *t)
{
	size_t cap = t->cap_nodes;

	if (t->n_nodes >= FG_NONE - 1)
		return -EOVERFLOW;
	/* `before` first: a larger array there does no harm if nodes fail. */
	if (t->before && fg_grow(&t->before, &cap, t->n_nodes + 1,
				 sizeof(*t->before)))
		return -ENOMEM;
	return fg_grow(&t->nodes, &t->cap_nodes, t->n_nodes + 1,
		       sizeof(*t->nodes));
}

static int node_add(struct fg_tree *t, uint32_t parent, uint32_t frame,
		    uint32_t *out)
{
	uint32_t id = (uint32_t)t->n_nodes;
	int rc = nodes_reserve(t);

	if (rc)
		return rc;
	t->nodes[id] = (struct fg_node){
		.parent = parent,
		.frame = frame,
		.child = FG_NONE,
		.child_frame = FG_NONE,
		.sibling = FG_NONE,
	};
	if (t->before)
		t->before[id] = 0;
	t->n_nodes++;
	*out = id;
	return 0;
}

static int first_child(struct fg_tree *t, uint32_t parent, uint32_t frame,
		       uint32_t *out)
{
	int rc = node_add(t, parent, frame, out);

	if (rc)
		return rc;
	t->nodes[parent].child = *out;
	t->nodes[parent].child_frame = frame;
	return 0;
}

static int other_child(struct fg_tree *t, uint32_t parent, uint32_t frame,
		       uint32_t *out)
{
	struct fg_child_slot *slot;
	struct fg_node *first;
	int rc = others_reserve(t);

	if (rc)
		return rc;
	slot = child_slot(&t->others, parent, frame);
	if (slot->node) {
		*out = slot->node;
		__builtin_prefetch(&t->nodes[slot->node]);
		return 0;
	}
	rc = node_add(t, parent, frame, out);
	if (rc)
		return rc;
	*slot = (struct fg_child_slot){ parent, frame, *out };
	t->others.n++;
	first = &t->nodes[t->nodes[parent].child];
	t->nodes[*out].sibling = first->sibling;
	first->sibling = *out;
	return 0;
}

int fg_child(struct fg_tree *t, uint32_t parent, uint32_t frame, uint32_t *out)
{
	const struct fg_node *at;

	if (parent >= t->n_nodes || frame >= t->n_frames)
		return -EINVAL;
	at = &t->nodes[parent];
	if (at->child_frame == frame) {
		*out = at->child;
		/* The caller goes on with it, or adds to it. */
		__builtin_prefetch(&t->nodes[at->child]);
		return 0;
	}
	if (at->child == FG_NONE)
		return first_child(t, parent, frame, out);
	return other_child(t, parent, frame, out);
}

void fg_child_soon(const struct fg_tree *t, uint32_t parent, uint32_t frame)
{
	const struct fg_children *c = &t->others;

	if (parent < t->n_nodes)
		__builtin_prefetch(&t->nodes[parent]);
	if (c->n_slots)
		__builtin_prefetch(&c->slots[hash_pair(parent, frame) &
					     (c->n_slots - 1)]);
}

int fg_add(struct fg_tree *t, uint32_t node, uint64_t weight)
{
	uint64_t total;

	if (node >= t->n_nodes)
		return -EINVAL;
	if (__builtin_add_overflow(t->total, weight, &total))
		return -EOVERFLOW;
	t->total = total;
	t->nodes[node].self += weight;
	return 0;
}

int fg_add_before(struct fg_tree *t, uint32_t node, uint64_t weight)
{
	uint64_t total;

	if (node >= t->n_nodes)
		return -EINVAL;
	if (__builtin_add_overflow(t->total_before, weight, &total))
		return -EOVERFLOW;
	if (!t->before)
		t->before = calloc(t->cap_nodes, sizeof(*t->before));
	if (!t->before)
		return -ENOMEM;
	t->total_before = total;
	t->before[node] += weight;
	return 0;
}

uint64_t fg_tree_total(const struct fg_tree *t)
{
	return t->total;
}

uint32_t fg_tree_n_nodes(const struct fg_tree *t)
{
	return (uint32_t)(t->n_nodes - 1);
}

int fg_tree_new(struct fg_tree **out)
{
	struct fg_tree *t = calloc(1, sizeof(*t));
	uint32_t root;
	int rc;

	if (!t)
		return -ENOMEM;
	rc = node_add(t, FG_NONE, FG_NONE, &root);
	if (rc) {
		fg_tree_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

void fg_tree_free(struct fg_tree *t)
{
	if (!t)
		return;
	free(t->names);
	free(t->frames);
	free(t->by_name.slots);
	free(t->nodes);
	free(t->others.slots);
	free(t->before);
	free(t);
}
