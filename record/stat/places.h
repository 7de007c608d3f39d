/* Where the CPUs of this machine lie: socket, die, core and node of memory. */
#ifndef RECORD_STAT_PLACES_H
#define RECORD_STAT_PLACES_H

#include "format/base/buf.h"
#include "record/proc/facts.h"

/* "0=0/0/0/0 1=0/0/1/0", CPU=socket/die/core/node of those that are online, as
 * sysfs below `root` has them; "-" for what it does not tell. */
int rec_places_text(struct buf *to, const char *root, struct err *err);

/* As the fact `cpu_places`; none where they cannot be found. */
void rec_fact_places(struct rec_defs *d);

#endif
