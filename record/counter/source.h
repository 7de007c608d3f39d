/* Where readings come from: one file and one row of rec_counter_sources. All
 * calls but `open` come from the counter thread, which nothing else waits for:
 * a reading may take milliseconds. */
#ifndef RECORD_COUNTER_SOURCE_H
#define RECORD_COUNTER_SOURCE_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "record/counter/reading.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rec_pmu_config;

struct rec_counter_opening {
	const char *root;   /* before /proc and /sys; "": this machine */
	uint64_t interval_ns;
	uint64_t intervals; /* after so many it is over; 0: it never is */
	const pid_t *pids;  /* -p: only these processes' own use; n 0: all */
	size_t n_pids;
	const struct log *log;
	const struct rec_pmu_config *pmu; /* the events to count; must live as
					   * long as the source */
};

struct rec_counter_source {
	const char *name;   /* "nvml", as in gpu.missing.NAME */
	uint64_t least_ns;  /* it is not read more often than this; 0: as often
			     * as asked */
	/* Adds what is known of its series to `to`. 0: *state is to be read and
	 * closed; 1: there is none here and *err says why; else a failure. */
	int (*open)(void **state, const struct rec_counter_opening *how,
		    struct rec_readings *to, struct err *err);
	/* Takes one reading of each series. What fails is said by the state of
	 * its row and does not end the others. */
	void (*read)(void *state, struct rec_readings *to);
	void (*close)(void *state);
};

extern const struct rec_counter_source rec_counter_fdinfo;
extern const struct rec_counter_source rec_counter_devices;
extern const struct rec_counter_source rec_counter_nvml;

#endif
