#include "analyze/index.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 1024

void an_index_fini(struct an_index *x)
{
	free(x->slots);
	*x = (struct an_index){ 0 };
}

bool an_index_room(struct an_index *x,
		   uint64_t (*hash_of)(const void *rows, uint32_t row),
		   const void *rows)
{
	struct an_index big = { .n = x->n };

	if (x->n < x->cap / 2)
		return true;
	big.cap = x->cap ? x->cap * 2 : FIRST_CAP;
	big.slots = malloc(big.cap * sizeof(*big.slots));
	if (!big.slots)
		return false;
	memset(big.slots, 0xff, big.cap * sizeof(*big.slots));
	/* In the order of rows: only the writes jump about. */
	for (uint32_t row = 0; row < x->n; row++) {
		size_t to = an_index_first(&big, hash_of(rows, row));

		while (big.slots[to] != AN_INDEX_FREE)
			to = an_index_next(&big, to);
		big.slots[to] = row;
	}
	free(x->slots);
	*x = big;
	return true;
}
