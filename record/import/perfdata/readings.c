#include "record/import/perfdata/readings.h"

#include "format/base/mem.h"
#include "record/perf/words.h"

#include <linux/perf_event.h>
#include <stdlib.h>

void rec_pd_readings_fini(struct rec_pd_readings *r)
{
	map64_fini(&r->counters);
	map64_fini(&r->places);
	free(r->values);
	*r = (struct rec_pd_readings){ 0 };
}

bool rec_pd_readings_delta(struct rec_pd_readings *r, uint64_t id, int32_t tid,
			   uint64_t value, uint64_t *delta)
{
	uint32_t *counter, *place;
	bool fresh;

	counter = map64_put(&r->counters, id, r->n_counters, &fresh);
	if (!counter)
		return false;
	if (fresh)
		r->n_counters++;
	if (!mem_grow(&r->values, &r->cap, r->n + 1, sizeof(*r->values)))
		return false;
	place = map64_put(&r->places, map64_pair(*counter, (uint32_t)tid),
			  (uint32_t)r->n, &fresh);
	if (!place)
		return false;
	if (fresh)
		r->values[r->n++] = 0;
	*delta = value - r->values[*place];
	r->values[*place] = value;
	return true;
}

bool rec_pd_reading_one(struct span read, uint64_t read_format, uint64_t *value,
			uint64_t *id, bool *has_id)
{
	uint64_t unused;

	*has_id = read_format & PERF_FORMAT_ID;
	if (!word_take(&read, value))
		return false;
	if (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED &&
	    !word_take(&read, &unused))
		return false;
	if (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING &&
	    !word_take(&read, &unused))
		return false;
	return !*has_id || word_take(&read, id);
}
