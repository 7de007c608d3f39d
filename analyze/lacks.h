/* What rows had to be read without: columns that are missing in a part, or stored
 * in a way that is not known here. What depends on them is shown as lost. */
#ifndef ANALYZE_LACKS_H
#define ANALYZE_LACKS_H

#include "format/base/err.h"

#include <stdint.h>

struct an_trace;
struct tf_view;

/* Counts rows without the column at that position of their table. */
int an_lacks_add(struct an_trace *t, const struct tf_view *v, unsigned column,
		 uint64_t rows, struct err *err);

/* The same for each column of a part that is there in an unknown way. */
int an_lacks_see(struct an_trace *t, const struct tf_view *v, struct err *err);

/* Warns of what was not yet warned of: once for each column, as far as it was
 * counted by then. */
void an_lacks_say(struct an_trace *t);

#endif
