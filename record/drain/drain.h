/* One round of the recording: the side band up to a moment, then the samples
 * up to that moment. What is newer waits for the next round, so that a sample
 * never meets a world that is older than itself.
 *
 * The sample rings are shared out among shards, which run side by side; each
 * has definitions and epochs of its own. */
#ifndef RECORD_DRAIN_DRAIN_H
#define RECORD_DRAIN_DRAIN_H

#include "format/base/err.h"
#include "record/drain/crew.h"
#include "record/drain/shard.h"
#include "record/state/row.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct rec_drain {
	struct rec_sources from;
	struct rec_shard shards[REC_SHARDS_MAX];
	unsigned n_shards;
	struct rec_crew crew;
	pthread_mutex_t lock;  /* of what the shards share */
	uint64_t round_ns;     /* T of the last whole round: everything before
				* it has been seen */
};

/* How many shards suit a recording; `asked`: how many somebody asked for, or
 * 0. */
unsigned rec_drain_n_shards(const struct rec_perf *perf, uint64_t asked);

/* `from` is set before, the rest zeroed. The first shard works with what is
 * given, the others with what is like it. On failure *d is to be given to
 * rec_drain_fini(), too; that comes before the end of defs and stacks. */
int rec_drain_init(struct rec_drain *d, struct rec_defs *defs,
		   struct rec_stacks *stacks, unsigned shards,
		   struct err *err);
void rec_drain_fini(struct rec_drain *d); /* zeroed is fine */

/* Lets the events begin, and drains what comes meanwhile. */
int rec_drain_enable(struct rec_drain *d, struct err *err);

/* Of rec and its helpers samples and system calls are left out; rows of other
 * tracepoints are kept and labelled, since they explain who held the CPU.
 *
 * Drains up to now; `last`: everything, there will be no further round. 0; 1:
 * the writer is behind and the rest was left to the kernel. */
int rec_drain_round(struct rec_drain *d, bool last, struct err *err);

/* Between rounds: new epochs where they are due; what there is to the writer. */
void rec_drain_epochs(struct rec_drain *d, uint64_t now_ns);
void rec_drain_flush(struct rec_drain *d);
void rec_drain_flush_names(struct rec_drain *d); /* names alone */

/* Between rounds: gives the threads that work with a GPU and were met since the
 * last time; some of them again. */
void rec_drain_callers(struct rec_drain *d,
		       void (*each)(void *ctx, pid_t pid, pid_t tid),
		       void *ctx);

/* Between rounds: the files that calls were on since the last time. */
void rec_drain_files(struct rec_drain *d, struct rec_fds *f, uint64_t now_ns);

/* So far. */
struct rec_drain_totals {
	uint64_t samples;     /* rows of all events */
	uint64_t own_samples; /* of rec itself, left out */
	uint64_t cut_fields;  /* of payloads, that lay beyond their records */
};
struct rec_drain_totals rec_drain_totals(const struct rec_drain *d);

#endif
