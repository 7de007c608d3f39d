/* Lists of CPUs: which are online, and lists as the kernel and people write
 * them ("0-3,6"). */
#ifndef RECORD_PERF_CPUS_H
#define RECORD_PERF_CPUS_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct rec_cpus {
	int *items; /* rising, each once */
	size_t n;
	size_t cap;
};

void rec_cpus_fini(struct rec_cpus *c); /* zeroed is fine */

/* Adds the CPUs of a list; ERR_USAGE names the text; *c may then hold a part
 * of it. */
int rec_cpus_parse(struct rec_cpus *c, const char *list, struct err *err);

/* Adds the online CPUs, by ROOT/sys/devices/system/cpu/online. */
int rec_cpus_online(struct rec_cpus *c, const char *root, struct err *err);

bool rec_cpus_has(const struct rec_cpus *c, int cpu);

/* Adds one; ERR_NOMEM is the only failure. */
int rec_cpus_add(struct rec_cpus *c, int cpu, struct err *err);

#endif
