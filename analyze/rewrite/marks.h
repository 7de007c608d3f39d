/* Which rows of definitions are needed: by epoch, table and row number of the
 * file, grown as they are marked. */
#ifndef ANALYZE_REWRITE_MARKS_H
#define ANALYZE_REWRITE_MARKS_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct an_row_marks {
	uint8_t *v;      /* by row: bit 0 it is needed */
	uint32_t *below; /* by row: the row of the same table that it refers
			  * to; made when first set */
	size_t n, cap, below_cap;
};

struct an_wanted_epoch {
	uint32_t number;
	struct an_row_marks *tables; /* by position */
};

struct an_wanted {
	struct an_wanted_epoch *v; /* ascending numbers */
	size_t n, cap;
	size_t n_tables, last;
	uint64_t left;           /* rows that may still be made */
};

/* `rows`: more than there can be in the file are not marked. */
void an_wanted_init(struct an_wanted *need, size_t n_tables, uint64_t rows);
void an_wanted_fini(struct an_wanted *need);

/* What is beyond the limit is left out without a failure: no such row exists.*/
int an_wanted_mark(struct an_wanted *need, uint32_t epoch, uint32_t table,
		 uint64_t row, struct err *err);
bool an_wanted_has(const struct an_wanted *need, uint32_t epoch, uint32_t table,
		 uint64_t row);

/* Says what a row refers to in its own table; what is not below it does not
 * matter. Then carry: what is needed needs that, too. */
int an_wanted_below(struct an_wanted *need, uint32_t epoch, uint32_t table,
		  uint64_t row, uint64_t below, struct err *err);
void an_wanted_carry(struct an_wanted *need, uint32_t table);

#endif
