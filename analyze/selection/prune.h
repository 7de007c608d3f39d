/* Tells the reader which parts a selection rules out by what they state of
 * their CPUs, threads and events. */
#ifndef ANALYZE_SELECTION_PRUNE_H
#define ANALYZE_SELECTION_PRUNE_H

#include "analyze/columns.h"
#include "analyze/selection.h"

/* For a table that begins with the columns of `sample`, found as `c` says.
 * `sel`, which may be NULL, must outlive the cursor. */
void an_selection_only(const struct an_selection *sel,
		       const struct an_columns *c,
		       struct tf_only only[TF_MAX_ONLY]);

#endif
