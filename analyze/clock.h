/* Which clock the times of a trace are of. Recorded here it is the monotonic
 * one; what was imported has the clock of whoever recorded it. */
#ifndef ANALYZE_CLOCK_H
#define ANALYZE_CLOCK_H

#include "analyze/trace.h"

#include <stdio.h>

struct json;

/* As the fact `clock` has it; "unknown" where nothing tells. Of a trace that was
 * merged it is that of the first one. */
const char *an_clock_name(const struct an_trace *t);

/* When the recording began, Unix time. false: only when a file of it was written,
 * which is not told better: it was imported without readings of both clocks. */
bool an_clock_began(const struct an_trace *t, uint64_t *unix_ns);

/* The same for people: "2026-11-30 18:58:59 UTC". */
void an_clock_print_began(const struct an_trace *t, FILE *to);

/* Field "began_unix_ns": null where it is not known. */
void an_clock_json_began(const struct an_trace *t, struct json *j);

/* The name for people: "monotonic clock". */
void an_clock_print(const struct an_trace *t, FILE *to);

#endif
