/* What a picture tells of a span in words. */
#ifndef ANALYZE_TIMELINE_FACTS_H
#define ANALYZE_TIMELINE_FACTS_H

#include "analyze/timeline/data.h"

/* Lines of markup: name, lane, kind, length and time, details. */
void an_span_facts(FILE *to, const struct an_timeline *tl,
		   const struct an_lane *l, const struct an_span *s,
		   uint64_t origin);

/* Where the marks of a ruler are: steps of 1, 2 or 5 times a power of ten, none
 * less than `least` ns. */
uint64_t an_nice_step(uint64_t least);

/* The time with the unit that suits the step: "1,250 ms" without the comma. */
void an_tick_text(FILE *to, uint64_t ns, uint64_t step);

#endif
