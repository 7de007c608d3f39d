#include "record/perf/tracefs.h"

#include "format/base/mem.h"
#include "record/perf/sysfs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int rec_tracefs(const char **at, const char *root, struct err *err)
{
	static const char *const places[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};
	bool closed = false;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s%s/events", root, places[i]);
		if (!access(path, R_OK | X_OK)) {
			*at = places[i];
			return 0;
		}
		closed = closed || errno == EACCES;
	}
	if (closed)
		return err_set(err, ERR_DENIED, "tracepoints: tracefs cannot be "
			      "read by this user (try: as root, or see: rec "
			      "doctor)");
	return err_set(err, ERR_UNSUPPORTED, "tracepoints: tracefs is not "
		       "mounted (try: mount -t tracefs nodev "
		       "/sys/kernel/tracing)");
}

bool rec_tracefs_id(uint64_t *id, const char *root, const char *tracefs,
		    const char *system, const char *name)
{
	return rec_sysfs_number(id, root, "%s/events/%s/%s/id", tracefs,
				 system, name);
}

bool rec_tracefs_sampled(const char *system, const char *name)
{
	return strcmp(system, "ftrace") &&
	       (strcmp(system, "irq_vectors") || strcmp(name, "irq_work_exit"));
}
