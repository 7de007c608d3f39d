/* Readings on their way from the counter thread to the file: series, values
 * over time of each, and what could not be had. Sources add, in one thread; the
 * recorder's loop takes, in another.
 *
 * What there is no memory for is counted, not kept. */
#ifndef RECORD_COUNTER_READING_H
#define RECORD_COUNTER_READING_H

#include "format/base/arena.h"
#include "format/base/err.h"
#include "format/catalog.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What readings of one thing over time are of; as the table `series`. Texts that
 * are NULL are empty. */
struct rec_series {
	const char *name;   /* "sm-active" */
	const char *unit;   /* of value * scale: "%", "ns", "MHz", "bytes" */
	enum tf_series_kind kind;
	double scale;       /* 0 is taken for 1 */
	enum tf_series_source source;
	uint32_t event;     /* index of a counted event + 1, 0: of none */
	uint32_t cpu;       /* + 1; 0: of none or of all together */
	uint32_t pid;       /* 0: of no process or of all */
	const char *device; /* "0000:03:00.0" */
	const char *part;   /* "render", "vram", "sclk" */
	uint64_t client;    /* drm-client-id, 0: of none */
	uint32_t capacity;  /* engines that `part` stands for; 0 is taken for 1 */
	uint32_t run;       /* of a repeated measurement, from 1; 0: is none */
	const char *label;  /* name of the process, client or driver */
};

struct rec_reading {
	uint64_t time_ns;   /* CLOCK_MONOTONIC, the middle of the reading */
	uint64_t took_ns;
	int64_t value;      /* as read: not scaled, not a difference */
	uint64_t enabled_ns, running_ns; /* PMUs only; else 0 */
	enum tf_counter_state state;
};

struct rec_readings {
	pthread_mutex_t lock;
	bool ready;         /* the lock is there */
	struct arena texts; /* of all series, until the end */
	struct rec_series *series;
	size_t n_series, series_cap;
	struct rec_readings_row {
		uint32_t series;
		struct rec_reading r;
	} *rows;            /* that nobody has taken yet */
	size_t n, cap;
	struct rec_readings_missing {
		const char *name, *why; /* in `texts` */
	} *missing;
	size_t n_missing, missing_cap;
	struct rec_readings_cpus {
		uint64_t away, back, added; /* CPUs, while they were counted */
		uint64_t away_ns;           /* of all that were, together */
	} cpus;
	uint64_t dropped;   /* rows, or what is missing: there was no memory, or
			     * MAX_ROWS wait already */
};

int rec_readings_init(struct rec_readings *r, struct err *err);
void rec_readings_fini(struct rec_readings *r); /* zeroed is fine */

/* A new series; its number, counted from 0, or UINT32_MAX where there is no
 * memory (readings of which are dropped and counted). */
uint32_t rec_readings_series(struct rec_readings *r, const struct rec_series *s);

void rec_readings_add(struct rec_readings *r, uint32_t series,
		      const struct rec_reading *reading);

/* Something that cannot be had here, once: "nvml", "i915/rcs0-busy/". */
void rec_readings_miss(struct rec_readings *r, const char *name,
		       const char *why);

/* A reading at this moment: the middle of `begin_ns` and `end_ns`. */
static inline struct rec_reading rec_reading_between(uint64_t begin_ns,
						     uint64_t end_ns,
						     int64_t value)
{
	return (struct rec_reading){
		.time_ns = begin_ns + (end_ns - begin_ns) / 2,
		.took_ns = end_ns - begin_ns,
		.value = value,
	};
}

#endif
