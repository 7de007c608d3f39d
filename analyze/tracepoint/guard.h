/* Keeps from libtraceevent what it does not defend itself against: format files
 * are outside bytes here, and the library takes them for the kernel's. */
#ifndef ANALYZE_TRACEPOINT_GUARD_H
#define ANALYZE_TRACEPOINT_GUARD_H

#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct an_layout;
struct tep_event;
struct tep_format_field;

/* Fields that say how much is printed of an array. */
#define AN_GUARD_LENGTHS 8u
struct an_guard {
	const struct tep_format_field *lengths[AN_GUARD_LENGTHS];
	unsigned n;
};

/* What may be read behind a record: it must be there, and zero. */
#define AN_GUARD_TAIL (128u << 10)

/* Before it is parsed: may the text, which has those fields, go in? */
bool an_guard_text(struct span format, const struct an_layout *l);

/* After: does printing stay inside records whose fixed part has `size` bytes and
 * whose dynamic fields are whole, and inside the tail behind them? *out is for
 * an_guard_record(). */
bool an_guard_event(struct an_guard *out, const struct tep_event *e,
		    uint32_t size);

/* The same of one record, of such an event. */
bool an_guard_record(const struct an_guard *g, const void *record);

#endif
