/* What was lost, summed. */
#ifndef ANALYZE_LOSSES_H
#define ANALYZE_LOSSES_H

#include "analyze/trace.h"

#include <stdio.h>

#define AN_N_LOSS_KINDS 10

struct an_lost {
	uint64_t samples;    /* dropped by the kernel or the recorder */
	bool unknown;        /* and more, of unknown number */
	uint64_t by_kind[AN_N_LOSS_KINDS]; /* enum tf_loss_kind: counts */
	uint64_t rows[AN_N_LOSS_KINDS];
};

/* Of one event and of those that no event is known for; AN_NONE: of all. */
void an_losses_sum(const struct an_trace *t, uint32_t event,
		   struct an_lost *out);

/* Samples dropped that are known to be of this event. */
uint64_t an_losses_own(const struct an_trace *t, uint32_t event);

/* "ring", "throttled" …; a kind of a later version is "other". */
const char *an_loss_name(uint32_t kind);
/* "5 samples dropped …": a count and what it means, for people. */
void an_loss_print(FILE *to, const struct an_lost *lost, uint32_t kind);

#endif
