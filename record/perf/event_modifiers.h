/* What stands behind the last colon of an event: u k h, G H, p, P, I, D, S, W,
 * e. */
#ifndef RECORD_PERF_EVENT_MODIFIERS_H
#define RECORD_PERF_EVENT_MODIFIERS_H

#include "record/perf/event.h"

#include <stdbool.h>

/* Whether `text` consists of modifiers only. */
bool rec_modifiers_are(const char *text);

/* Adds them to those that the event has; ERR_USAGE names the one that is
 * unknown or too much, and the event as it was written. */
int rec_modifiers_apply(struct rec_event *e, const char *whole,
			const char *text, struct err *err);

#endif
