/* Rows of `switch` as `perf script --show-switch-events` has them. */
#ifndef ANALYZE_DUMP_SWITCHES_H
#define ANALYZE_DUMP_SWITCHES_H

#include "analyze/merge.h"

#include "format/base/json.h"
#include "format/base/map64.h"

struct an_switches {
	const struct an_trace *t;
	struct map64 pids; /* of each thread id */
};

int an_switches_init(struct an_switches *s, const struct an_trace *t,
		     struct err *err);
void an_switches_fini(struct an_switches *s); /* a zeroed one is fine */

/* From the name of the record on, without a line break. */
void an_switch_text(const struct an_switches *s, const struct an_sample *row,
		    struct buf *to);
/* Members of an open object. */
void an_switch_json(const struct an_sample *row, struct json *j);

#endif
