/* Groups whose leader samples for all: what the others counted between two
 * samples of it. */
#ifndef RECORD_PERF_GROUP_H
#define RECORD_PERF_GROUP_H

#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_group_value {
	uint64_t value, id, lost;
};

/* Iterates over a PERF_FORMAT_GROUP reading. */
struct rec_group_reading {
	struct span rest;
	uint64_t left;
	bool has_lost;
};

/* false: it makes no sense. `read_format` has GROUP and ID. */
bool rec_group_begin(struct rec_group_reading *g, uint64_t read_format,
		     struct span read);
bool rec_group_next(struct rec_group_reading *g, struct rec_group_value *v);

#endif
