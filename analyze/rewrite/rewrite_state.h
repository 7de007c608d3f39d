/* What is inside while a new trace is written: for rewrite.c and lost.c, nobody
 * else. */
#ifndef ANALYZE_REWRITE_REWRITE_STATE_H
#define ANALYZE_REWRITE_REWRITE_STATE_H

#include "analyze/rewrite/rewrite.h"

#include "format/base/buf.h"
#include "format/base/intern.h"
#include "format/builder.h"
#include "format/writer.h"

struct waiting {
	struct tf_builder *b; /* NULL: no row came yet */
	uint32_t limit;       /* rows that are a part */
	struct intern joined; /* contents; the id is the row */
	uint64_t rows;        /* so far, of this epoch */
	uint64_t lost;        /* row that stands for lost ones, + 1 */
};

struct an_epoch_out {
	uint32_t number;
	size_t users;         /* epochs of sources that go here */
	struct waiting *v;    /* by position in the shape */
	size_t bytes;         /* that wait, about */
	uint64_t definitions;
	struct an_epoch_out *next;
};

struct an_rewrite {
	struct an_rewrite_options o;
	const struct an_shape *shape;
	struct tf_writer *w;
	struct an_epoch_out *open; /* the newest first */
	uint32_t next_epoch;
	bool *announced;           /* by position */
	const struct tf_table **fresh;
	struct tf_builder **parts;
	struct buf key;
	uint64_t rows;
};

/* Without making room first: a row that others wait for. */
int an_rewrite_put_now(struct an_rewrite *r, struct an_epoch_out *e,
		       uint32_t table, const struct an_cell *cells,
		       uint64_t *id, struct err *err);

/* As many as the table has columns, all 0 or empty; NULL: no memory. */
struct an_cell *an_rewrite_cells(const struct an_rewrite *r, uint32_t table,
				 struct err *err);

#endif
