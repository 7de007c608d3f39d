/* Which GPUs of NVIDIA there are. */
#ifndef RECORD_COUNTER_NVML_FIND_H
#define RECORD_COUNTER_NVML_FIND_H

#include "format/base/err.h"
#include "record/counter/nvml/unit.h"

#include <stddef.h>

/* More are not read, and that is said. */
#define REC_NVML_MAX_GPUS 64u

struct rec_nvml_units {
	struct rec_nvml_unit *all;
	size_t n, cap;
};

/* Starts the library and finds them; each begins as `like`. Starting wakes all
 * that sleep, unless it is told to attach to none: then those that /sys knows
 * of are attached one by one, when they are awake. 1: there is none, or the
 * library refuses, and *err says so. Release with rec_nvml_units_fini(), also
 * after a failure. */
int rec_nvml_find(struct rec_nvml_units *to, struct rec_nvml *lib,
		  const struct rec_nvml_gpu *like, struct err *err);
void rec_nvml_units_fini(struct rec_nvml_units *u);

#endif
