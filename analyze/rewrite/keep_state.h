/* What is inside while a cut finds out what to keep: for keep.c, closure.c and
 * rules.c, nobody else. */
#ifndef ANALYZE_REWRITE_KEEP_STATE_H
#define ANALYZE_REWRITE_KEEP_STATE_H

#include "analyze/columns.h"
#include "analyze/counter/counters.h"
#include "analyze/rewrite/keep.h"
#include "analyze/rewrite/marks.h"

#include "format/base/map64.h"
#include "format/reader.h"

struct an_keep_ref { /* a column that refers to rows */
	unsigned column; /* position in the file */
	uint32_t to;     /* position in the shape */
	bool and_one;    /* is row + 1 */
};

struct an_keep_table {
	const struct tf_table *table; /* of the file */
	uint32_t position;            /* in the shape */
	const struct an_keep_ref *refs;
	size_t n_refs;
	uint64_t mask;                /* of those columns */
	bool is_definition;
	bool is_target;
	/* Of events: the part of the selection that their columns allow. */
	struct an_selection sel;
	struct an_columns columns;    /* those of `sample` that they have */
	int key;                      /* see struct an_source */
	int other;
	uint64_t pointers;            /* columns that hold addresses */
};

struct an_keep {
	struct an_trace *t;
	const struct an_selection *sel;
	struct an_shape shape;
	struct an_renumber numbers;
	struct an_keep_table *tables; /* as the schema of the file */
	size_t n;
	struct an_wanted need;
	struct map64 pids;     /* of threads that are kept */
	struct map64 tids;     /* that rows of `switch` name */
	struct map64 pointers; /* addresses that payloads show */
	bool *frames, *symbols, *series; /* of the trace, by id */
	struct an_counters before; /* readings that intervals begin at */
	uint32_t next_symbol;  /* row of the symbol table, over the file */
};

const struct an_keep_table *an_keep_table_of(const struct an_keep *k,
					     uint32_t table);

/* Marks what a row refers to. */
int an_keep_refs(struct an_keep *k, const struct an_keep_table *tb,
		 const struct tf_view *v, uint32_t row, struct err *err);

/* Walks the parts of a definition table. Damage is passed over. */
typedef int an_keep_see(struct an_keep *k, const struct an_keep_table *tb,
			const struct tf_view *v, struct err *err);
int an_keep_walk(struct an_keep *k, const struct an_keep_table *tb,
		 uint64_t columns, an_keep_see *see, struct err *err);

/* From the rows that are marked to those of all tables that they need. */
int an_keep_close(struct an_keep *k, struct err *err);

/* Whether a row of a definition is kept for another reason than that a row
 * which is kept refers to it. */
bool an_keep_by_rule(struct an_keep *k, const struct an_keep_table *tb,
		     const struct tf_view *v, uint32_t row);

/* The symbols of the frames that are kept, and of addresses in payloads. */
int an_keep_symbols(struct an_keep *k, struct err *err);

/* A column of numbers by its position in the catalog; 0 where it is absent. */
uint64_t an_keep_value(const struct tf_view *v, unsigned column, uint32_t row);

#endif
