/* The functions of one image, by address. */
#ifndef RECORD_SYMBOL_SYMTAB_H
#define RECORD_SYMBOL_SYMTAB_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_SYMTAB_MAX_ROWS (4u << 20)
#define REC_SYMTAB_MAX_NAMES (1u << 30) /* bytes */

/* Added up, they order the symbols of one address: the lowest is taken. */
enum rec_symtab_rank {
	REC_SYM_GLOBAL = 0,
	REC_SYM_LOCAL = 1,
	REC_SYM_WEAK = 2,
	REC_SYM_SIZELESS = 4, /* reaches to the next one, or its limit */
	REC_SYM_END = 8,      /* no symbol: an end, where the name is empty */
};

struct rec_symtab_row {
	uint64_t start, end; /* end > start, once finished */
	uint32_t name;       /* offset in `names` */
	uint32_t outer;      /* row + 1 of the function that this one lies in,
			      * which may go on behind it; 0: none */
	uint8_t rank;        /* enum rec_symtab_rank */
};

/* Zeroed is empty and ready. */
struct rec_symtab {
	struct rec_symtab_row *rows;
	size_t n;
	size_t cap;
	struct buf names; /* strings, each with a NUL behind it */
};

void rec_symtab_fini(struct rec_symtab *t);

/* A symbol up to `end`: its own end, or, of a sizeless one, the furthest that
 * it can reach. An empty range is left out. The name may be put into `names`
 * later, but before rec_symtab_finish(). */
int rec_symtab_add(struct rec_symtab *t, uint64_t start, uint64_t end,
		   uint32_t name, unsigned rank, struct err *err);

/* Sorts, chooses among the symbols of one address as perf does, gives the
 * sizeless ones their end. More may be added afterwards and finished again. */
void rec_symtab_finish(struct rec_symtab *t);

const char *rec_symtab_name(const struct rec_symtab *t, size_t row);

struct rec_symtab_hit {
	size_t row;
	uint64_t start, size; /* of the function, or of a stretch of it that
			       * lies behind another function inside it */
};

/* false: there is none; *out then tells the stretch around the address that has
 * none, but no row. */
bool rec_symtab_find(const struct rec_symtab *t, uint64_t address,
		     struct rec_symtab_hit *out);

/* A finished table as bytes and back. Taking trusts nothing; on failure *t is
 * empty. */
void rec_symtab_put(struct buf *out, const struct rec_symtab *t);
/* The same in pieces: the head, then t->names, then all rows, up to `most` from
 * `from` on at a time, which gives the first one that is left. */
void rec_symtab_put_head(struct buf *out, const struct rec_symtab *t);
size_t rec_symtab_put_rows(struct buf *out, const struct rec_symtab *t,
			   size_t from, size_t most);
int rec_symtab_take(struct rec_symtab *t, struct span *in, struct err *err);

#endif
