/* Records that nothing is done with: how many of each type. */
#ifndef RECORD_IMPORT_PERFDATA_UNUSED_H
#define RECORD_IMPORT_PERFDATA_UNUSED_H

#include "record/import/intake.h"

#include <stddef.h>
#include <stdint.h>

#define REC_PD_UNUSED_TYPES 32u

struct rec_pd_unused {
	struct rec_pd_unused_type {
		uint32_t type;
		uint64_t n;
	} types[REC_PD_UNUSED_TYPES];
	size_t n_types;
	uint64_t others;    /* of further types */
	uint64_t aux_bytes; /* of traces of hardware (AUXTRACE) */
};

void rec_pd_unused_add(struct rec_pd_unused *u, uint32_t type);

/* Says so in the trace: what people would miss as a note, the rest as a fact. */
void rec_pd_unused_tell(const struct rec_pd_unused *u, struct rec_intake *to);

#endif
