/* Takes the rows of a trace and gives them to a new one. */
#ifndef ANALYZE_REWRITE_FEED_H
#define ANALYZE_REWRITE_FEED_H

#include "analyze/rewrite/rewrite.h"

#include "format/reader.h"

struct an_feed {
	const struct tf_reader *reader;
	const char *name;          /* for messages */
	struct an_renumber tables; /* from an_shape_add() */

	/* What is changed on the way. */
	uint64_t shift;  /* added to all times but 0, modulo 2^64 */
	const char *first; /* file whose clock that is; for messages */
	uint64_t source; /* what threads and processes are marked with */
	uint64_t apart;  /* tells images without build-id apart; 0: need not */
	bool no_facts;

	/* Which rows of a part; NULL: all. `kept` has room for all. */
	int (*choose)(void *ctx, const struct tf_view *v, uint32_t *kept,
		      uint32_t *n, struct err *err);
	/* Of each damaged part, which is passed over, and its chunk. */
	void (*damage)(void *ctx, size_t chunk, const struct err *what);
	/* Of each of these chunks that does not tell how many rows it has; may
	 * be NULL. */
	void (*uncounted)(void *ctx, size_t chunk);
	void *ctx;

	/* What was met. */
	uint64_t rows, definitions;  /* taken */
	uint64_t missing;            /* rows of events that are not there, as
				      * row numbers and directories tell */
	uint64_t missing_definitions;
	uint64_t nameless;           /* references to definitions that are not
				      * there */
};

/* Rows in the order of the file. Refuses with ERR_LIMIT what more rows has than
 * a file of its size can. */
int an_feed_run(struct an_feed *f, struct an_rewrite *to,
		const struct an_shape *shape, struct err *err);

void an_feed_fini(struct an_feed *f); /* a zeroed one is fine */

#endif
