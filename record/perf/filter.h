/* Filters of tracepoints: the kernel evaluates them, here is only said why it
 * does not want to. */
#ifndef RECORD_PERF_FILTER_H
#define RECORD_PERF_FILTER_H

#include "format/base/err.h"
#include "record/perf/event.h"

/* Adds an expression to those of a filter, which is owned, or NULL: all must hold.
 */
int rec_filter_add(char **filter, const char *expression, struct err *err);

/* Gives the event's filter, which it has, to the kernel. ERR_USAGE names the
 * fields of the event. */
int rec_filter_set(const struct rec_event *e, int fd, const char *root,
		   struct err *err);

#endif
