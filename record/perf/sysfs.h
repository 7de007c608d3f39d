/* Short texts of /sys, below a root. */
#ifndef RECORD_PERF_SYSFS_H
#define RECORD_PERF_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_SYSFS_MAX 4096 /* the kernel gives a page at most */
#define REC_PMU_DEVICES "/sys/bus/event_source/devices"

/* The first line of the file, without its end; false: there is no such file,
 * or it is longer than that. Does not allocate. */
bool rec_sysfs_line(char *to, size_t size, const char *root, const char *fmt,
		    ...) __attribute__((format(printf, 4, 5)));

/* The decimal number that such a file holds. */
bool rec_sysfs_number(uint64_t *to, const char *root, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
