/* What comes between the rows of a dump at its time: marks and readings of
 * counters. */
#ifndef ANALYZE_DUMP_BETWEEN_H
#define ANALYZE_DUMP_BETWEEN_H

#include "analyze/dump/readings.h"
#include "analyze/marks.h"

#include <stdbool.h>
#include <stdio.h>

struct an_between {
	const struct an_trace *t;
	struct an_mark_walk marks;
	struct an_readings readings;
	FILE *to;
	bool json;  /* else text */
};

/* Those that are selected; `to` and `json` are set by the caller. Release with
 * an_between_fini(), whatever comes back. */
int an_between_init(struct an_between *b, struct an_trace *t,
		    const struct an_selection *sel, struct err *err);
void an_between_fini(struct an_between *b); /* a zeroed one is fine */

/* Those that come before a row of that time and were not yet printed. */
int an_between_print(struct an_between *b, uint64_t before, struct err *err);

#endif
