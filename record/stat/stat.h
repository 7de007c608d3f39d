/* rec stat: counts of whole runs of a command, or of what runs meanwhile, into a
 * trace of its own. Nothing is sampled and no side band recorded, so that it
 * costs what it counts. */
#ifndef RECORD_STAT_STAT_H
#define RECORD_STAT_STAT_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "record/config.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_stat {
	struct rec_config *cfg; /* count_only; its `output` is not NULL */
	uint32_t runs;          /* at least 1; with a command only */
	uint64_t intervals;     /* after so many nothing is read; 0: any */
	const char *pre, *post; /* by the shell, around each run; or NULL */
	bool sync;              /* sync(2) before each */
	/* For one who prints readings as they come: is told that the file is
	 * there, and readings then do not wait in memory. NULL: nobody does. */
	void (*begun)(void *ctx);
	void *ctx;
	const struct log *log;
};

/* *status as of rec_session_run(); of several runs the first that failed. A
 * signal ends the run at hand, and the trace holds it. It is 0 where what ended
 * it is the time that was set. */
int rec_stat_run(const struct rec_stat *s, int *status, struct err *err);

#endif
