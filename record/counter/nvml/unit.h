/* All that is read of one GPU, in the order that it is read. */
#ifndef RECORD_COUNTER_NVML_UNIT_H
#define RECORD_COUNTER_NVML_UNIT_H

#include "record/counter/nvml/gpm.h"
#include "record/counter/nvml/gpu.h"
#include "record/counter/nvml/metrics.h"
#include "record/counter/nvml/mig.h"
#include "record/counter/nvml/processes.h"
#include "record/counter/nvml/samples.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_nvml_unit {
	struct rec_nvml_gpu gpu;
	struct rec_nvml_metrics metrics;
	struct rec_nvml_gpm gpm;
	struct rec_nvml_processes processes;
	struct rec_nvml_samples samples;
	struct rec_nvml_mig mig;
	struct rec_nvml_line suspended, xid;
	bool watched; /* for Xids, or it was tried */
	bool ended;   /* the GPU was lost, and that is said */
};

/* Learns who the GPU is from its device or its address, of which one is set. A
 * GPU that sleeps keeps doing so: its device comes with a later reading. An
 * enum nvml_code. */
int rec_nvml_unit_begin(struct rec_nvml_unit *u);

/* One reading of everything, unless the GPU sleeps: asking would wake it. */
void rec_nvml_unit_read(struct rec_nvml_unit *u);

/* An Xid that the driver reported; 0 before the first one. */
void rec_nvml_unit_xid(struct rec_nvml_unit *u, uint64_t xid);

void rec_nvml_unit_fini(struct rec_nvml_unit *u);

/* Whether /sys says so of the device at that address. */
bool rec_nvml_is_asleep(const char *root, const char *address);

#endif
