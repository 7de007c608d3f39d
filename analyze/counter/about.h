/* Readings of counters in an overview of a trace. */
#ifndef ANALYZE_COUNTER_ABOUT_H
#define ANALYZE_COUNTER_ABOUT_H

#include "analyze/overview.h"

#include "format/base/json.h"

#include <stdio.h>

/* A line with a left side of that width, or the members of an open object.
 * Without any readings, nothing. */
void an_readings_print(const struct an_trace *t, const struct an_overview *o,
		       FILE *to, int left);
void an_readings_json(const struct an_trace *t, const struct an_overview *o,
		      struct json *j);

#endif
