/* What stands between the slashes of an event: "config=1,period=1000,name=x".
 * Those that any event can have are applied here. */
#ifndef RECORD_PERF_EVENT_TERMS_H
#define RECORD_PERF_EVENT_TERMS_H

#include "record/perf/event.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_term {
	const char *name;
	const char *value; /* NULL: none was given */
};

/* Takes the first term off *rest, which is cut up; false: none is left. */
bool rec_term_next(char **rest, struct rec_term *t);

/* Applies a term that any event can have. 1: it is none of these. */
int rec_term_apply(struct rec_event *e, const struct rec_term *t,
		   struct err *err);

/* Applies terms that all events can have to those from `first` on; `terms` is
 * cut up. */
int rec_terms_apply(struct rec_events *to, size_t first, char *terms,
		    struct err *err);

/* 0x and octal numbers, too; a term without a value is 1. */
bool rec_term_number(const struct rec_term *t, uint64_t *out);

/* Their names, for a message. */
#define REC_TERMS_KNOWN                                                        \
	"config, config1, config2, name, period, freq, call-graph, "           \
	"max-stack, inherit, no-inherit, time"

#endif
