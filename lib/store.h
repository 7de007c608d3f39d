/* The rows that a definition table has in one epoch, kept for looking up. */
#ifndef LIB_STORE_H
#define LIB_STORE_H

#include "format/base/arena.h"
#include "format/reader.h"

struct ct_kept { /* a column of some rows */
	const uint64_t *v;       /* NULL: absent, a list, or bytes */
	const uint32_t *offsets; /* bytes, each row with a zero behind it; */
	const char *bytes;       /* row i is offsets[i] .. offsets[i+1] - 1 */
};

struct ct_rows { /* of one part */
	uint64_t base;
	uint32_t n;
	const struct ct_kept *columns;
};

struct ct_store {
	const struct tf_table *table;
	struct arena memory; /* of the parts */
	struct ct_rows *parts; /* ascending, without overlaps */
	size_t n, cap;
};

/* Reads them all. Damaged ones are left out, and so are those whose numbers are
 * in use. At most `limit` bytes are kept; more is a failure. On failure there
 * is nothing to release. */
int ct_store_load(struct ct_store *s, const struct tf_reader *r,
		  const struct tf_table *t, uint32_t epoch, size_t limit,
		  struct err *err);
void ct_store_fini(struct ct_store *s); /* a zeroed one is fine */

/* The column of the part that has row `id`, which is *row of it. NULL: there is
 * no such row. */
const struct ct_kept *ct_store_find(const struct ct_store *s, uint64_t id,
				    size_t position, uint32_t *row);

#endif
