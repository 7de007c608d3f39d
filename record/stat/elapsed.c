#include "record/stat/elapsed.h"

#include "format/base/time.h"

#include <sys/resource.h>

static const char *const names[REC_ELAPSED_TIMES] = {
	"duration_time", "user_time", "system_time",
};

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_usec * 1000;
}

/* Of children whose end was taken: the command and what it waited for. */
static void now(uint64_t to[REC_ELAPSED_TIMES])
{
	struct rusage u = { 0 };

	(void)getrusage(RUSAGE_CHILDREN, &u);
	to[0] = time_now_ns(CLOCK_MONOTONIC);
	to[1] = ns_of(u.ru_utime);
	to[2] = ns_of(u.ru_stime);
}

static void put(const struct rec_elapsed *e, struct rec_readings *to,
		const uint64_t at[REC_ELAPSED_TIMES])
{
	for (unsigned i = 0; i < e->n && i < REC_ELAPSED_TIMES; i++) {
		struct rec_reading r =
			rec_reading_between(at[0], at[0],
					    (int64_t)(at[i] - e->begin_ns[i]));

		rec_readings_add(to, e->series[i], &r);
	}
}

void rec_elapsed_begin(struct rec_elapsed *e, struct rec_readings *to,
		       bool command, uint32_t run)
{
	e->n = command ? REC_ELAPSED_TIMES : 1;
	for (unsigned i = 0; i < e->n; i++)
		e->series[i] = rec_readings_series(to, &(struct rec_series){
			.name = names[i],
			.unit = "ns",
			.kind = TF_SERIES_COUNT,
			.source = TF_SERIES_PROC,
			.run = run });
	now(e->begin_ns);
	put(e, to, e->begin_ns);
}

void rec_elapsed_end(struct rec_elapsed *e, struct rec_readings *to,
		     uint64_t end_ns)
{
	uint64_t at[REC_ELAPSED_TIMES];

	now(at);
	at[0] = end_ns;
	put(e, to, at);
	e->n = 0;
}
