/* Which rows of a part a selection takes. The part is of a table that begins
 * with the columns of `sample`, as all tables of events do. */
#ifndef ANALYZE_SELECTION_ROWS_H
#define ANALYZE_SELECTION_ROWS_H

#include "analyze/columns.h"
#include "analyze/epochs.h"
#include "analyze/selection.h"

struct an_part {
	const struct tf_view *view;
	const struct an_columns *columns;
	const struct an_epoch *epoch; /* NULL: not known, so no row's ids are */
	const uint64_t *keys; /* by row, for an_event_split(); NULL: the rows
			       * belong to the events that they name */
};

/* The columns that deciding needs: bits by enum tf_sample_column. */
uint64_t an_selection_columns(const struct an_selection *sel);

/* The numbers of the selected rows, ascending, into kept[0..]; it has room for
 * all rows of the part. Without a selection, NULL, that is all of them. */
size_t an_selection_rows(const struct an_selection *sel,
			 const struct an_trace *t,
			 const struct an_part *p, uint32_t *kept);

#endif
