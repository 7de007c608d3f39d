/* Columns of a catalog table as a particular file has them: by name and type,
 * wherever they stand there. A file may lack some and have others. */
#ifndef ANALYZE_COLUMNS_H
#define ANALYZE_COLUMNS_H

#include "format/reader.h"

#include <stdbool.h>
#include <stdint.h>

#define AN_COLUMNS_MAX 64

struct an_columns {
	int at[AN_COLUMNS_MAX]; /* position in the file, by position in the
				 * catalog; -1: not there or not asked for */
	uint64_t mask;          /* of positions in the file */
};

/* The columns of `want` in `have`; NULL: in no table. */
void an_columns_match(struct an_columns *out, const struct tf_table *want,
		      const struct tf_table *have, uint64_t wanted);

/* false: the file has no such table. `wanted`: bits by catalog position. */
bool an_columns_find(struct an_columns *out, const struct tf_reader *r,
		     uint32_t table, uint64_t wanted);

/* The values of a catalog column in a part; NULL where they are not there. */
const uint64_t *an_column(const struct an_columns *c, const struct tf_view *v,
			  unsigned column);
uint64_t an_column_value(const struct an_columns *c, const struct tf_view *v,
			 unsigned column, uint32_t row);
struct span an_column_bytes(const struct an_columns *c,
			    const struct tf_view *v, unsigned column,
			    uint32_t row);

#endif
