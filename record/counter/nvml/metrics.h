/* What a GPU can be asked for with one call: load, memory, power, clocks. */
#ifndef RECORD_COUNTER_NVML_METRICS_H
#define RECORD_COUNTER_NVML_METRICS_H

#include "record/counter/nvml/gpu.h"

#include <stdbool.h>

/* At least as many as the table has rows. */
#define REC_NVML_METRICS 40

struct rec_nvml_metrics {
	struct rec_nvml_line lines[REC_NVML_METRICS]; /* as the table's rows */
	bool read[REC_NVML_METRICS]; /* once is enough */
};

/* A call that measures for 20 ms by itself needs an interval ten times as long,
 * times the GPUs: there are two such calls of each. */
#define REC_NVML_SLOW_NS 200000000u

/* Asks for each that can be had. Throughput of PCIe is left out where intervals
 * are too short for it, and where `gpm` tells it under the same names. */
void rec_nvml_metrics_read(struct rec_nvml_metrics *m, struct rec_nvml_gpu *g,
			   bool gpm);
void rec_nvml_metrics_end(struct rec_nvml_metrics *m, struct rec_nvml_gpu *g);

#endif
