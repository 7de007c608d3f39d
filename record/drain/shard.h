/* Records of some of the sample rings to rows. What it changes is its own, or
 * under the lock of its defs; what the world lacks it leaves to the round. So
 * several shards may run at the same time. */
#ifndef RECORD_DRAIN_SHARD_H
#define RECORD_DRAIN_SHARD_H

#include "format/base/err.h"
#include "record/loss.h"
#include "record/perf/perf.h"
#include "record/proc/fds.h"
#include "record/stack/stacks.h"
#include "record/state/world.h"
#include "record/tracepoint/payload.h"
#include "record/tracepoint/tracepoints.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The same for all shards; they only read it. */
struct rec_sources {
	struct rec_perf *perf;
	struct rec_world *world;
	struct rec_losses *losses; /* under the lock */
	struct rec_tracepoints *tracepoints;
	pid_t own_pid, symbols_pid; /* left out, see rec_drain_round() */
	bool keep_own;             /* but not where this is asked for */
	bool kernel_counts_loss;   /* PERF_FORMAT_LOST; else LOST records do */
	uint64_t published_ns;     /* the watermark of the rows so far */
};

/* Threads whose rows say that they work with a GPU (rec_event.gpu_caller), since
 * they were last asked for. */
#define REC_CALLERS_MAX 64u
#define REC_CALLERS_KNOWN 256u

struct rec_callers {
	struct rec_caller { pid_t pid, tid; } list[REC_CALLERS_MAX];
	unsigned n;
	pid_t known[REC_CALLERS_KNOWN]; /* by the lowest bits: was in a list */
};

/* The switch before, of those that are recorded by two events (rec_follow). */
#define REC_SWITCH_MAX 128u

struct rec_last_switch {
	uint64_t time;
	uint32_t cpu;
	size_t n; /* 0: none */
	uint8_t raw[REC_SWITCH_MAX];
};

struct rec_shard {
	const struct rec_sources *from;
	struct rec_defs *defs;
	struct rec_stacks *stacks;
	struct rec_payload payload;
	size_t first, n; /* of the rings */
	uint64_t last_id; /* of an event in the kernel; and which one it is */
	int last_event;   /* + 1; 0: none yet. Between rounds they are forgotten */

	struct rec_callers callers;
	struct rec_fd_uses files; /* of the calls that began */
	struct rec_last_switch last_switch;
	uint64_t samples;     /* rows, of all events */
	uint64_t own_samples; /* left out */

	/* How the last run ended. */
	int rc;               /* negative: failed, for the reason in err */
	struct err err;
	bool behind;          /* the writer is; the rest stays in the rings */
	bool stranger;        /* a record of a thread that the world does not
			       * know yet: of these ids */
	struct rec_ids ids;
};

/* Takes what its rings hold up to `until`, or stops at what is said above. */
void rec_shard_run(struct rec_shard *s, uint64_t until);

/* Bytes that wait in its rings. */
size_t rec_shard_waiting(const struct rec_shard *s);

#endif
