/* Which clock the times of a trace are of. Recorded here it is the monotonic
 * one; what was imported has the clock of whoever recorded it. */
#ifndef ANALYZE_CLOCK_H
#define ANALYZE_CLOCK_H

#include "analyze/trace.h"

#include <stdio.h>

/* As the fact `clock` has it; "unknown" where nothing tells. Of a trace that was
 * merged it is that of the first one. */
const char *an_clock_name(const struct an_trace *t);

/* The same for people: "monotonic clock". */
void an_clock_print(const struct an_trace *t, FILE *to);

#endif
