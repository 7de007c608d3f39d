/* Who uses a GPU: the memory and the load of each process.
 *
 * The load is what the driver sampled since the last reading, under its own
 * times; it leaves out processes that did nothing then, and so do the rows. */
#ifndef RECORD_COUNTER_NVML_PROCESSES_H
#define RECORD_COUNTER_NVML_PROCESSES_H

#include "record/counter/nvml/gpu.h"
#include "record/counter/nvml/lists.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REC_NVML_USES = 4 };

struct rec_nvml_process {
	uint32_t pid;
	bool met; /* by the reading at hand */
	struct rec_nvml_line memory;
	struct rec_nvml_line uses[REC_NVML_USES];
	char name[32];
};

struct rec_nvml_processes {
	struct rec_nvml_process *all; /* by pid */
	size_t n, cap;
	struct rec_nvml_lists lists;
	bool list_over[REC_NVML_LISTS]; /* it cannot be had */
	bool use_over;
	uint64_t since_us; /* time of the last sample of use; 0: none */
};

/* A process that is no longer there ends its series. */
void rec_nvml_processes_read(struct rec_nvml_processes *p,
			     struct rec_nvml_gpu *g);
void rec_nvml_processes_end(struct rec_nvml_processes *p,
			    struct rec_nvml_gpu *g);
void rec_nvml_processes_fini(struct rec_nvml_processes *p);

#endif
