/* Records in the order of their times, whatever order they come in, in bounded
 * memory: what does not fit goes to a file without a name, sorted by parts that
 * are merged again. Records of equal time keep their order. */
#ifndef RECORD_IMPORT_PERFDATA_ORDER_H
#define RECORD_IMPORT_PERFDATA_ORDER_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "record/import/perfdata/runs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each takes a record that comes next; a negative answer ends it all. `at`: where
 * in its file the record was, for messages. */
typedef int rec_pd_emit_fn(void *ctx, uint64_t time, uint64_t at,
			   struct span record, struct err *err);

struct rec_pd_order_config {
	size_t blocks;        /* of memory, each of REC_PD_BLOCK bytes */
	size_t entries;       /* records in memory */
};

#define REC_PD_BLOCK ((size_t)1 << 20)

struct rec_pd_block {
	uint8_t *bytes;       /* NULL: not needed so far */
	size_t live;          /* records in it that wait */
};

struct rec_pd_entry {
	uint64_t time;
	uint8_t *record;      /* its place in the file comes before it */
	uint32_t block, size;
};

struct rec_pd_order {
	struct rec_pd_order_config cfg;
	struct rec_pd_block *blocks;
	size_t block, used;   /* the one being filled, and how far */
	struct rec_pd_entry *entries, *scratch;
	size_t cap, scratch_cap;
	size_t first, n;      /* those that wait: [first, n) */
	size_t sorted;        /* of these [first, sorted) are in order */
	struct rec_pd_runs runs;
	uint64_t spilled;     /* bytes that went to the file */
};

/* What is zero in the config is chosen: 32 MiB. */
int rec_pd_order_init(struct rec_pd_order *o,
		      const struct rec_pd_order_config *cfg, struct err *err);
void rec_pd_order_fini(struct rec_pd_order *o); /* zeroed is fine */

/* A copy is kept until its turn. */
int rec_pd_order_push(struct rec_pd_order *o, uint64_t time, uint64_t at,
		      struct span record, struct err *err);

/* Gives out all up to `until`. */
int rec_pd_order_flush(struct rec_pd_order *o, uint64_t until,
		       rec_pd_emit_fn *emit, void *ctx, struct err *err);

#endif
