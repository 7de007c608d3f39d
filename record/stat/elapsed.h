/* How long a run took: by the clock, and of the CPU for it and its children, as
 * perf's duration_time, user_time and system_time. */
#ifndef RECORD_STAT_ELAPSED_H
#define RECORD_STAT_ELAPSED_H

#include "record/counter/reading.h"

#include <stdint.h>

#define REC_ELAPSED_TIMES 3u

struct rec_elapsed {
	uint64_t begin_ns[REC_ELAPSED_TIMES];
	uint32_t series[REC_ELAPSED_TIMES];
};

/* Before the command is let go. */
void rec_elapsed_begin(struct rec_elapsed *e, struct rec_readings *to,
		       uint32_t run);

/* When its end has been taken. */
void rec_elapsed_end(struct rec_elapsed *e, struct rec_readings *to);

#endif
