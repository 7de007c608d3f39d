/* A trace that is still being written: looked at again each time it has grown. */
#ifndef ANALYZE_FOLLOW_H
#define ANALYZE_FOLLOW_H

#include "format/base/err.h"
#include "format/base/log.h"

#include <stdbool.h>

struct an_trace;

struct an_following {
	const char *path;      /* a file; no pipe */
	const struct log *log; /* for the last look; the others are silent about
				* a file that has no end yet */
	/* What is in the file by now. `ended`: it is all, and the last call.
	 * 0; 1: what was seen may not be whole, so look again soon, grown or
	 * not; the last one an enum an_exit; or a failure. */
	int (*look)(void *ctx, struct an_trace *t, bool ended, struct err *err);
	void *ctx;
};

/* Until the trace has its END or nobody has it open for writing (where the
 * filesystem tells that; else it waits like tail -f). Looks cost a tenth of the
 * time at most: those at a large file come less often. What the last
 * look returned, AN_EXIT_DAMAGED, or a failure. */
int an_follow(const struct an_following *f, struct err *err);

#endif
