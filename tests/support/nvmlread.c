/* What the library of NVIDIA's driver tells, without a recording:
 *     nvmlread SECONDS INTERVAL_MS
 * prints a line for each value: nanoseconds (CLOCK_MONOTONIC), device, name, part,
 * pid, state ("read", "failed", "gone") and the value in its unit, with tabs
 * between; then "missing NAME WHY". It needs no perf events, which containers
 * often forbid. */
#include "format/base/time.h"
#include "record/counter/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void print(const struct rec_readings *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct rec_reading *x = &r->rows[i].r;
		const struct rec_series *s = &r->series[r->rows[i].series];

		printf("%" PRIu64 "\t%s\t%s\t%s\t%" PRIu32 "\t%s\t%.6f\n",
		       x->time_ns, s->device, s->name, s->part, s->pid,
		       x->state == TF_COUNTER_READ   ? "read" :
		       x->state == TF_COUNTER_FAILED ? "failed" :
						       "gone",
		       (double)x->value * s->scale);
	}
	for (size_t i = 0; i < r->n_missing; i++)
		printf("missing\t%s\t%s\n", r->missing[i].name,
		       r->missing[i].why);
}

static void sleep_to(uint64_t at_ns)
{
	const struct timespec at = { (time_t)(at_ns / 1000000000u),
				     (long)(at_ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
		;
}

int main(int argc, char **argv)
{
	struct rec_counter_opening how = { .root = "" };
	struct rec_readings r = { .n = 0 };
	struct err err = { 0 };
	uint64_t at_ns, end_ns;
	void *state;
	int rc;

	if (argc != 3)
		return 2;
	how.interval_ns = strtoull(argv[2], NULL, 10) * 1000000u;
	if (!how.interval_ns || rec_readings_init(&r, &err))
		return 2;
	rc = rec_counter_nvml.open(&state, &how, &r, &err);
	if (rc) {
		fprintf(stderr, "nvmlread: %s\n", err.text);
		rec_readings_fini(&r);
		return 1;
	}
	at_ns = time_now_ns(CLOCK_MONOTONIC);
	end_ns = at_ns + strtoull(argv[1], NULL, 10) * 1000000000u;
	for (; at_ns <= end_ns; at_ns += how.interval_ns) {
		sleep_to(at_ns);
		rec_counter_nvml.read(state, &r);
	}
	print(&r);
	rec_counter_nvml.close(state);
	rc = r.dropped || fflush(stdout);
	rec_readings_fini(&r);
	return rc;
}
