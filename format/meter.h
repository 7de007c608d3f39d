/* A source that knows how much of another was asked for. */
#ifndef FORMAT_METER_H
#define FORMAT_METER_H

#include "format/io.h"

/* Reads through `inner`, which belongs to *out on success. */
int tf_meter_new(struct tf_source **out, struct tf_source *inner,
		 struct err *err);

/* Bytes of the pages of 4 KiB that were touched so far, each counted once: what
 * had to come from a disk. Of a source from tf_meter_new() only. */
uint64_t tf_meter_bytes(const struct tf_source *meter);

#endif
