/* How long a run took: by the clock, and of the CPU for it and its children, as
 * perf's duration_time, user_time and system_time. */
#ifndef RECORD_STAT_ELAPSED_H
#define RECORD_STAT_ELAPSED_H

#include "record/counter/reading.h"

#include <stdbool.h>
#include <stdint.h>

#define REC_ELAPSED_TIMES 3u

struct rec_elapsed {
	uint64_t begin_ns[REC_ELAPSED_TIMES];
	uint32_t series[REC_ELAPSED_TIMES];
	unsigned n; /* of these times; 0: it has not begun */
};

/* Before the command is let go; without one only the clock tells. */
void rec_elapsed_begin(struct rec_elapsed *e, struct rec_readings *to,
		       bool command, uint32_t run);

/* When its end has been taken; by the clock it was over at `end_ns`. Nothing
 * happens where it has not begun. */
void rec_elapsed_end(struct rec_elapsed *e, struct rec_readings *to,
		     uint64_t end_ns);

#endif
