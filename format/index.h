/* The list of chunks of a file, and the INDEX chunk that stores it. */
#ifndef FORMAT_INDEX_H
#define FORMAT_INDEX_H

#include "format/builder.h"
#include "format/chunk.h"
#include "format/reader.h"

struct tf_index {
	struct tf_chunk_info *chunks; /* in file order */
	size_t n, cap;
};

void tf_index_fini(struct tf_index *x); /* a zeroed one is ready to use */

/* false: out of memory, nothing changed. */
bool tf_index_add(struct tf_index *x, const struct tf_chunk_info *c);

/* A builder with one row a chunk; 1: more than a part can have. */
int tf_index_build(const struct tf_index *x, struct tf_builder **out,
		   struct err *err);

/* Reads the INDEX chunk that is loaded in `c` and appends what it lists. That
 * it is true is for the caller to see. */
int tf_index_read(struct tf_index *x, struct tf_chunk *c, struct err *err);

#endif
