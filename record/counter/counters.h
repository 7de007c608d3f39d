/* Counters and readings over time, beside whatever else is recorded: each source
 * is read by a thread of its own, by the clock, so that one that takes long
 * holds up none. */
#ifndef RECORD_COUNTER_COUNTERS_H
#define RECORD_COUNTER_COUNTERS_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "record/counter/reading.h"
#include "record/counter/rows.h"
#include "record/counter/source.h"
#include "record/gpu/report.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_COUNTERS_MAX 8u

struct rec_counters_thread {
	const struct rec_counter_source *source;
	void *state;
	uint64_t interval_ns;  /* 0: only at the begin and at the end */
	uint64_t begin_ns;     /* of the first reading: the others are at
				* multiples of the interval from it */
	uint64_t intervals;    /* as asked for, 0: any number; and how many */
	uint64_t taken;        /* were read */
	uint64_t late;         /* times that had passed when their turn came */
	struct rec_counters *of;
	pthread_t thread;
	bool running;
};

struct rec_counters {
	struct rec_readings readings;
	struct rec_counter_rows rows;
	struct rec_counters_thread threads[REC_COUNTERS_MAX];
	size_t n;
	bool begun;
	pthread_mutex_t lock;  /* of `over` and `n_done` */
	pthread_cond_t wake;
	bool over;
	size_t n_done;         /* threads that have read all that was asked */
};

/* Zeroed before. Opens the PMU's events where there are any, and with `gpu` what
 * tells of GPUs; what is there and what is not goes into `report` then. A
 * failure is one that all would share; release with rec_counters_fini(). */
int rec_counters_open(struct rec_counters *c,
		      const struct rec_counter_opening *how, bool gpu,
		      struct rec_gpu_report *report, struct err *err);

/* Is there anything to read? */
static inline bool rec_counters_any(const struct rec_counters *c)
{
	return c->n != 0;
}

/* Takes the first readings and starts the threads. Nothing happens where it has
 * begun. */
int rec_counters_begin(struct rec_counters *c, struct err *err);

/* Puts what has come since into the file; false: the writer is behind, the rest
 * waits. */
bool rec_counters_poll(struct rec_counters *c, struct rec_defs *defs);

/* Whether each has been read for as many intervals as were asked for. */
bool rec_counters_done(struct rec_counters *c);

/* Times whose turn had passed; after the end. */
uint64_t rec_counters_late(const struct rec_counters *c);

/* Ends the threads, takes the last readings, of those that are not done, and puts
 * them into the file. */
void rec_counters_end(struct rec_counters *c, struct rec_defs *defs);

void rec_counters_fini(struct rec_counters *c); /* zeroed is fine */

#endif
