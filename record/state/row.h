/* The row that defines something in the current epoch. Each shard of the drain
 * has epochs of its own, so what shards share remembers a row for each. */
#ifndef RECORD_STATE_ROW_H
#define RECORD_STATE_ROW_H

#include <stdint.h>

#define REC_SHARDS_MAX 8u

struct rec_row {
	uint32_t epoch; /* + 1; 0: none yet */
	uint32_t id;
};

#endif
