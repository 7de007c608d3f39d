/* Readings of a trace's series (table `counter`), and what lies between two of
 * them. Times are ns of the file's clock. Nothing here knows what was asked for:
 * an interval is as long as it was measured. */
#ifndef ANALYZE_COUNTER_COUNTERS_H
#define ANALYZE_COUNTER_COUNTERS_H

#include "analyze/selection.h"
#include "analyze/trace.h"

/* As read: neither scaled nor subtracted. */
struct an_reading {
	uint64_t time;
	int64_t value;
	uint64_t enabled, running; /* of a PMU, since the series began; enabled
				    * 0: not told */
	uint32_t state;            /* enum tf_counter_state */
};

/* All readings of a time, by series and then by time. */
struct an_counters {
	const struct an_trace *t;
	struct an_reading *v;
	size_t n;
	size_t *first;       /* of each series in v; one more for the end */
	uint32_t n_series;   /* as an_n_series() */
	/* By series: the last good one before t_min, which the first interval
	 * begins at; of fdinfo, whose values may step back, with the greatest
	 * value. Not there: its state is not TF_COUNTER_READ. */
	struct an_reading *before;
	uint64_t nameless;   /* rows that are of no known series, left out */
	uint64_t timeless;   /* rows without a time, left out */
	uint64_t t_min, t_max; /* of the readings; 0, 0: there are none */
};

/* Loads the readings from t_min to t_max, both included, of the series that are
 * marked; NULL: of all. Damaged parts are noted in the trace and skipped.
 * Memory follows the rows that are loaded; ERR_LIMIT: more than a file of this
 * size can have. Release with an_counters_fini(), whatever comes back. */
int an_counters_load(struct an_counters *c, struct an_trace *t, uint64_t t_min,
		     uint64_t t_max, const bool *series, struct err *err);
void an_counters_fini(struct an_counters *c); /* a zeroed one is fine */

/* The *n readings of a series, by time; NULL, 0: it has none. */
const struct an_reading *an_counters_of(const struct an_counters *c,
					uint32_t series, size_t *n);

/* The value at a moment of a series that is a level: by the last good reading at
 * `time` or before; false: there is none. */
bool an_counters_level_at(const struct an_counters *c, uint32_t series,
			  uint64_t time, double *value);

enum an_interval_state {
	AN_INTERVAL_READ,        /* `amount` holds */
	AN_INTERVAL_NOT_COUNTED, /* the PMU had no room for it: running 0 */
	AN_INTERVAL_BACK,        /* the value stepped back: what happened is not
				  * known */
	AN_INTERVAL_FAILED,      /* could not be read, or means nothing here */
	AN_INTERVAL_GONE,        /* what it is of is there no longer */
	AN_INTERVAL_NONE,        /* cannot be had here: `counter.missing.NAME` */
};

/* From one reading to the next that tells something. After a reading that
 * failed or stepped back, which is an interval without an amount, the next good
 * one begins at the last good one before: what happened meanwhile is in it. */
struct an_interval {
	uint64_t begin_ns, end_ns;
	enum an_interval_state state;
	/* By the kind of the series, in its unit (finite; 0 without a value):
	 * count: how much happened, multiplied where the counter took turns
	 * with others; level, mean: the later reading; integral: the mean
	 * level; sum: the level at the later reading. */
	double amount;
	/* The PMU's times of this interval; enabled 0: not told. Of several CPUs
	 * or threads, their sum. */
	uint64_t enabled_ns, running_ns;
	double share;            /* running by enabled; 1: counted all the time,
				  * or not told */
};

/* Walks the intervals of a series in the order of their ends, all of which are
 * in the time that was loaded. Of a level or mean the first reading is an
 * interval of no length, unless one is known before it. */
struct an_intervals {
	const struct an_counters *c;
	const struct an_series *s;
	struct an_reading base;  /* the last good one */
	bool has_base;
	uint64_t last_ns;        /* of the reading before, of any state */
	bool has_last;
	size_t at, end;
};

void an_intervals_of(struct an_intervals *it, const struct an_counters *c,
		     uint32_t series);
bool an_intervals_next(struct an_intervals *it, struct an_interval *out);

static inline uint64_t an_interval_length(const struct an_interval *i)
{
	return i->end_ns - i->begin_ns;
}

/* Of a series that counts time (an_series_time_unit()): which share of the
 * interval that is, by the engines it stands for; 0..1. Times of readings are
 * known to the middle of a reading: what is over 1 by that is cut off. */
double an_interval_busy(const struct an_trace *t, const struct an_series *s,
			const struct an_interval *i);

#endif
