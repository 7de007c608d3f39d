/* One round of the recording: the side band up to a moment, then the samples
 * up to that moment. What is newer waits for the next round, so that a sample
 * never meets a world that is older than itself. */
#ifndef RECORD_DRAIN_H
#define RECORD_DRAIN_H

#include "format/base/err.h"
#include "record/loss.h"
#include "record/perf/perf.h"
#include "record/stack/stacks.h"
#include "record/state/world.h"
#include "record/tracepoint/payload.h"
#include "record/tracepoint/tracepoints.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rec_drain {
	struct rec_perf *perf;
	struct rec_world *world;
	struct rec_defs *defs;
	struct rec_stacks *stacks;
	struct rec_losses *losses;
	struct rec_tracepoints *tracepoints;
	struct rec_payload payload;
	pid_t own_pid, symbols_pid; /* left out, see rec_drain_round() */
	bool keep_own;          /* but not where this is asked for */
	bool kernel_counts_loss; /* PERF_FORMAT_LOST; else LOST records count */

	uint64_t round_ns;     /* T of the last whole round: everything before
				* it has been seen */
	uint64_t published_ns; /* the watermark of the rows so far */
	uint64_t samples;      /* rows, of all events */
	uint64_t switches;     /* rows of the switch table */
	uint64_t own_samples;  /* left out */
};

/* Of rec and its helpers samples and system calls are left out; rows of other
 * tracepoints are kept and labelled, since they explain who held the CPU.
 *
 * Drains up to now; `last`: everything, there will be no further round. 0; 1:
 * the writer is behind and the rest was left to the kernel. */
int rec_drain_round(struct rec_drain *d, bool last, struct err *err);

#endif
