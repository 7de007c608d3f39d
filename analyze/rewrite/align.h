/* How far the clocks of two recordings are apart, by the readings of their
 * monotonic and real clocks. */
#ifndef ANALYZE_REWRITE_ALIGN_H
#define ANALYZE_REWRITE_ALIGN_H

#include "analyze/trace.h"

/* Real minus monotonic time, over all readings of a recording. */
struct an_offset {
	size_t n;          /* readings; 0: the rest is not known */
	int64_t min, max;  /* ns; apart where a clock was set or drifted */
};

/* Readings that no clock can have are left out. */
struct an_offset an_offset_of(const struct an_trace *t);

/* What to add to times of `b` so that they are on the monotonic clock of `a`,
 * and by how much that may be wrong as far as the readings tell; that the real
 * clocks of both showed the same is taken for granted. */
struct an_shift {
	int64_t ns;
	uint64_t uncertain_ns;
	bool unsure; /* one of them has a single reading, which tells nothing of
		      * how wrong it is */
};
struct an_shift an_offset_between(const struct an_offset *a,
				  const struct an_offset *b);

/* "+1.5 s", "-200 ms". */
#define AN_SHIFT_TEXT 40
void an_shift_text(char to[AN_SHIFT_TEXT], int64_t ns);
/* "uncertain by 70 us" */
#define AN_UNCERTAIN_TEXT 64
void an_shift_uncertain_text(char to[AN_UNCERTAIN_TEXT],
			     const struct an_shift *s);

#endif
