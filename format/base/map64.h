/* 64-bit keys to 32-bit values: open addressing, no removal. A pair of ids
 * (parent, frame) is one key, which makes this the stack interner too. */
#ifndef BASE_MAP64_H
#define BASE_MAP64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map64_slot;

struct map64 {
	struct map64_slot *slots;
	size_t n;
	size_t cap; /* 0 or a power of two */
};

void map64_fini(struct map64 *m); /* a zeroed map is empty and ready */
void map64_clear(struct map64 *m); /* empties it, keeps the memory */

bool map64_get(const struct map64 *m, uint64_t key, uint32_t *out);

/* The value of `key`, which is set to `fresh` first where the key is new; then
 * *is_new is true. NULL: out of memory. The pointer lives until the next put.*/
uint32_t *map64_put(struct map64 *m, uint64_t key, uint32_t fresh,
		    bool *is_new);

/* Its place is on its way into the cache. */
void map64_prefetch(const struct map64 *m, uint64_t key);

/* Walks the keys in no order: *at begins at 0. false: no more. */
bool map64_next(const struct map64 *m, size_t *at, uint64_t *key);

/* Bytes of memory held. */
size_t map64_size(const struct map64 *m);

static inline uint64_t map64_pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

#endif
