/* The tables of a trace that is made out of others, and what becomes in it of
 * each column of theirs. */
#ifndef ANALYZE_REWRITE_SHAPE_H
#define ANALYZE_REWRITE_SHAPE_H

#include "format/base/arena.h"
#include "format/base/err.h"
#include "format/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AN_NOWHERE UINT32_MAX /* no such table */

enum an_turn_kind {
	AN_TURN_COPY,
	AN_TURN_TIME,       /* moved to the clock of the new trace */
	AN_TURN_ROW,        /* a row of another table */
	AN_TURN_ROW_ONE,    /* the same + 1; 0: none */
	AN_TURN_TABLE,      /* the number of a table, 0: none */
	AN_TURN_SOURCE,     /* which source it is of, where not said before */
	AN_TURN_GENERATION, /* of an image: tells sources apart, too */
};

struct an_turn {
	enum an_turn_kind kind;
	uint32_t to; /* rows: of which table, by position; or AN_NOWHERE */
};

struct an_shape_table {
	const struct tf_table *table;
	struct an_turn *turns; /* one a column */
	bool is_target;        /* others refer to its rows */
	bool is_joined;        /* and equal rows are one */
	unsigned rank;         /* above that of all tables it refers to */
};

struct an_shape {
	struct tf_schema schema;
	struct an_shape_table *v; /* by position in the schema */
	size_t n;
	uint32_t *order; /* positions, those that are referred to first */
	size_t n_sources;
	size_t left_out; /* columns that cannot be stored, of all sources */
	struct arena memory;
};

void an_shape_fini(struct an_shape *s); /* a zeroed one is ready to use */

/* Numbers of the tables of a source, and what they are here. */
struct an_renumber {
	struct an_number {
		uint32_t from, to;
	} *v; /* ascending `from` */
	size_t n;
};

void an_renumber_fini(struct an_renumber *r); /* a zeroed one is fine */
bool an_renumber_get(const struct an_renumber *r, uint64_t from, uint32_t *to);

/* Adds the tables of a source. Those with numbers of their own keep them, where
 * a number is not taken by a different one; what cannot be stored (columns of a
 * later version) is left out and counted. ERR_UNSUPPORTED: a table of a fixed number means
 * something else than in a source before. */
int an_shape_add(struct an_shape *s, const struct tf_schema *from,
		 struct an_renumber *out, struct err *err);

/* Adds the columns that tell threads and processes of several sources apart. */
int an_shape_add_sources(struct an_shape *s, struct err *err);

/* After all tables: fills in the rest. */
int an_shape_finish(struct an_shape *s, struct err *err);

/* Position of a table, or AN_NOWHERE. */
uint32_t an_shape_find(const struct an_shape *s, uint32_t table);

#endif
