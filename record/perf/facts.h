/* What the machine allows this process: limits and privileges, read from /proc
 * and /sys, for choosing sizes and for explaining refusals. */
#ifndef RECORD_PERF_FACTS_H
#define RECORD_PERF_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rec_perf_facts {
	bool paranoid_known;
	int64_t paranoid;    /* kernel.perf_event_paranoid */
	int64_t mlock_kib;   /* kernel.perf_event_mlock_kb; -1 unknown */
	int64_t max_rate;    /* kernel.perf_event_max_sample_rate; -1 unknown */
	uint64_t memlock;    /* RLIMIT_MEMLOCK, bytes; UINT64_MAX: none */
	bool perfmon;        /* CAP_PERFMON or CAP_SYS_ADMIN */
	uid_t uid;
};

/* Files that are missing leave "unknown" behind. `root` is put before /proc. */
void rec_perf_facts_read(struct rec_perf_facts *f, const char *root);

#endif
