/* What kernels or machines put elsewhere than the usual record has it. */
#ifndef RECORD_IMPORT_PERFDATA_MEND_H
#define RECORD_IMPORT_PERFDATA_MEND_H

#include "format/base/span.h"
#include "record/perf/decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first kernels with MMAP2 (3.12 to 3.15) told no protection and no flags:
 * the path stands where they would. Such a record, 8 bytes longer, in `to`
 * (UINT16_MAX bytes); false: it is as others are. */
bool rec_pd_mend_mmap2(uint8_t *to, struct span *record);

/* A mapping is put together once for all events that are told of it. Since an
 * event may ask for build-ids (5.12) the bit that announces one stays set for
 * those behind it that did not ask, where a device and an inode stand instead
 * (seen on 6.18, while another recorder asks; perf 6.1 ends by that). Where
 * nobody asked in this recording, and what stands there is no build-id: the
 * record without the bit, in `to`; false: it is as it says. */
bool rec_pd_mend_build_id(uint8_t *to, struct span *record);

/* Where call chains are made from branch records (--call-graph lbr), the user
 * part of the chain has one address, and its callers are where the branches came
 * from. The chain and these in `to`; false: they do not fit into `n` words, or
 * the sample has no such records. (Perf shows the last branch's target in place
 * of the address: the begin of the same function.) */
bool rec_pd_mend_lbr(uint64_t *to, size_t n, struct rec_sample *s);

#endif
