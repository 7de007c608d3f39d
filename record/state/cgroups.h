/* The paths of control groups by the kernel's ids of them, as records tell. */
#ifndef RECORD_STATE_CGROUPS_H
#define RECORD_STATE_CGROUPS_H

#include "format/base/intern.h"
#include "format/base/map64.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_cgroups { /* zeroed is empty and ready */
	struct intern paths;
	struct map64 ids; /* → paths */
};

void rec_cgroups_fini(struct rec_cgroups *c);

/* A later path of an id takes the place of the earlier one. What comes when too
 * much is known already is forgotten. false: out of memory. */
bool rec_cgroups_put(struct rec_cgroups *c, uint64_t id, struct span path);

/* Empty: not known. */
struct span rec_cgroups_path(const struct rec_cgroups *c, uint64_t id);

#endif
