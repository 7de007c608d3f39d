/* The kinds of event that a text can name, one row each. */
#ifndef RECORD_PERF_EVENT_KIND_H
#define RECORD_PERF_EVENT_KIND_H

#include "record/perf/event.h"

#include <stdbool.h>
#include <stddef.h>

#define REC_EVENT_NAME_MAX 64

struct rec_event_kind {
	/* Appends what `name`, without terms and modifiers, stands for: type,
	 * config and what else its kind says. 0, 1: not of this kind, or a
	 * failure; the caller drops what was appended before it. */
	int (*parse)(struct rec_events *to, const char *name,
		     struct err *err);

	/* The i-th name of this kind, for suggestions and lists; false: there
	 * are no more. NULL: its names cannot be listed. */
	bool (*name)(size_t i, char to[REC_EVENT_NAME_MAX]);
};

extern const struct rec_event_kind rec_kind_named, rec_kind_cache, rec_kind_raw,
	rec_kind_alias, rec_kind_breakpoint, rec_kind_tracepoint;

extern const struct rec_event_kind *const rec_event_kinds[];
extern const size_t rec_n_event_kinds;

/* Appends an event that is its own leader; NULL: out of memory. `name` may be
 * NULL: it is then named by the text it was written as. */
struct rec_event *rec_events_append(struct rec_events *to, const char *name,
				    struct err *err);

/* Before /sys. */
const char *rec_events_root(const struct rec_events *e);

#endif
