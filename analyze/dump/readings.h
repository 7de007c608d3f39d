/* Readings of counters between the rows of a dump. */
#ifndef ANALYZE_DUMP_READINGS_H
#define ANALYZE_DUMP_READINGS_H

#include "analyze/counter/counters.h"

#include "format/base/buf.h"
#include "format/base/json.h"

struct an_dump_reading {
	const struct an_reading *r;
	uint32_t series;
};

struct an_readings {
	struct an_counters c;
	struct an_dump_reading *v; /* by time, then series */
	size_t n, next;
};

/* Those that are selected. Release with an_readings_fini(), whatever comes
 * back. */
int an_readings_init(struct an_readings *r, struct an_trace *t,
		     const struct an_selection *sel, struct err *err);
void an_readings_fini(struct an_readings *r); /* a zeroed one is fine */

/* The next one that is not later than `until`; NULL: there is none. */
const struct an_dump_reading *an_readings_next(struct an_readings *r,
					       uint64_t until);

/* "i915/rcs0-busy/: 450210000 ns (on 1000000000, counted 1000000000)". */
void an_reading_text(const struct an_trace *t, const struct an_dump_reading *r,
		     struct buf *to);
/* The members of an open object, but for its time. */
void an_reading_json(const struct an_trace *t, const struct an_dump_reading *r,
		     struct json *j);

#endif
