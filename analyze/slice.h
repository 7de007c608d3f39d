/* Which definitions a command needs that looks at a part of the time: those of
 * the epochs that have rows there, as far as such rows go; of the others, what
 * holds for the whole file, and the strings that it names. */
#ifndef ANALYZE_SLICE_H
#define ANALYZE_SLICE_H

#include "format/base/err.h"
#include "format/reader.h"

struct an_selection_args;
struct an_trace;

struct an_slice_epoch {
	uint32_t number;
	size_t until;       /* chunks before this one have definitions of
				 * selected rows; 0: there is no such row */
	size_t symbols_until; /* the same of symbols; 0: it has none */
	size_t names_until; /* the same of strings that are named elsewhere */
};

struct an_slice {
	bool on;            /* false: all is needed */
	bool all_threads;   /* threads are chosen by what is known of them */
	struct an_slice_epoch *v; /* ascending numbers */
	size_t n, cap;
	uint64_t *strings;  /* epoch << 32 | id, ascending: named elsewhere */
	size_t n_strings, strings_cap;
};

void an_slice_fini(struct an_slice *s); /* a zeroed one is fine */

/* Finds out, from the index and directories, for a trace of which nothing is
 * loaded yet. What is wrong with the arguments is for an_selection_make() to
 * tell: all is needed then. */
int an_slice_make(struct an_slice *s, struct an_trace *t,
		  const struct an_selection_args *args, struct err *err);

/* What a definition table is needed for. */
enum an_need {
	AN_NEED_WHOLE,   /* rows of the whole file count, or names are in them*/
	AN_NEED_ROWS,    /* rows that selected rows refer to */
	AN_NEED_THREADS, /* the same, but for all_threads */
	AN_NEED_IMAGES,  /* the same, or that symbols refer to */
	AN_NEED_STRINGS,
};

/* Narrows a query for a definition table. The slice outlives the cursor. */
void an_slice_narrow(const struct an_slice *s, enum an_need need,
		     struct tf_query *q);

#endif
