/* The key of each row of a part: which rows predict one another. A key is the
 * place of a value in a column's dictionary, or is made of two such places. */
#ifndef FORMAT_KEY_H
#define FORMAT_KEY_H

#include <stddef.h>
#include <stdint.h>

struct tf_key {
	const uint32_t *of; /* by row: below n */
	uint32_t n;
};

/* A key for each pair (a, b) that occurs, numbered as they come. `place` is a
 * table of a->n * b->n zeros; `to` has room for all rows. */
struct tf_key tf_key_pair(uint32_t *to, uint32_t *place,
			  const struct tf_key *a, const struct tf_key *b,
			  size_t rows);

/* What `source` was in the last row before with the same `by`; where there is
 * none, source->n. `last` has room for by->n numbers. */
struct tf_key tf_key_lag(uint32_t *to, uint32_t *last,
			 const struct tf_key *source, const struct tf_key *by,
			 size_t rows);

#endif
