/* The events of --gpu and of --alias. */
#ifndef RECORD_GPU_EVENTS_H
#define RECORD_GPU_EVENTS_H

#include "format/base/err.h"
#include "record/gpu/report.h"
#include "record/perf/event.h"

#include <stdbool.h>

/* Adds every tracepoint of a GPU that there is, with stacks, and beside them the
 * switches of all threads, and wake-ups and calls of those that work with it.
 * What is there already is not added again. In *r is what was taken and what
 * not, which is no failure; but where there is nothing at all it is, and then
 * some events may be there. `all`: the whole system is recorded, else only some
 * tasks, all of them with stacks. */
int rec_gpu_events(struct rec_events *to, struct rec_gpu_report *r, bool all,
		   struct err *err);

/* "mine:ev=dma_fence:dma_fence_init": adds the one, which stands for the other.
 * ERR_USAGE: there is no such event, or nobody would know what it stands for. */
int rec_gpu_alias(struct rec_events *to, const char *text, struct err *err);

#endif
