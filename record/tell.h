/* What is said to people when a recording has ended. */
#ifndef RECORD_TELL_H
#define RECORD_TELL_H

#include "format/base/log.h"
#include "record/counter/counters.h"
#include "record/loss.h"
#include "record/output.h"
#include "record/perf/perf.h"
#include "record/state/world.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_ending {
	const struct rec_output *output;
	const struct rec_losses *losses;
	const struct rec_world *world;
	const struct rec_perf *perf;
	const struct rec_counters *counters;
	uint64_t samples, bytes;
	bool by_size; /* --max-size ended it */
};

void rec_tell(const struct rec_ending *e, const struct log *log);

#endif
