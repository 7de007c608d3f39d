/* The body of PERF_RECORD_SAMPLE: parts in the kernel's order, each there or
 * not by a bit of sample_type. */
#ifndef RECORD_PERF_DECODE_SAMPLE_H
#define RECORD_PERF_DECODE_SAMPLE_H

#include "record/perf/decode.h"

/* Takes all of `in`, the body; out->ids is as the caller has prepared it, with
 * pid and tid of -1. */
int rec_decode_sample(const struct rec_layout *layout, struct span in,
		      struct rec_record *out, struct err *err);

#endif
