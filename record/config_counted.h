/* Which of the events of a command line are counted, not sampled. */
#ifndef RECORD_CONFIG_COUNTED_H
#define RECORD_CONFIG_COUNTED_H

#include "record/config.h"

/* Whether something is sampled: -I alone is perf stat's, and then nothing is
 * that nobody asked for. */
bool rec_config_samples(const struct rec_args *a);

/* Moves them from c->events to c->counted, groups as a whole. */
int rec_config_counted(struct rec_config *c, const struct rec_args *a,
		       struct err *err);

#endif
