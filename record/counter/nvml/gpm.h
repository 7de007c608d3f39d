/* What the performance counters of a GPU say: how busy its parts were between
 * two samples. From Hopper on.
 *
 * Values are thousandths of their unit: the device gives fractions, and counter
 * rows hold whole numbers. Each is the mean since the reading before. */
#ifndef RECORD_COUNTER_NVML_GPM_H
#define RECORD_COUNTER_NVML_GPM_H

#include "record/counter/nvml/gpu.h"

#include <stdbool.h>
#include <stdint.h>

/* The least time between samples that the library's documentation names; a grid
 * of readings that is as wide comes a little early now and then. */
#define REC_NVML_GPM_NS 100000000u
#define REC_NVML_GPM_EARLY_NS 5000000u

#define REC_NVML_GPM_METRICS 16

struct rec_nvml_gpm {
	bool tried, on;
	bool has;         /* the GPU has such counters, be they on or not */
	struct nvml_gpm_sample *last, *next; /* filled, to be filled */
	uint64_t last_ns; /* when `last` was asked for; 0: it is empty */
	struct rec_nvml_line lines[REC_NVML_GPM_METRICS];
};

/* Takes a sample and, from the second on, what lies between; nothing where the
 * one before is younger than REC_NVML_GPM_NS. What cannot be had is said. Of an
 * instance it is what the GPU instance did: its graphics-active goes by the name
 * of utilization, which NVML does not tell, and links are the whole GPU's. */
void rec_nvml_gpm_read(struct rec_nvml_gpm *m, struct rec_nvml_gpu *g);
void rec_nvml_gpm_end(struct rec_nvml_gpm *m, struct rec_nvml_gpu *g);

/* Forgets the sample: the time since is not wanted. */
void rec_nvml_gpm_skip(struct rec_nvml_gpm *m);
void rec_nvml_gpm_fini(struct rec_nvml_gpm *m, const struct rec_nvml *lib);

#endif
