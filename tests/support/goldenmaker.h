/* A small trace file on its way through the writer, for the makers of stored
 * files. After the first failure the steps do nothing. */
#ifndef TESTS_SUPPORT_GOLDENMAKER_H
#define TESTS_SUPPORT_GOLDENMAKER_H

#include "format/builder.h"
#include "format/writer.h"

#include <stddef.h>
#include <stdint.h>

struct goldenmaker {
	struct tf_writer *w;
	struct err *err;
	int rc;
};

/* `table` is announced, unless it is NULL. */
void goldenmaker_begin(struct goldenmaker *m, struct tf_sink *sink,
		       const struct tf_table *table, struct err *err);

/* The file ends here, whatever went wrong before, as a recorder would do. */
int goldenmaker_end(struct goldenmaker *m);

/* A builder with room for n rows, or NULL. */
struct tf_builder *goldenmaker_rows(struct goldenmaker *m,
				    const struct tf_table *t, uint32_t n);
void goldenmaker_commit(struct goldenmaker *m, struct tf_builder *b);

/* Rows of a table of the catalog whose columns are numbers, all of them, from
 * n values one row behind another. */
struct tf_builder *goldenmaker_numbers(struct goldenmaker *m, uint32_t table,
				       const uint64_t *v, size_t n);
struct tf_builder *goldenmaker_strings(struct goldenmaker *m,
				       const char *const *s); /* NULL-ended */
/* Stacks on these parents, all of frame 0. */
struct tf_builder *goldenmaker_stacks(struct goldenmaker *m,
				      const uint64_t *parents, size_t n);

/* Writes one chunk of these and frees them. */
void goldenmaker_chunk(struct goldenmaker *m, uint32_t epoch,
		       struct tf_builder **b, size_t n);

#endif
