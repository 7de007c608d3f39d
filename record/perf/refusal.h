/* An errno of perf_event_open turned into what was refused, why, and what
 * would mend it. */
#ifndef RECORD_PERF_REFUSAL_H
#define RECORD_PERF_REFUSAL_H

#include "format/base/err.h"
#include "record/perf/event.h"
#include "record/perf/facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct rec_refusal {
	int errnum;
	const struct rec_event *event; /* NULL: the side band */
	bool in_group;       /* of another leader */
	pid_t tid;           /* -1: all tasks; 0: this program itself, so
			      * nothing at all is allowed */
	int cpu;
	size_t n_needed;     /* descriptors that the recording takes */
	const struct rec_perf_facts *facts;
	const char *root;    /* before /proc */
};

/* Returns the code, as err_set does. */
int rec_perf_refused(const struct rec_refusal *r, struct err *err);

#endif
