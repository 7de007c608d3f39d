#include "arena.h"

#include "mem.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)64 * 1024)

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	alignas(max_align_t) uint8_t bytes[];
};

void arena_fini(struct arena *a)
{
	while (a->head) {
		struct arena_block *next = a->head->next;

		free(a->head);
		a->head = next;
	}
	a->used = 0;
}

static struct arena_block *block_new(size_t size)
{
	struct arena_block *b;
	size_t bytes;

	if (size < BLOCK_SIZE)
		size = BLOCK_SIZE;
	if (ckd_add(&bytes, size, sizeof(*b)))
		return NULL;
	b = malloc(bytes);
	if (b)
		*b = (struct arena_block){ .size = size };
	return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct arena_block *b = a->head;
	size_t need;
	void *at;

	if (ckd_add(&need, size, align - 1))
		return NULL;
	need &= ~(align - 1);
	if (!b || b->size - b->used < need) {
		b = block_new(need);
		if (!b)
			return NULL;
		b->next = a->head;
		a->head = b;
	}
	at = b->bytes + b->used;
	b->used += need;
	a->used += need;
	return memset(at, 0, need);
}

char *arena_dup(struct arena *a, const void *p, size_t n)
{
	size_t size;
	char *to;

	if (ckd_add(&size, n, (size_t)1))
		return NULL;
	to = arena_alloc(a, size);
	if (to && n)
		memcpy(to, p, n);
	return to;
}
