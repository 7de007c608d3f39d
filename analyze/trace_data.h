/* What is inside a trace: for the files that load it (trace.c, load.c,
 * definitions.c, stacks.c, symbols.c), nobody else. */
#ifndef ANALYZE_TRACE_DATA_H
#define ANALYZE_TRACE_DATA_H

#include "analyze/epochs.h"
#include "analyze/index.h"
#include "analyze/slice.h"
#include "analyze/trace.h"

#include "format/base/arena.h"
#include "format/base/intern.h"
#include "format/base/map64.h"

/* Rows of one kind, growing. */
#define AN_ROWS(type)                                                          \
	struct {                                                               \
		type *v;                                                       \
		size_t n, cap;                                                 \
	}

/* Rows without a column. */
struct an_lack {
	const struct tf_table *table;
	uint32_t column; /* position */
	uint64_t rows;
	bool said;
};

struct an_unread; /* see sched/unread.h */

struct an_trace {
	const struct log *log;
	char *path;
	char *joined;            /* lines about the files; NULL: it is one */
	AN_ROWS(struct an_break) breaks;
	struct an_break covers;  /* of all files; 0, 0: as its facts say */
	struct tf_source *source;
	struct tf_reader *reader;
	struct intern damage;    /* messages, so that a place counts once */
	uint64_t rows_left;      /* definitions that may still be loaded */
	unsigned decoders;       /* threads that decode */
	struct an_slice slice;   /* what of it is loaded */

	struct intern strings;
	struct intern image_keys, thread_keys, event_keys; /* id = row */
	struct intern tracepoint_keys, series_keys;
	struct intern contents;  /* what symbols are keyed by */
	struct arena bytes;      /* build-ids */
	struct an_epochs epochs;

	AN_ROWS(struct an_image) images;
	AN_ROWS(uint32_t) content;  /* of each image */
	AN_ROWS(struct an_symbol) symbols;
	AN_ROWS(struct an_frame) frames;
	size_t first_twin;       /* of frames; those behind are twins, too */
	struct an_index frame_index;
	AN_ROWS(struct an_node) nodes;
	struct map64 node_index; /* (parent, frame); only if stacks are joined */
	AN_ROWS(uint16_t) depth; /* of each node, while loading */
	uint32_t lost_node;      /* what lost its callers hangs here; 0: none */
	bool joins_stacks;       /* many epochs have stacks */
	bool recalls;            /* ids of their frames and stacks are dropped
				  * and brought again as they are needed */
	bool loaded;             /* all frames and nodes are there */
	size_t ids_held;         /* ids of frames and stacks in memory */
	size_t ids_bound;
	uint64_t recall_clock;
	bool names_only;         /* frames and stacks are not loaded */
	AN_ROWS(struct an_process) processes; /* by pid, then time */
	AN_ROWS(struct an_thread) threads;
	AN_ROWS(struct an_event) events;
	struct map64 splits;     /* (event, key - 1) to the event with the key */
	AN_ROWS(struct an_tracepoint) tracepoints;
	size_t format_bytes;     /* of all of them */
	AN_ROWS(struct an_loss) losses;
	AN_ROWS(struct an_mark) marks; /* by time */
	AN_ROWS(struct an_series) series;
	AN_ROWS(struct an_clock) clocks;
	AN_ROWS(struct an_fact) facts;
	struct map64 fact_index; /* by key */
	AN_ROWS(struct an_lack) lacks;
	AN_ROWS(struct an_unread) unread;
};

/* Room for one more row at v[n]. */
#define AN_ROOM(rows)                                                          \
	mem_grow(&(rows).v, &(rows).cap, (rows).n + 1, sizeof(*(rows).v))

/* More definitions, or more different places of samples, than this are only in
 * a file that was made to exhaust memory. */
uint64_t an_trace_rows_limit(const struct an_trace *t);

/* Interns bytes as a string of the trace. */
int an_string_put(struct an_trace *t, struct span text, uint32_t *id,
		  struct err *err);

/* A damaged place is noted and 0 comes back; what ends the work is returned. */
int an_trace_survive(struct an_trace *t, int rc, struct err *err);

#endif
