/* What a tracepoint's rows say: their fields, and the text that `perf script`
 * and `trace-cmd report -N` print for them. */
#ifndef ANALYZE_TRACEPOINT_PAYLOAD_H
#define ANALYZE_TRACEPOINT_PAYLOAD_H

#include "analyze/trace.h"

#include "format/base/buf.h"
#include "format/base/json.h"

struct an_payloads; /* of a trace */

int an_payloads_new(struct an_payloads **out, struct an_trace *t,
		    struct err *err);
void an_payloads_free(struct an_payloads *p); /* NULL is fine */

/* Appends the record of a row to `to`; nothing for a row that has no payload.
 * Nothing either where a column that it needs is absent; all must have been asked
 * for. Such a record stays valid as long as
 * its bytes do. */
int an_payload_record(struct an_payloads *p, uint32_t event,
		      const struct tf_view *v, uint32_t row, int32_t tid,
		      struct buf *to, struct err *err);

/* The text lives until the next call. Of a tracepoint whose format cannot be
 * used it is the fields, as perf has them. */
int an_payload_text(struct an_payloads *p, uint32_t event, struct span record,
		    struct span *out, struct err *err);

/* Members of an open object. */
int an_payload_json(struct an_payloads *p, uint32_t event, struct span record,
		    struct json *j, struct err *err);

/* Marks the events whose format cannot be printed with: unusable[0..], by
 * event. *n is their number. */
int an_payloads_check(struct an_payloads *p, bool *unusable, size_t *n,
		      struct err *err);

/* Warns of the tracepoints with such formats that were met. */
void an_payloads_warn(const struct an_payloads *p, const struct log *log);

#endif
