/* Decodes the columns of one part into a view. */
#ifndef FORMAT_VIEW_H
#define FORMAT_VIEW_H

#include "format/body.h"
#include "format/columns.h"
#include "format/directory.h"
#include "format/reader.h"
#include "format/scratch.h"

struct tf_view_maker {
	struct tf_view view;
	struct tf_columns parts; /* of the part */
	uint64_t columns; /* bit i: decode the column at position i; those
			   * from 64 on always */
};

/* The memory behind the columns is the caller's and outlives the maker; makers
 * of which only one has a view in use may share it. */
int tf_view_init(struct tf_view_maker *m, const struct tf_table *t,
		 uint64_t columns, struct tf_scratch *scratch,
		 struct err *err);
void tf_view_fini(struct tf_view_maker *m); /* a zeroed one is fine */

/* false: what the part states of its columns rules out that a row of it is
 * wanted. */
bool tf_view_may(const struct tf_view_maker *m, const struct tf_part *part,
		 const struct tf_query *q, uint32_t epoch);

/* Bytes that the columns of the part will take; what is wrong with it is for
 * decoding to find. */
size_t tf_view_size(struct tf_view_maker *m, const struct tf_part *part);

/* Fills m->view from the part; chunk and epoch are the caller's. */
int tf_view_fill(struct tf_view_maker *m, const struct tf_part *part,
		 struct tf_body *body, struct err *err);

#endif
