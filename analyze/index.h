/* Finds rows of an array by hash: open addressing over row numbers, no
 * removal; every row is in, from 0 on. The array and the comparison stay with
 * the caller:
 *
 *	for (i = an_index_first(x, hash); (row = x->slots[i]) != AN_INDEX_FREE;
 *	     i = an_index_next(x, i))
 *		if (equal(row, key))
 *			return row;
 *	an_index_set(x, i, new_row);
 */
#ifndef ANALYZE_INDEX_H
#define ANALYZE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AN_INDEX_FREE UINT32_MAX

struct an_index {
	uint32_t *slots; /* row, or AN_INDEX_FREE */
	size_t n;
	size_t cap;      /* 0 or a power of two */
};

void an_index_fini(struct an_index *x); /* a zeroed index is empty */

/* Room for one more row; `hash_of` tells the hash of a row that is in already.
 * false: out of memory, nothing changed. */
bool an_index_room(struct an_index *x,
		   uint64_t (*hash_of)(const void *rows, uint32_t row),
		   const void *rows);

static inline size_t an_index_first(const struct an_index *x, uint64_t hash)
{
	return (size_t)hash & (x->cap - 1);
}

static inline size_t an_index_next(const struct an_index *x, size_t i)
{
	return (i + 1) & (x->cap - 1);
}

static inline void an_index_set(struct an_index *x, size_t i, uint32_t row)
{
	x->slots[i] = row;
	x->n++;
}

/* Folds a further 64 bits into a hash. */
static inline uint64_t an_hash(uint64_t hash, uint64_t v)
{
	v = (v ^ hash) * 0x9e3779b97f4a7c15u;
	v ^= v >> 32;
	v *= 0xd6e8feb86659fd93u;
	return v ^ v >> 29;
}

#endif
