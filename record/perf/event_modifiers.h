/* What stands behind the last colon of an event: u k h, G H, p, P, I, D. */
#ifndef RECORD_PERF_EVENT_MODIFIERS_H
#define RECORD_PERF_EVENT_MODIFIERS_H

#include "record/perf/event.h"

#include <stdbool.h>

/* Whether `text` consists of modifiers only. */
bool rec_modifiers_are(const char *text);

/* Applies them; ERR_USAGE names the one that is unknown or too much. */
int rec_modifiers_apply(struct rec_event *e, const char *text,
			struct err *err);

#endif
