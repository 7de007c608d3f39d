/* Writes a new trace row by row: equal definitions become one, epochs go on
 * until their definitions take too much memory, and nothing is in the file
 * before what it refers to. */
#ifndef ANALYZE_REWRITE_REWRITE_H
#define ANALYZE_REWRITE_REWRITE_H

#include "analyze/rewrite/shape.h"

#include "format/io.h"

#include <stdbool.h>

struct an_rewrite;
struct an_epoch_out; /* an epoch of the new trace */

struct an_rewrite_options {
	uint32_t part_rows;     /* rows of a part; 0: as a recorder does */
	int level;              /* of zstd; 0: as a recorder does */
	uint64_t start_unix_ns; /* of the file header */
	/* Asked before each chunk: not 0 ends the work. May be NULL. */
	int (*go_on)(void *ctx, struct err *err);
	void *ctx;
};

/* `sink` and the finished `shape` must outlive it. */
int an_rewrite_new(struct an_rewrite **out, struct tf_sink *sink,
		   const struct an_shape *shape,
		   const struct an_rewrite_options *o, struct err *err);
void an_rewrite_free(struct an_rewrite *r); /* NULL is fine */

/* The epoch that rows of a new epoch of a source go to; to be left again. */
int an_rewrite_enter(struct an_rewrite *r, struct an_epoch_out **out,
		     struct err *err);
int an_rewrite_leave(struct an_rewrite *r, struct an_epoch_out *e,
		     struct err *err);

/* A value: a number, or n bytes, or n items of a list. */
struct an_cell {
	uint64_t v;
	const void *p;
	size_t n;
};

/* In a reference to its own table: the row itself. */
#define AN_SELF UINT64_MAX

/* Adds a row, of a table by position, with one cell a column. References are
 * those of the new trace. *id is its row number. */
int an_rewrite_put(struct an_rewrite *r, struct an_epoch_out *e,
		   uint32_t table, const struct an_cell *cells, uint64_t *id,
		   struct err *err);

/* The row that stands for one which was lost. */
int an_rewrite_lost(struct an_rewrite *r, struct an_epoch_out *e,
		    uint32_t table, uint64_t *id, struct err *err);

/* Says something about the new trace, in its newest epoch. */
int an_rewrite_fact(struct an_rewrite *r, const char *key, struct span value,
		    struct err *err);
/* The same of a text that was put together: nothing where it is empty, out of
 * memory where it failed. */
int an_rewrite_text(struct an_rewrite *r, const char *key,
		    const struct buf *text, struct err *err);

/* Writes what waits, index and END. */
int an_rewrite_end(struct an_rewrite *r, struct err *err);

uint64_t an_rewrite_rows(const struct an_rewrite *r); /* of events */
uint64_t an_rewrite_size(const struct an_rewrite *r); /* bytes */

#endif
