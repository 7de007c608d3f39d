/* Payloads of tracepoints that a big-endian machine recorded. */
#ifndef RECORD_IMPORT_PERFDATA_PAYLOAD_H
#define RECORD_IMPORT_PERFDATA_PAYLOAD_H

#include "format/base/span.h"
#include "record/tracepoint/format.h"

#include <stdint.h>

#define REC_PD_PAYLOAD_MAX 65536u

/* A copy of the payload in `to` (REC_PD_PAYLOAD_MAX bytes) with the numbers that
 * the format knows turned round. Without a format there is none. */
struct span rec_pd_payload_turn(const struct rec_tracepoint *format,
				struct span raw, uint8_t *to);

#endif
