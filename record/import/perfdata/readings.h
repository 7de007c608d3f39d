/* Values of counters that are read with samples: what each counted since its
 * reading before. */
#ifndef RECORD_IMPORT_PERFDATA_READINGS_H
#define RECORD_IMPORT_PERFDATA_READINGS_H

#include "format/base/map64.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_pd_readings {
	struct map64 counters; /* id → number of a counter */
	uint32_t n_counters;
	struct map64 places;   /* counter and thread → place in values */
	uint64_t *values;
	size_t n, cap;
};

void rec_pd_readings_fini(struct rec_pd_readings *r); /* zeroed is fine */

/* The difference to the reading before, of this thread where counters are
 * inherited (`tid`, else 0). false: out of memory. */
bool rec_pd_readings_delta(struct rec_pd_readings *r, uint64_t id, int32_t tid,
			   uint64_t value, uint64_t *delta);

/* A reading that is no group's. false: it is cut short. *has_id: it tells whose
 * it is. */
bool rec_pd_reading_one(struct span read, uint64_t read_format, uint64_t *value,
			uint64_t *id, bool *has_id);

#endif
