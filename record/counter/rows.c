#include "record/counter/rows.h"

#include "format/base/mem.h"
#include "record/proc/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void commit(struct rec_defs *d, struct tf_builder *b)
{
	if (!tf_builder_commit(b))
		d->failed = true;
}

static uint32_t text(struct rec_defs *d, const char *s)
{
	return rec_defs_string(d, s, strlen(s));
}

static uint32_t define(struct rec_defs *d, const struct rec_series *s)
{
	const uint32_t name = text(d, s->name), unit = text(d, s->unit),
		       device = text(d, s->device), part = text(d, s->part),
		       label = text(d, s->label);
	uint32_t id = rec_sink_next_id(d->sink, TF_TABLE_SERIES);
	struct tf_builder *b = rec_sink_rows(d->sink, TF_TABLE_SERIES);
	uint64_t scale;

	memcpy(&scale, &s->scale, sizeof(scale));
	tf_builder_set(b, TF_SERIES_NAME, name);
	tf_builder_set(b, TF_SERIES_UNIT, unit);
	tf_builder_set(b, TF_SERIES_KIND, s->kind);
	tf_builder_set(b, TF_SERIES_SCALE, scale);
	tf_builder_set(b, TF_SERIES_SOURCE, s->source);
	tf_builder_set(b, TF_SERIES_EVENT, s->event);
	tf_builder_set(b, TF_SERIES_CPU, s->cpu);
	tf_builder_set(b, TF_SERIES_PID, s->pid);
	tf_builder_set(b, TF_SERIES_DEVICE, device);
	tf_builder_set(b, TF_SERIES_PART, part);
	tf_builder_set(b, TF_SERIES_CLIENT, s->client);
	tf_builder_set(b, TF_SERIES_CAPACITY, s->capacity);
	tf_builder_set(b, TF_SERIES_RUN, s->run);
	tf_builder_set(b, TF_SERIES_LABEL, label);
	commit(d, b);
	return id;
}

/* Under the lock, since a thread may add series and move their array. */
static struct rec_series series_at(struct rec_readings *r, uint32_t i)
{
	struct rec_series s;

	pthread_mutex_lock(&r->lock);
	s = r->series[i];
	pthread_mutex_unlock(&r->lock);
	return s;
}

static void write_row(struct rec_counter_rows *w, struct rec_readings *from,
		      const struct rec_readings_row *row, struct rec_defs *d)
{
	struct rec_row *known = &w->series[row->series];
	const struct rec_reading *r = &row->r;
	uint32_t epoch = rec_sink_epoch(d->sink) + 1;
	struct tf_builder *b;

	if (known->epoch != epoch) {
		const struct rec_series s = series_at(from, row->series);

		*known = (struct rec_row){ epoch, define(d, &s) };
	}
	b = rec_sink_rows(d->sink, TF_TABLE_COUNTER);
	tf_builder_set(b, TF_COUNTER_TIME, r->time_ns);
	tf_builder_set(b, TF_COUNTER_SERIES, known->id);
	tf_builder_set(b, TF_COUNTER_VALUE, (uint64_t)r->value);
	tf_builder_set(b, TF_COUNTER_ENABLED, r->enabled_ns);
	tf_builder_set(b, TF_COUNTER_RUNNING, r->running_ns);
	tf_builder_set(b, TF_COUNTER_TOOK, r->took_ns);
	tf_builder_set(b, TF_COUNTER_STATE, r->state);
	commit(d, b);
	w->written++;
}

/* Under the lock: swaps the rows out, makes room for the series. The texts of a
 * series never move. */
static bool take(struct rec_counter_rows *w, struct rec_readings *r)
{
	struct rec_readings_row *rows = w->taken;
	size_t cap = w->taken_cap;
	size_t before = w->cap;

	if (!mem_grow(&w->series, &w->cap, r->n_series, sizeof(*w->series)))
		return false;
	memset(w->series + before, 0, (w->cap - before) * sizeof(*w->series));
	w->taken = r->rows;
	w->taken_cap = r->cap;
	w->n_taken = r->n;
	w->at = 0;
	r->rows = rows;
	r->cap = cap;
	r->n = 0;
	return true;
}

static bool missing_at(struct rec_readings *r, size_t i,
		       struct rec_readings_missing *m)
{
	bool is;

	pthread_mutex_lock(&r->lock);
	is = i < r->n_missing;
	if (is)
		*m = r->missing[i];
	pthread_mutex_unlock(&r->lock);
	return is;
}

/* Without the lock: a fact may wait for the writer, and no source should. */
static void write_missing(struct rec_counter_rows *w, struct rec_readings *r,
			  struct rec_defs *d)
{
	uint32_t epoch = rec_sink_epoch(d->sink) + 1;
	struct rec_readings_missing m;

	if (w->missing_epoch != epoch)
		w->missing = 0;
	w->missing_epoch = epoch;
	for (; missing_at(r, w->missing, &m); w->missing++) {
		char key[512];

		snprintf(key, sizeof(key), "counter.missing.%s", m.name);
		rec_fact(d, key, "%s", m.why);
	}
}

bool rec_counter_rows_write(struct rec_counter_rows *w, struct rec_readings *r,
			    struct rec_defs *d)
{
	bool room = true;

	write_missing(w, r, d);
	if (w->at == w->n_taken) {
		pthread_mutex_lock(&r->lock);
		room = take(w, r);
		pthread_mutex_unlock(&r->lock);
	}
	for (; room && w->at < w->n_taken; w->at++) {
		room = rec_sink_reserve(d->sink);
		if (!room)
			break;
		write_row(w, r, &w->taken[w->at], d);
	}
	return room;
}

void rec_fact_counters(struct rec_defs *d, uint64_t late, uint64_t dropped)
{
	if (late)
		rec_fact(d, "counter.late", "%" PRIu64, late);
	if (dropped)
		rec_fact(d, "counter.dropped", "%" PRIu64, dropped);
}

void rec_fact_counter_cpus(struct rec_defs *d, struct rec_readings *r)
{
	struct rec_readings_cpus c;

	pthread_mutex_lock(&r->lock);
	c = r->cpus;
	pthread_mutex_unlock(&r->lock);
	if (!c.away && !c.added)
		return;
	rec_fact(d, "counter.cpus", "%" PRIu64 " away, %" PRIu64 " back, %"
		 PRIu64 " new, %" PRIu64 " ns", c.away, c.back, c.added,
		 c.away_ns);
	if (c.away)
		rec_fact(d, "note.counter_cpus_away", "CPUs went offline while "
			 "they were counted (%" PRIu64 ") and came back (%"
			 PRIu64 "): %.3f s of CPUs are in no count", c.away,
			 c.back, (double)c.away_ns / 1e9);
	if (c.added)
		rec_fact(d, "note.counter_cpus_new", "CPUs that came online "
			 "later (%" PRIu64 ") are counted from then on",
			 c.added);
}

void rec_counter_rows_fini(struct rec_counter_rows *w)
{
	free(w->series);
	free(w->taken);
	*w = (struct rec_counter_rows){ .n = 0 };
}
