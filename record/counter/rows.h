/* Readings to rows of the file: series once in each epoch, and readings. */
#ifndef RECORD_COUNTER_ROWS_H
#define RECORD_COUNTER_ROWS_H

#include "record/counter/reading.h"
#include "record/state/defs.h"
#include "record/state/row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_counter_rows {
	struct rec_row *series; /* by number: the row of this epoch */
	size_t n, cap;
	struct rec_readings_row *taken; /* room to take readings into */
	size_t taken_cap, n_taken, at;
	uint64_t written;               /* readings */
	size_t missing;                 /* facts that were written */
	uint32_t missing_epoch;         /* + 1: in this epoch */
};

/* Writes what waits in `r`. false: the writer is behind, what is left stays. */
bool rec_counter_rows_write(struct rec_counter_rows *w, struct rec_readings *r,
			    struct rec_defs *defs);

/* What did not become rows: times whose turn had passed, readings dropped. */
void rec_fact_counters(struct rec_defs *defs, uint64_t late, uint64_t dropped);

/* CPUs that went or came while they were counted, where any did. */
void rec_fact_counter_cpus(struct rec_defs *defs, struct rec_readings *r);

void rec_counter_rows_fini(struct rec_counter_rows *w); /* zeroed is fine */

#endif
