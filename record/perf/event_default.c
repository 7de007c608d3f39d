#include "record/perf/event.h"
#include "record/perf/open.h"

#include <errno.h>

int rec_events_default(struct rec_events *e, const char **why, struct err *err)
{
	int errnum;

	*why = NULL;
	if (rec_perf_has_cycles(&errnum))
		return rec_events_add(e, "cycles", err);
	*why = errnum == EACCES || errnum == EPERM ?
		       "hardware counters are not permitted" :
		       "no hardware counters here";
	return rec_events_add(e, "cpu-clock", err);
}
