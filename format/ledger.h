/* Counts the rows of each table as a file goes by: which row numbers exist in
 * this epoch, and how deep its stacks are. */
#ifndef FORMAT_LEDGER_H
#define FORMAT_LEDGER_H

#include "format/base/err.h"
#include "format/base/map64.h"
#include "format/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tf_ledger {
	struct map64 numbers; /* table id to its place in `rows` */
	uint64_t *rows;
	size_t n, cap;
	uint16_t *depth; /* of each stack */
	size_t n_depth, depth_cap;
	bool lost; /* chunks of this epoch are missing: rows may be, too */
};

void tf_ledger_fini(struct tf_ledger *l); /* a zeroed one is ready to use */
void tf_ledger_begin_epoch(struct tf_ledger *l);

/* One for each epoch that is open. */
struct tf_ledgers {
	struct {
		uint32_t epoch;
		struct tf_ledger ledger;
	} items[TF_MAX_OPEN_EPOCHS];
	size_t n;
};

void tf_ledgers_fini(struct tf_ledgers *l);

/* That of an epoch, which opens where it is new; the oldest one is closed for
 * it. NULL: it was closed before. */
struct tf_ledger *tf_ledgers_of(struct tf_ledgers *l, uint32_t epoch);

/* Chunks are missing, of whichever epoch. */
void tf_ledgers_lose(struct tf_ledgers *l);

/* Rows of a table so far. */
uint64_t tf_ledger_rows(const struct tf_ledger *l, uint32_t table);

/* Rows base .. base + n - 1 of a table appear. */
int tf_ledger_add(struct tf_ledger *l, uint32_t table, uint64_t base,
		  uint32_t n, struct err *err);

/* Stacks base .. base + n - 1 appear with these parents, lower than
 * themselves; *deepest becomes the greatest depth among them. */
int tf_ledger_stacks(struct tf_ledger *l, uint64_t base,
		     const uint64_t *parents, uint32_t n, unsigned *deepest,
		     struct err *err);

#endif
