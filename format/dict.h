/* The distinct values of a column, sorted, and each row's place among them. */
#ifndef FORMAT_DICT_H
#define FORMAT_DICT_H

#include <stddef.h>
#include <stdint.h>

struct tf_dict {
	uint64_t *values; /* ascending after a build */
	uint64_t *spare;
	uint32_t *rank;  /* of each value, by first sight */
	size_t n, values_cap, spare_cap, rank_cap;
	uint32_t *slots; /* hash: value number + 1, or 0 */
	size_t cap;      /* slots in use for this build: a power of two */
	size_t slots_cap;
};

void tf_dict_fini(struct tf_dict *d); /* a zeroed one is ready to use */

/* The most distinct values of n with which a dictionary pays. Of many ids its
 * index has often a plane less than they, and what they are the key of is worth
 * more yet; few had rather be without the values. */
static inline size_t tf_dict_limit(size_t n)
{
	size_t most = n < 1024 ? n / 2 : n * 7 / 8;

	return most < 65536 ? most : 65536;
}

/* index[i] becomes the place of v[i] in d->values[0..d->n-1]. 0: done; 1: more
 * than `limit` distinct values, index is undefined; ERR_NOMEM. */
int tf_dict_build(struct tf_dict *d, uint64_t *index, const uint64_t *v,
		  size_t n, size_t limit);

#endif
