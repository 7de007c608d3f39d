/* What a record becomes, once it is known whose it is and where: a row. */
#ifndef RECORD_DRAIN_ROWS_H
#define RECORD_DRAIN_ROWS_H

#include "record/perf/decode.h"
#include "record/perf/event.h"
#include "record/stack/stacks.h"
#include "record/state/defs.h"
#include "record/state/threads.h"
#include "record/tracepoint/payload.h"

#include <stdint.h>

/* One event's share of a record: what became of it, and for whom. */
struct rec_taken {
	const struct rec_record *r;
	int index;                 /* of the event */
	const struct rec_event *event;
	struct rec_tracepoint *tracepoint; /* NULL: none */
	struct rec_thread *thread;
	struct rec_place place;
};

/* There is room for it, see rec_sink_reserve(). */
void rec_rows_sample(struct rec_payload *p, const struct rec_taken *t,
		     uint64_t period);
void rec_rows_switch(struct rec_defs *d, const struct rec_record *r,
		     struct rec_thread *thread);

#endif
