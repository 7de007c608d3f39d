/* The bytes of a tracepoint's record, laid out again from the columns of its
 * row, and the fields in them. Numbers are in the byte order of this machine. */
#ifndef ANALYZE_TRACEPOINT_RECORD_H
#define ANALYZE_TRACEPOINT_RECORD_H

#include "analyze/epochs.h"
#include "analyze/tracepoint/layout.h"

#include "format/base/buf.h"
#include "format/base/json.h"

struct an_record_row {
	const struct an_trace *t;
	const struct tf_view *view;
	const struct an_epoch *epoch; /* NULL: unknown */
	uint32_t row;
	uint64_t type; /* common_type */
	int32_t tid;
};

/* Appends a record to `to`; what does not fit its 64 KiB is cut. */
void an_record_put(struct buf *to, const struct an_layout *l,
		   const struct an_record_row *r);

/* The fields but for those of the head, as members of an open object. `record`
 * is of this layout. */
void an_record_json(struct json *j, const struct an_layout *l,
		    struct span record);

/* The bytes of a field: those that its word says where it is dynamic. */
struct span an_record_field(const struct an_field *f, struct span record);

/* One number of it. */
uint64_t an_record_number(const struct an_field *f, const uint8_t *p);

#endif
