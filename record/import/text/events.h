/* The events of a text, by their names: what is known of each is what its name
 * and its first line tell. */
#ifndef RECORD_IMPORT_TEXT_EVENTS_H
#define RECORD_IMPORT_TEXT_EVENTS_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/intern.h"
#include "record/import/text/shape.h"

#include <stdbool.h>
#include <stddef.h>

#define REC_TEXT_EVENTS_MAX 4096u

struct rec_intake;

struct rec_text_event {
	struct span name;             /* NUL-terminated */
	struct span system, tracepoint; /* empty: it is none */
	bool has_plain;
	size_t plain;                 /* index of the one without payload */
	struct rec_text_shape *shape; /* of the one with; NULL: none yet */
	size_t payload;               /* its index */
};

struct rec_text_events {
	struct intern names;
	struct rec_text_event *items;
	size_t n, cap;
	size_t n_told;     /* to the intake */
	size_t last;       /* index: names come in runs */
	bool chains;       /* stacks were asked for */
	struct buf raw;    /* of the last record */
	uint64_t misfits;  /* values that are only in the field "text" */
};

void rec_text_events_fini(struct rec_text_events *e); /* zeroed is ready */

/* The event of this name: "cycles:u", "sched:sched_switch". 1: there are too
 * many. */
int rec_text_events_named(struct rec_text_events *e, struct span name,
			  struct rec_text_event **out, struct err *err);

/* ftrace's, by the name alone: "sched_switch". */
int rec_text_events_traced(struct rec_text_events *e, struct span name,
			   struct rec_text_event **out, struct err *err);

/* Its index where a row has no payload. */
int rec_text_events_plain(struct rec_text_events *e, struct rec_intake *to,
			  struct rec_text_event *event, size_t *index,
			  struct err *err);

/* Its index where it has: *raw is the record, until the next call. */
int rec_text_events_payload(struct rec_text_events *e, struct rec_intake *to,
			    struct rec_text_event *event, int32_t pid,
			    struct span payload, size_t *index,
			    struct span *raw, struct err *err);

/* Facts about what did not fit. */
void rec_text_events_tell(const struct rec_text_events *e,
			  struct rec_intake *to);

#endif
