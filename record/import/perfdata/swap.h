/* Records of a big-endian machine into the form that records have here. */
#ifndef RECORD_IMPORT_PERFDATA_SWAP_H
#define RECORD_IMPORT_PERFDATA_SWAP_H

#include "record/perf/decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The 8 bytes at its head; the type and size can be read then. */
void rec_pd_swap_head(uint8_t *record);

/* The body of a record whose head is done. What is text or a copy of memory
 * stays as it is, a tracepoint's payload too. false: it contradicts its
 * layout. */
bool rec_pd_swap_body(uint8_t *record, size_t size,
		      const struct rec_layout *layout);

#endif
