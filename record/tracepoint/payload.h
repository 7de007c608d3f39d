/* The payload of a tracepoint's record to the columns of its table. */
#ifndef RECORD_TRACEPOINT_PAYLOAD_H
#define RECORD_TRACEPOINT_PAYLOAD_H

#include "format/base/span.h"
#include "format/builder.h"
#include "record/stack/stacks.h"
#include "record/state/defs.h"
#include "record/tracepoint/format.h"

#include <stdbool.h>
#include <stdint.h>

#define REC_PAYLOAD_NAME 16u  /* TASK_COMM_LEN: bytes of a thread's name */
#define REC_PAYLOAD_NAMES 256u

/* What payloads are turned into rows with. */
struct rec_payload {
	struct rec_defs *defs;
	struct rec_stacks *stacks; /* names the functions that are pointed to*/
	uint64_t cut; /* fields that lay beyond their record: 0 or empty */

	/* Names of threads come again and again; by their bytes. */
	struct rec_payload_name {
		uint64_t key[2];
		uint32_t epoch; /* + 1 */
		uint32_t id;
	} names[REC_PAYLOAD_NAMES];
};

/* Sets the columns from TF_PAYLOAD_FLAGS on of the builder's next row. */
void rec_payload_set(struct rec_payload *p, const struct rec_tracepoint *t,
		     struct span raw, struct tf_builder *b);

/* The number in a field of a record, by its place among the fields; false: it
 * has none there. */
bool rec_payload_number(uint64_t *out, const struct rec_tracepoint *t,
			size_t field, struct span raw);

/* The key of a record: its field "id" (rec_tracepoint.key >= 0). */
uint32_t rec_payload_key(const struct rec_tracepoint *t, struct span raw);

#endif
