/* The rings of a recording, two a CPU. Each hangs on a dummy event of this
 * thread, not on an event of a traced task: such an event would hang up with
 * its task, and an epoll set with a hung-up member never sleeps again. */
#ifndef RECORD_PERF_RINGS_H
#define RECORD_PERF_RINGS_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "record/perf/cpus.h"
#include "record/perf/facts.h"
#include "record/perf/ring.h"

#include <stddef.h>

enum rec_ring_kind { REC_RING_SIDEBAND, REC_RING_SAMPLES, REC_RING_KINDS };

struct rec_cpu_rings {
	int cpu;
	int fd[REC_RING_KINDS]; /* events redirect their output to these */
	struct rec_ring *ring[REC_RING_KINDS];
};

struct rec_rings {
	struct rec_cpu_rings *items;
	size_t n;
	size_t size[REC_RING_KINDS]; /* bytes of each */
	int epoll;                   /* readable: a ring is half full */
};

/* `wanted` bytes a sample ring, or 0: `usual` ones as far as the limits allow.
 * On failure *r is to be given to rec_rings_fini(), too. */
int rec_rings_init(struct rec_rings *r, const struct rec_cpus *cpus,
		   size_t wanted, size_t usual,
		   const struct rec_perf_facts *facts,
		   const struct log *log, struct err *err);
void rec_rings_fini(struct rec_rings *r); /* zeroed is fine */

#endif
