/* An event of a perf.data as the rest of this program knows events: with a name
 * and, of a tracepoint, its format. */
#ifndef RECORD_IMPORT_PERFDATA_EVENTS_H
#define RECORD_IMPORT_PERFDATA_EVENTS_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "record/import/perfdata/attrs.h"
#include "record/import/perfdata/tracing.h"
#include "record/perf/event.h"

/* Enough for any name that is made up from numbers. */
#define REC_PD_NAME_MAX 64

/* The name that perf shows for an attribute that has none. */
void rec_pd_event_name(char to[REC_PD_NAME_MAX],
		       const struct perf_event_attr *attr);

/* *out is to be released with rec_event_fini(). *format: the text of its format
 * file, empty where there is none; lives as long as `tracing`. */
int rec_pd_event_make(struct rec_event *out, struct span *format,
		      const struct rec_pd_attr *attr, size_t index,
		      const struct rec_pd_tracing *tracing, struct err *err);

#endif
