/* The kinds of event that a text can name, one row each. */
#ifndef RECORD_PERF_EVENT_KINDS_H
#define RECORD_PERF_EVENT_KINDS_H

#include "record/perf/event.h"

#include <stdbool.h>
#include <stddef.h>

#define REC_EVENT_NAME_MAX 64

struct rec_event_kind {
	/* Fills type and config (and the unit) where `name`, without its
	 * modifiers, is of this kind. 0, 1: not of this kind, or a failure. */
	int (*parse)(struct rec_event *e, const char *name, struct err *err);

	/* The i-th name of this kind, for suggestions and lists; false: there
	 * are no more. NULL: its names cannot be listed. */
	bool (*name)(size_t i, char to[REC_EVENT_NAME_MAX]);
};

extern const struct rec_event_kind rec_event_kinds[];
extern const size_t rec_n_event_kinds;

#endif
