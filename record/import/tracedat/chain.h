/* The stacks that the kernel wrote behind a record as a call chain. */
#ifndef RECORD_IMPORT_TRACEDAT_CHAIN_H
#define RECORD_IMPORT_TRACEDAT_CHAIN_H

#include "format/base/buf.h"
#include "record/import/tracedat/merge.h"

#include <stdbool.h>
#include <stdint.h>

/* Words as perf has them, the innermost first, each part behind its mark. The
 * events of both must have their shapes. false: out of memory. */
bool rec_dat_chain(struct buf *to, const struct rec_dat_stack *kernel,
		   const struct rec_dat_stack *user, unsigned long_size);

#endif
