/* What is inside while rows are taken: for feed.c, turn.c and toll.c, nobody else.
 */
#ifndef ANALYZE_REWRITE_FEED_STATE_H
#define ANALYZE_REWRITE_FEED_STATE_H

#include "analyze/rewrite/feed.h"

#include "format/layout.h"

#define AN_UNKNOWN UINT32_MAX /* no row of the new trace is known for it */

/* A table of the source. */
struct an_inlet {
	uint32_t from;     /* its number */
	uint32_t to;       /* position in the shape */
	int *columns;      /* of each column there, the position here; -1 */
	bool is_definition;
	uint64_t announced; /* rows in the damaged chunk, as it says */
};

struct an_feed_rows { /* rows of an epoch of the source, and what they are now */
	uint32_t *v;
	size_t n, cap;
	uint64_t next; /* number of the next row, if none is lost */
	uint64_t began; /* the same when it began in .. */
	size_t chunk;   /* .. this one, its number + 1 */
};

struct an_feed_epoch {
	uint32_t number;
	struct an_epoch_out *to;
	struct an_feed_rows *rows; /* by inlet */
};

/* A damaged chunk, whose missing rows are counted once it is left: its directory
 * may tell of them, and rows of it that are sound may come behind the damage. */
struct an_toll {
	bool is_hurt;
	size_t hurt;    /* its number */
	struct tf_cursor *finder;
	struct tf_place place; /* that it found last */
	size_t at;      /* in this chunk */
	int rc;
};

struct an_feeding {
	struct an_feed *f;
	struct an_rewrite *r;
	const struct an_shape *shape;
	struct an_inlet *inlets; /* ascending numbers */
	size_t n;
	uint32_t *inlet_of;   /* by position in the shape; AN_NOWHERE */
	struct an_feed_epoch open[TF_MAX_OPEN_EPOCHS];
	size_t n_open;
	struct tf_cursor *cursor;
	struct an_cell *cells;
	uint64_t *items;      /* references in lists */
	size_t items_cap, n_items;
	uint32_t *kept;
	size_t kept_cap;
	uint64_t rows_left, definitions_left, holes_left;
	struct an_toll toll;
	/* of the row that is taken */
	const struct tf_view *view;
	const struct an_inlet *in;
	struct an_feed_epoch *epoch;
	uint32_t row;
	struct err *err;
};

struct an_inlet *an_inlet_for(const struct an_feeding *g, uint32_t table);

/* The epoch of that number, which opens where it is new; the oldest one is left
 * for it. */
int an_feed_enter(struct an_feeding *g, uint32_t number);

/* A cursor over all inlets; of each the query is `like`, but for its table. */
int an_feed_cursor(struct tf_cursor **out, const struct an_feeding *g,
		   const struct tf_query *like);

/* Something of this chunk is damaged. */
int an_toll_damage(struct an_feeding *g, size_t chunk);
/* A view came, maybe of the next chunk. */
int an_toll_view(struct an_feeding *g);
/* Counts what is missing of the damaged chunk, if there is one. */
int an_toll_settle(struct an_feeding *g);

/* The value of a column as the new trace has it; `is_there`: the source has the
 * column. */
int an_turn_value(struct an_feeding *g, const struct an_turn *t, bool is_there,
		  uint64_t *v);
/* A list of references. */
int an_turn_list(struct an_feeding *g, uint32_t to, struct an_cell *cell);

#endif
