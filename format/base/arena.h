/* Many small objects, released together. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *head;
	size_t used; /* bytes handed out */
};

void arena_fini(struct arena *a); /* a zeroed arena is ready to use */

/* Zeroed bytes aligned for any type, or NULL when out of memory. */
void *arena_alloc(struct arena *a, size_t size);

/* A copy of n bytes with a NUL behind them. */
char *arena_dup(struct arena *a, const void *p, size_t n);

#endif
