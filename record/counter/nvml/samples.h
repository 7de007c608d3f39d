/* Power as the driver samples it, some tens of times a second, whatever the
 * interval of our readings: it keeps the last ones. */
#ifndef RECORD_COUNTER_NVML_SAMPLES_H
#define RECORD_COUNTER_NVML_SAMPLES_H

#include "record/counter/nvml/gpu.h"

#include <stddef.h>
#include <stdint.h>

struct rec_nvml_samples {
	struct rec_nvml_line line;
	struct nvml_sample *room;
	size_t cap;
	uint64_t since_us; /* of the last one that was taken; 0: none */
};

void rec_nvml_samples_read(struct rec_nvml_samples *s, struct rec_nvml_gpu *g);
void rec_nvml_samples_end(struct rec_nvml_samples *s, struct rec_nvml_gpu *g);
void rec_nvml_samples_fini(struct rec_nvml_samples *s);

#endif
