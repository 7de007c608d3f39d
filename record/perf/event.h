/* Events as perf writes them: text to perf_event_attr. Knows names and
 * modifiers, opens nothing. */
#ifndef RECORD_PERF_EVENT_H
#define RECORD_PERF_EVENT_H

#include "format/base/err.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

struct rec_event {
	char *name;        /* as the user wrote it; owned */
	const char *unit;  /* of its period: "ns" for clocks, else "" */
	struct perf_event_attr attr; /* type, config, exclude_* and what the
				      * text asked for; the rest is set later */
	bool user_only, kernel_only; /* by modifier */
	bool fixed_rate;   /* the text itself set a period or a frequency */
	bool precise_max;  /* P: attr.precise_ip may be lowered */
	bool guest_set;    /* G or H: exclude_guest is the user's word */
};

struct rec_events {
	struct rec_event *items;
	size_t n;
	size_t cap;
};

/* Adds the events of one -e text ("cpu-clock,page-faults:u"). ERR_USAGE names
 * the part that is unknown and near matches; on failure *e is as before. */
int rec_events_add(struct rec_events *e, const char *text, struct err *err);
void rec_events_fini(struct rec_events *e);

/* The event to take when none is named: cycles where the hardware counts
 * them, else cpu-clock; *why says in a few words why not cycles (NULL: it is
 * cycles). */
int rec_events_default(struct rec_events *e, const char **why, struct err *err);

#endif
