/* The first line of a sample, as perf script prints it. Each of its fields may be
 * missing; the name of the thread is whatever is left. */
#ifndef RECORD_IMPORT_TEXT_HEADER_H
#define RECORD_IMPORT_TEXT_HEADER_H

#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_text_header {
	struct span comm;    /* may be empty */
	struct span event;   /* empty: not told */
	struct span rest;    /* behind the event's name: payload or a frame */
	int32_t pid, tid;
	uint64_t time, period;
	uint32_t cpu;
	bool has_tid, has_pid, has_cpu, has_time, has_period;
};

/* Spans point into the line. A header with a time is found anywhere in the
 * line; one without is taken for one only where `lax` is set. */
bool rec_text_header(struct span line, bool lax, struct rec_text_header *out);

#endif
