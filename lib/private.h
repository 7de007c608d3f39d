/* What the files of the library share. */
#ifndef LIB_PRIVATE_H
#define LIB_PRIVATE_H

#include "format/reader.h"
#include "lib/coltrace.h"

/* What the public calls a table is the first member of this. */
struct ct_table_here {
	struct ct_table open;
	const struct tf_table *table;
	struct ct_column *columns;
};

struct ct_trace {
	struct tf_source *source;
	struct tf_reader *reader;
	struct ct_info info;
	struct ct_gap *gaps;
	size_t n_gaps;
	struct ct_table_here *tables; /* as in the reader's schema */
	struct ct_column *columns;    /* of all tables */
	size_t n_tables;
};

static inline const struct tf_table *ct_table_inside(const struct ct_table *t)
{
	return ((const struct ct_table_here *)t)->table;
}

/* Takes what the failed call behind `rc` left in `from` to the caller. Returns
 * rc. */
int ct_fail(struct ct_error *to, int rc, const struct err *from);

/* A failure that the caller made. */
int ct_misuse(struct ct_error *to, const char *why);

/* Reads through functions of the caller. Closing it calls the caller's close
 * only after ct_source_keep(). */
int ct_source_new(struct tf_source **out, const struct ct_io *io,
		  struct err *err);
void ct_source_keep(struct tf_source *s);

#endif
