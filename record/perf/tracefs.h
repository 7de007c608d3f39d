/* Where the kernel shows its tracepoints. */
#ifndef RECORD_PERF_TRACEFS_H
#define RECORD_PERF_TRACEFS_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* *at is "/sys/kernel/tracing" or, on old systems, "/sys/kernel/debug/tracing",
 * below the root. ERR_UNSUPPORTED: neither is mounted; ERR_DENIED: this user
 * may not read them; the message says what to do about it. */
int rec_tracefs(const char **at, const char *root, struct err *err);

/* The number by which a tracepoint is opened; false: there is none. */
bool rec_tracefs_id(uint64_t *id, const char *root, const char *tracefs,
		    const char *system, const char *name);

/* false: the kernel does not sample it (the interrupt by which perf itself
 * works would follow itself), or does not open it by number alone. */
bool rec_tracefs_sampled(const char *system, const char *name);

#endif
