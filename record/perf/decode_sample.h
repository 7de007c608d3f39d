/* The body of PERF_RECORD_SAMPLE: parts in the kernel's order, each there or
 * not by a bit of sample_type. */
#ifndef RECORD_PERF_DECODE_SAMPLE_H
#define RECORD_PERF_DECODE_SAMPLE_H

#include "record/perf/decode.h"

/* Takes all of `in`; *out is zeroed but for pid and tid, which are -1. */
int rec_decode_sample(const struct rec_layout *layout, struct span in,
		      struct rec_record *out, struct err *err);

#endif
