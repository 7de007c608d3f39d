/* Blocks of spans. */
#ifndef ANALYZE_TIMELINE_MERGE_H
#define ANALYZE_TIMELINE_MERGE_H

#include "analyze/timeline/timeline.h"

/* Puts a span, or a block, that begins no earlier into a block. *longest is the
 * longest so far, which gives the block its name and class. */
void an_block_add(struct an_span *block, const struct an_span *s,
		  uint64_t *longest);

#endif
