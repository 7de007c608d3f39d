/* libtraceevent made ready to print one tracepoint. */
#ifndef ANALYZE_TRACEPOINT_HANDLE_H
#define ANALYZE_TRACEPOINT_HANDLE_H

#include "analyze/trace.h"
#include "analyze/tracepoint/functions.h"
#include "analyze/tracepoint/guard.h"
#include "analyze/tracepoint/layout.h"

#include <traceevent/event-parse.h>

struct an_handle {
	struct tep_handle *tep;
	struct tep_event *event; /* NULL: the format is of no use at all */
	struct an_guard guard;
	bool unusable;           /* it cannot be printed with: if there is an
				  * event it prints its fields */
};

/* What all handles of a trace share. */
struct an_handle_maker {
	const struct an_trace *t;
	struct an_functions functions;
	uint32_t long_size, page_size;
};

int an_handle_maker_init(struct an_handle_maker *m, const struct an_trace *t,
			 struct err *err);
void an_handle_maker_fini(struct an_handle_maker *m); /* zeroed is fine */

/* `m` outlives the handle, and the layout is that of the tracepoint. */
int an_handle_init(struct an_handle *h, struct an_handle_maker *m,
		   const struct an_tracepoint *tp, const struct an_layout *l,
		   struct err *err);
void an_handle_fini(struct an_handle *h); /* a zeroed one is fine */

#endif
