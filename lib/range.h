/* Leaves the rows of a view that lie in a range of time. */
#ifndef LIB_RANGE_H
#define LIB_RANGE_H

#include "format/base/buf.h"
#include "format/reader.h"

struct ct_range {
	uint64_t min, max;
	int column;      /* position of the time; -1: all rows are wanted */
	uint32_t *rows;  /* those that stay, in the view at hand */
	size_t n, cap;
	struct buf bytes; /* of the columns of bytes that lost rows */
};

/* Of a definition all rows are wanted. */
void ct_range_init(struct ct_range *r, const struct tf_table *t, uint64_t min,
		   uint64_t max);
void ct_range_fini(struct ct_range *r);

/* Moves the values of the rows that stay together, in all columns that `v` has;
 * r->n is how many they are. Rows that have no time stay. */
int ct_range_apply(struct ct_range *r, const struct tf_view *v,
		   struct err *err);

#endif
