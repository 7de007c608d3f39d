/* Control groups by name, of the hierarchy that perf events follow. */
#ifndef RECORD_PERF_CGROUP_H
#define RECORD_PERF_CGROUP_H

#include "format/base/err.h"

/* Opens the folder of the group: below the mounted hierarchy of the version 1
 * controller perf_event, else that of version 2, by ROOT/proc/mounts.
 * ERR_USAGE: there is no such group. */
int rec_cgroup_open(int *fd, const char *root, const char *name,
		    struct err *err);

#endif
