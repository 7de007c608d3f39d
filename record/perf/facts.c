#include "record/perf/facts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* linux/capability.h of old systems lacks CAP_PERFMON. */
#define SYS_ADMIN 21
#define PERFMON 38

static FILE *open_under(const char *root, const char *path)
{
	char full[PATH_MAX];
	int n = snprintf(full, sizeof(full), "%s%s", root, path);

	return n > 0 && (size_t)n < sizeof(full) ? fopen(full, "re") : NULL;
}

static bool number(const char *root, const char *path, int64_t *out)
{
	FILE *f = open_under(root, path);
	int64_t v;
	bool ok;

	if (!f)
		return false;
	ok = fscanf(f, "%" SCNd64, &v) == 1;
	fclose(f);
	if (ok)
		*out = v;
	return ok;
}

static bool may_monitor(const char *root)
{
	FILE *f = open_under(root, "/proc/self/status");
	uint64_t caps = 0;
	char line[256];

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %" SCNx64, &caps) == 1)
			break;
	fclose(f);
	return caps >> SYS_ADMIN & 1 || caps >> PERFMON & 1;
}

void rec_perf_facts_read(struct rec_perf_facts *f, const char *root)
{
	struct rlimit lim;

	*f = (struct rec_perf_facts){ .mlock_kib = -1, .max_rate = -1 };
	f->paranoid_known = number(
		root, "/proc/sys/kernel/perf_event_paranoid", &f->paranoid);
	(void)number(root, "/proc/sys/kernel/perf_event_mlock_kb",
		     &f->mlock_kib);
	(void)number(root, "/proc/sys/kernel/perf_event_max_sample_rate",
		     &f->max_rate);
	f->memlock = UINT64_MAX;
	if (!getrlimit(RLIMIT_MEMLOCK, &lim) && lim.rlim_cur != RLIM_INFINITY)
		f->memlock = lim.rlim_cur;
	f->perfmon = may_monitor(root);
	f->uid = geteuid();
}
