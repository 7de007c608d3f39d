#include "record/counter/counters.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/counter/pmu/pmu.h"

#include <stdlib.h>

static const struct row {
	const struct rec_counter_source *source;
	bool gpu; /* only where GPUs are asked for */
} sources[] = {
	{ &rec_counter_pmu, false },
	{ &rec_counter_fdinfo, true },
	{ &rec_counter_devices, true },
	{ &rec_counter_nvml, true },
};

static int open_one(struct rec_counters *c, const struct row *row,
		    const struct rec_counter_opening *how,
		    struct rec_gpu_report *report, struct err *err)
{
	struct rec_counters_thread *t = &c->threads[c->n];
	uint64_t interval = how->interval_ns;
	struct err why = { 0 };
	int rc;

	if (interval && interval < row->source->least_ns)
		interval = row->source->least_ns;
	*t = (struct rec_counters_thread){ .source = row->source,
					   .interval_ns = interval,
					   .intervals = how->intervals,
					   .of = c };
	rc = row->source->open(&t->state, how, &c->readings, &why);
	if (rc == 0)
		c->n++;
	if (rc < 0)
		*err = why;
	if (rc < 0 || !row->gpu)
		return rc < 0 ? rc : 0;
	return rc ? rec_gpu_miss(report, err, row->source->name, "%s",
				 why.text) :
		    rec_gpu_take(report, row->source->name, err);
}

int rec_counters_open(struct rec_counters *c,
		      const struct rec_counter_opening *how, bool gpu,
		      struct rec_gpu_report *report, struct err *err)
{
	pthread_condattr_t attr;
	int rc = rec_readings_init(&c->readings, err);

	if (rc < 0)
		return rc;
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->wake, &attr);
	pthread_condattr_destroy(&attr);
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(sources); i++)
		if (gpu || !sources[i].gpu)
			rc = open_one(c, &sources[i], how, report, err);
	return rc;
}

/* Until `at_ns`; false: it is over. */
static bool sleep_until(struct rec_counters *c, uint64_t at_ns)
{
	const struct timespec at = { (time_t)(at_ns / NSEC_PER_SEC),
				     (long)(at_ns % NSEC_PER_SEC) };
	bool over;

	pthread_mutex_lock(&c->lock);
	while (!c->over &&
	       !pthread_cond_timedwait(&c->wake, &c->lock, &at))
		;
	over = c->over;
	pthread_mutex_unlock(&c->lock);
	return !over;
}

static bool is_done(const struct rec_counters_thread *t)
{
	return t->intervals && t->taken >= t->intervals;
}

/* By a grid that began with the first reading, so that nothing drifts; what was
 * missed is not made up for, the next interval is longer. */
static void *thread_main(void *arg)
{
	struct rec_counters_thread *t = arg;
	uint64_t at = t->begin_ns;

	for (;;) {
		uint64_t now = time_now_ns(CLOCK_MONOTONIC), behind;

		at += t->interval_ns;
		if (now > at) {
			behind = (now - at) / t->interval_ns + 1;
			t->late += behind;
			at += behind * t->interval_ns;
		}
		if (!sleep_until(t->of, at))
			return NULL;
		t->source->read(t->state, &t->of->readings);
		t->taken++;
		if (is_done(t))
			break;
	}
	pthread_mutex_lock(&t->of->lock);
	t->of->n_done++;
	pthread_mutex_unlock(&t->of->lock);
	return NULL;
}

int rec_counters_begin(struct rec_counters *c, struct err *err)
{
	if (c->begun)
		return 0;
	c->begun = true;
	for (size_t i = 0; i < c->n; i++) {
		struct rec_counters_thread *t = &c->threads[i];

		t->begin_ns = time_now_ns(CLOCK_MONOTONIC);
		t->source->read(t->state, &c->readings);
		if (!t->interval_ns)
			continue;
		if (pthread_create(&t->thread, NULL, thread_main, t))
			return err_set(err, ERR_NOMEM, "cannot start a thread");
		t->running = true;
	}
	return 0;
}

bool rec_counters_poll(struct rec_counters *c, struct rec_defs *defs)
{
	return (!c->n && !c->readings.n_series) ||
	       rec_counter_rows_write(&c->rows, &c->readings, defs);
}

bool rec_counters_done(struct rec_counters *c)
{
	bool done;

	pthread_mutex_lock(&c->lock);
	done = c->n && c->n_done == c->n;
	pthread_mutex_unlock(&c->lock);
	return done;
}

uint64_t rec_counters_late(const struct rec_counters *c)
{
	uint64_t late = 0;

	for (size_t i = 0; i < c->n; i++)
		late += c->threads[i].late;
	return late;
}

static void stop(struct rec_counters *c)
{
	pthread_mutex_lock(&c->lock);
	c->over = true;
	pthread_cond_broadcast(&c->wake);
	pthread_mutex_unlock(&c->lock);
	for (size_t i = 0; i < c->n; i++)
		if (c->threads[i].running)
			pthread_join(c->threads[i].thread, NULL);
	for (size_t i = 0; i < c->n; i++)
		c->threads[i].running = false;
}

void rec_counters_end(struct rec_counters *c, struct rec_defs *defs)
{
	if (!c->begun)
		return;
	c->begun = false;
	stop(c);
	for (size_t i = 0; i < c->n; i++)
		if (!is_done(&c->threads[i]))
			c->threads[i].source->read(c->threads[i].state,
						   &c->readings);
	rec_fact_counter_cpus(defs, &c->readings);
	/* What was taken before may be left, then the rest. */
	for (int i = 0; i < 2; i++)
		while (!rec_counters_poll(c, defs) &&
		       rec_sink_reserve_wait(defs->sink))
			;
}

void rec_counters_fini(struct rec_counters *c)
{
	if (!c->readings.ready)
		return;
	stop(c);
	for (size_t i = 0; i < c->n; i++)
		c->threads[i].source->close(c->threads[i].state);
	rec_counter_rows_fini(&c->rows);
	rec_readings_fini(&c->readings);
	pthread_cond_destroy(&c->wake);
	pthread_mutex_destroy(&c->lock);
	*c = (struct rec_counters){ .n = 0 };
}
