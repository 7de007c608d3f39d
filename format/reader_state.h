/* What a reader knows after opening. Nothing but the marks of what was loaded
 * changes later, so that cursors on several threads can share it. */
#ifndef FORMAT_READER_STATE_H
#define FORMAT_READER_STATE_H

#include "format/chunk.h"
#include "format/reader.h"
#include "format/scan.h"

#include <stdatomic.h>

struct tf_reader {
	struct tf_source *source;
	struct tf_file_header header;
	uint32_t begin;      /* of the first chunk */
	struct tf_scan scan; /* chunks, gaps, ending; from the index or a walk*/
	struct tf_schema schema;
	size_t *unread;      /* SCHEMA chunks that are damaged */
	size_t n_unread, unread_cap;
	bool another_follows; /* a trace, behind this one */
	atomic_bool *loaded; /* by chunk; NULL while it is opened */
};

/* Loads chunk i into `c` and proves that it is what opening said. */
int tf_reader_load(const struct tf_reader *r, struct tf_chunk *c, size_t i,
		   struct err *err);

/* Prefixes the place of chunk i. */
int tf_reader_in_chunk(const struct tf_reader *r, size_t i, int rc,
		       struct err *err);

#endif
