/* Engines of GPUs, and how busy they were by readings: of a device, or of one
 * process or DRM client of it. */
#ifndef ANALYZE_COUNTER_ENGINE_H
#define ANALYZE_COUNTER_ENGINE_H

#include "analyze/counter/counters.h"

enum an_engine_kind {
	AN_ENGINE_TIME,    /* time that it worked, by time and capacity */
	AN_ENGINE_CYCLES,  /* cycles that it worked, by all that passed and by
			    * capacity */
	AN_ENGINE_CLOCK,   /* cycles, by its fastest clock times the seconds */
	AN_ENGINE_PERCENT, /* a mean that the device tells, 0..100 */
};

struct an_engine {
	enum an_engine_kind kind;
	uint32_t series;   /* device, part, pid, client and label are its */
	uint32_t by;       /* series of all cycles, or of the clock; AN_NONE */
};

struct an_engines {
	struct an_engine *v; /* in the order of their series */
	size_t n;
};

/* Those of which the series tell: drm-engine and drm-cycles of fdinfo, counts of
 * time of a PMU whose names say "busy", shares in % that say "busy" or
 * "utilization". `marks` of series; NULL: all. A client's engine that is told by
 * time and by cycles is one, by its time. Release whatever comes back. */
int an_engines_find(struct an_engines *out, const struct an_trace *t,
		    const bool *marks, struct err *err);
void an_engines_fini(struct an_engines *e); /* a zeroed one is fine */

/* "render", or "rcs0" of "i915/rcs0-busy/", into `to`. */
#define AN_ENGINE_NAME 64
void an_engine_name(const struct an_trace *t, const struct an_engine *e,
		    char to[AN_ENGINE_NAME]);

/* A time, and which share of it the engine was busy, 0..1. */
struct an_engine_share {
	uint64_t begin_ns, end_ns;
	double busy;
};

/* Walks the times that something is known of, in the order of their ends. What
 * could not be told (failed, stepped back) is left out; it is counted. */
struct an_engine_walk {
	const struct an_engine *e;
	const struct an_series *s;
	const struct an_counters *c;
	struct an_intervals worked, all;
	struct an_interval whole; /* the last one of `all` */
	uint64_t unknown;
};

void an_engine_walk(struct an_engine_walk *w, const struct an_counters *c,
		    const struct an_engine *e);
bool an_engine_next(struct an_engine_walk *w, struct an_engine_share *out);

/* Over all of what is loaded. */
struct an_engine_use {
	double busy_ns;     /* each time by its share, summed */
	uint64_t known_ns;  /* time that something is known of */
	uint64_t begin_ns, end_ns; /* from the first to the last of it */
	uint64_t unknown;   /* readings that told nothing */
	double busiest;     /* share of one time */
};
void an_engine_sum(const struct an_counters *c, const struct an_engine *e,
		   struct an_engine_use *out);

#endif
