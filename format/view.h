/* Decodes the columns of one part into a view. */
#ifndef FORMAT_VIEW_H
#define FORMAT_VIEW_H

#include "format/body.h"
#include "format/directory.h"
#include "format/reader.h"

struct tf_view_maker {
	struct tf_view view;
	uint64_t columns; /* bit i: decode the column at position i; those
			   * from 64 on always */
};

int tf_view_init(struct tf_view_maker *m, const struct tf_table *t,
		 uint64_t columns, struct err *err);
void tf_view_fini(struct tf_view_maker *m); /* a zeroed one is fine */

/* Fills m->view from the part; chunk and epoch are the caller's. */
int tf_view_fill(struct tf_view_maker *m, const struct tf_part *part,
		 struct tf_body *body, struct err *err);

#endif
