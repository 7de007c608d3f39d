#include "tests/support/mutate.h"

#include <stdlib.h>
#include <string.h>

void mutate_prefixes(struct span good, void (*see)(void *ctx, struct span in),
		     void *ctx)
{
	for (size_t n = 0; n <= good.n; n++) {
		uint8_t *copy = malloc(n ? n : 1);

		if (!copy)
			abort();
		if (n)
			memcpy(copy, good.p, n);
		see(ctx, span_of(copy, n));
		free(copy);
	}
}

void mutate_bits(uint8_t *p, size_t n,
		 void (*see)(void *ctx, struct span in, size_t bit), void *ctx)
{
	for (size_t bit = 0; bit < n * 8; bit++) {
		p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		see(ctx, span_of(p, n), bit);
		p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}
