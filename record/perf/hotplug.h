/* CPUs that go away and come back while they are recorded. */
#ifndef RECORD_PERF_HOTPLUG_H
#define RECORD_PERF_HOTPLUG_H

#include "format/base/err.h"
#include "record/perf/cpus.h"

#include <stdbool.h>

struct rec_hotplug {
	struct rec_cpus down; /* recorded, and away at the last look */
	struct rec_cpus new;  /* not recorded, and seen */
};

void rec_hotplug_fini(struct rec_hotplug *h); /* zeroed is ready to use */

/* Looks at ROOT/sys/devices/system/cpu/online and calls `change` for each of
 * the `recorded` CPUs that went away or came back since the last look, and once
 * for each other one that is online (as going away: it is not recorded) where
 * `all` are meant to be. Stops where that is not 0 and returns it. */
int rec_hotplug_look(struct rec_hotplug *h, const char *root,
		     const struct rec_cpus *recorded, bool all,
		     int (*change)(void *ctx, int cpu, bool back,
				   struct err *err),
		     void *ctx, struct err *err);

#endif
