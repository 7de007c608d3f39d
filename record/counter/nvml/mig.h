/* The instances that a GPU is divided into where MIG is on (A100, H100 and such).
 *
 * A GPU has GPU instances, with memory and SMs of their own, and each of them has
 * compute instances, which share its memory. NVML gives a device for each of the
 * latter. Where it is alone in its GPU instance, as is usual, it is told of with
 * all that is known of that one; where it is not, performance counters, which
 * count for the GPU instance, are told of under a name that is its alone. */
#ifndef RECORD_COUNTER_NVML_MIG_H
#define RECORD_COUNTER_NVML_MIG_H

#include "record/counter/nvml/gpm.h"
#include "record/counter/nvml/gpu.h"
#include "record/counter/nvml/metrics.h"
#include "record/counter/nvml/processes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_nvml_instance {
	struct rec_nvml_gpu gpu; /* `part` NVML_NO_INSTANCE: several compute
				  * instances together */
	struct rec_nvml_metrics metrics;
	struct rec_nvml_gpm gpm;
	struct rec_nvml_processes processes;
	struct rec_nvml_line xid;
	char uuid[NVML_NAME_SIZE]; /* empty: not told */
	bool met;    /* by the search at hand */
	bool shares; /* its counters are told of with those of others */
	bool ended;  /* it was lost, and that is said */
};

struct rec_nvml_mig {
	struct rec_nvml_instance *all;
	size_t n, cap;
	bool over; /* there is nothing to search for */
};

/* Searches for instances: new ones begin, those that are gone end, and both of
 * it is said. Sets what `g` knows of MIG. Handles may come to mean another
 * instance, so this is done before each reading. */
void rec_nvml_mig_find(struct rec_nvml_mig *m, struct rec_nvml_gpu *g);

/* One reading of each. `gpm`: the GPU has performance counters. */
void rec_nvml_mig_read(struct rec_nvml_mig *m, bool gpm);

/* The time since is not wanted. */
void rec_nvml_mig_skip(struct rec_nvml_mig *m);

/* Whether that is one of them. */
bool rec_nvml_mig_has(const struct rec_nvml_mig *m,
		      const struct nvml_device *d);

/* Takes an Xid that is of one of them; false: of none. */
bool rec_nvml_mig_xid(struct rec_nvml_mig *m, const struct nvml_event *event);

void rec_nvml_mig_end(struct rec_nvml_mig *m);
void rec_nvml_mig_fini(struct rec_nvml_mig *m);

#endif
