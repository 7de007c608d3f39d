/* Letters of a thread's state, which each kernel numbers its own way: as the
 * format of sched_switch has them. */
#ifndef ANALYZE_SCHED_LETTERS_H
#define ANALYZE_SCHED_LETTERS_H

#include "format/base/span.h"

#include <stdint.h>

struct an_letters {
	char of_bit[64]; /* 0: that bit is no state */
};

/* Of a format without them, those of a kernel since 4.14. */
void an_letters_make(struct an_letters *l, struct span format);

/* 'R': it could have gone on. A bit beyond the states says that it was
 * preempted, whatever it was about to do. */
char an_letter_of(const struct an_letters *l, uint64_t prev_state);

#endif
