/* Records of a perf.data, one after another in order of time, into the intake:
 * whose event, which rows, which losses. */
#ifndef RECORD_IMPORT_PERFDATA_TAKE_H
#define RECORD_IMPORT_PERFDATA_TAKE_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "record/import/intake.h"
#include "record/import/perfdata/events.h"
#include "record/import/perfdata/features.h"
#include "record/import/perfdata/place.h"
#include "record/import/perfdata/readings.h"
#include "record/tracepoint/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_pd_take {
	struct rec_pd_described *d;
	struct rec_intake *to;
	struct rec_pd_known { /* of each event of d->attrs */
		int index;    /* of the intake; -1: it was not told */
		int plain;    /* the same for rows without payload */
		bool has_format;
		struct rec_tracepoint *format; /* of foreign payloads */
		uint64_t samples, largest; /* largest period of one */
		double periods; /* all of them */
	} *known;
	size_t n_known;
	struct rec_pd_readings readings;
	uint8_t *payload;     /* a foreign one, turned round */
	uint64_t samples;
	uint64_t lost, lost_samples; /* by records of these types */
	uint64_t lost_at;     /* when the last LOST was */
	int lost_cpu;         /* and where; -1: not known */
	uint64_t user_stacks; /* samples with a copy of it */
	uint64_t no_payload;  /* of tracepoints: members of groups */
	uint64_t *chain;      /* one that was made from branch records */
	uint64_t senseless;   /* records that contradict themselves */
	char first_senseless[300];
};

/* After all events are known; there is one at least. */
int rec_pd_take_init(struct rec_pd_take *t, struct rec_pd_described *d,
		     struct err *err);
void rec_pd_take_fini(struct rec_pd_take *t); /* zeroed is fine */

/* Tells all events, in their order. */
int rec_pd_take_begin(struct rec_pd_take *t, struct err *err);

/* A record of the kernel in native form: rec_pd_emit_fn. `time` is where it was
 * put, if it has none itself; `at` is its place, see
 * place.h. */
int rec_pd_take(void *take, uint64_t time, uint64_t at, struct span record,
		struct err *err);

/* A record that makes no sense is counted, and the first is told; when it was is
 * left to the caller. */
void rec_pd_take_senseless(struct rec_pd_take *t, uint64_t at,
			   const char *why);

/* What can be told at the end only: losses of which two kinds of records tell,
 * remarks. */
int rec_pd_take_end(struct rec_pd_take *t, struct err *err);

#endif
