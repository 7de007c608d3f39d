#include "record/drain/drain.h"

#include "format/base/time.h"

#include <linux/perf_event.h>
#include <stdlib.h>

/* The ring whose next side-band record is the oldest; its record is in *rec.
 * -1: all are empty. The rings are merged by time, since a fork on one CPU is
 * followed by an exec on another. */
static int oldest(struct rec_drain *d, struct span *rec)
{
	struct rec_perf *perf = d->from.perf;
	const struct rec_layout *layout = rec_perf_sideband_layout(perf);
	uint64_t best = 0;
	int found = -1;

	for (size_t i = 0; i < rec_perf_n_rings(perf); i++) {
		struct rec_ring *ring = rec_perf_sideband(perf, i);
		struct span r;
		uint64_t time;
		int rc = rec_ring_peek(ring, &r, NULL);

		if (rc < 0)
			rec_losses_add(d->from.losses, TF_LOSS_SIDEBAND, -1,
				       rec_perf_ring_cpu(perf, i), 0);
		if (rc)
			continue;
		time = rec_decode_time(layout, r);
		if (found < 0 || time < best) {
			best = time;
			found = (int)i;
			*rec = r;
		}
	}
	return found;
}

static int take_sideband(struct rec_drain *d, struct span bytes, int cpu,
			 struct err *err)
{
	const struct rec_layout *layout = rec_perf_sideband_layout(d->from.perf);
	struct rec_record r;

	if (rec_decode(layout, bytes, &r, NULL)) {
		rec_losses_add(d->from.losses, TF_LOSS_DECODE, -1, cpu, 1);
		return 0;
	}
	if (r.type == PERF_RECORD_LOST) {
		if (!d->from.kernel_counts_loss)
			rec_losses_add(d->from.losses, TF_LOSS_SIDEBAND, -1,
				       cpu, r.lost.count);
		return 0;
	}
	return rec_world_apply(d->from.world, &r, err);
}

static int drain_sideband(struct rec_drain *d, struct err *err)
{
	struct rec_perf *perf = d->from.perf;
	struct span rec = { 0 };
	int i, rc = 0;

	for (size_t k = 0; k < rec_perf_n_rings(perf); k++)
		rec_ring_refresh(rec_perf_sideband(perf, k));
	while (rc == 0 && (i = oldest(d, &rec)) >= 0) {
		struct rec_ring *ring = rec_perf_sideband(perf, (size_t)i);

		rc = take_sideband(d, rec, rec_perf_ring_cpu(perf, (size_t)i),
				   err);
		rec_ring_next(ring);
	}
	for (size_t k = 0; k < rec_perf_n_rings(perf); k++)
		rec_ring_release(rec_perf_sideband(perf, k));
	return rc;
}

/* A thread drains about as many rings as it can when all are full. */
#define RINGS_PER_SHARD 16u

unsigned rec_drain_n_shards(const struct rec_perf *perf, uint64_t asked)
{
	size_t rings = rec_perf_n_rings(perf);
	size_t n = (rings + RINGS_PER_SHARD - 1) / RINGS_PER_SHARD;

	if (asked)
		n = asked;
	/* What a group's leader read before is one for all rings. */
	for (size_t i = 0; i < rec_perf_n_events(perf); i++)
		if (rec_perf_event(perf, i)->leader_samples)
			return 1;
	if (n > rings)
		n = rings;
	return n < REC_SHARDS_MAX ? (unsigned)n : REC_SHARDS_MAX;
}

/* Rings are dealt out in runs: neighbours share caches. */
static void deal_rings(struct rec_drain *d)
{
	size_t n = rec_perf_n_rings(d->from.perf), first = 0;

	for (unsigned i = 0; i < d->n_shards; i++) {
		size_t end = n * (i + 1) / d->n_shards;

		d->shards[i].first = first;
		d->shards[i].n = end - first;
		first = end;
	}
}

static int share(struct rec_drain *d, unsigned i, struct err *err)
{
	struct rec_defs *first = d->shards[0].defs;
	struct rec_stacks *like = d->shards[0].stacks;
	struct rec_shard *s = &d->shards[i];
	struct rec_sink *sink = NULL;
	int rc = rec_sink_share(&sink, first->sink, err);

	s->defs = calloc(1, sizeof(*s->defs));
	s->stacks = calloc(1, sizeof(*s->stacks));
	if (rc == 0 && (!s->defs || !s->stacks))
		rc = err_nomem(err);
	if (rc < 0) {
		rec_sink_free(sink);
		return rc;
	}
	rc = rec_defs_init(s->defs, sink, first->images, first->root,
			   first->n_events, first->epoch_since, err);
	if (rc == 0) {
		s->defs->shard = i;
		s->defs->lock = &d->lock;
		s->defs->tracepoints = first->tracepoints;
		s->defs->next = first->next;
		first->next = s->defs;
		rc = rec_stacks_init(s->stacks, s->defs, like->kernel,
				     like->frames.names, like->max_stack,
				     err);
	}
	return rc;
}

int rec_drain_init(struct rec_drain *d, struct rec_defs *defs,
		   struct rec_stacks *stacks, unsigned shards, struct err *err)
{
	int rc = 0;

	pthread_mutex_init(&d->lock, NULL);
	d->shards[0].defs = defs;
	d->shards[0].stacks = stacks;
	d->n_shards = 1;
	if (shards > 1)
		defs->lock = &d->lock;
	for (unsigned i = 1; i < shards && rc == 0; i++) {
		d->n_shards++;
		rc = share(d, i, err);
	}
	for (unsigned i = 0; i < d->n_shards; i++) {
		struct rec_shard *s = &d->shards[i];

		s->from = &d->from;
		s->payload.defs = s->defs;
		s->payload.stacks = s->stacks;
	}
	deal_rings(d);
	if (rc == 0 && d->n_shards > 1)
		rc = rec_crew_start(&d->crew, d->shards, d->n_shards, err);
	return rc;
}

void rec_drain_fini(struct rec_drain *d)
{
	if (!d->n_shards)
		return;
	rec_crew_stop(&d->crew);
	for (unsigned i = 1; i < d->n_shards; i++) {
		struct rec_shard *s = &d->shards[i];

		if (s->stacks)
			rec_stacks_fini(s->stacks);
		if (s->defs) {
			rec_sink_free(s->defs->sink);
			rec_defs_fini(s->defs);
		}
		free(s->stacks);
		free(s->defs);
	}
	d->shards[0].defs->lock = NULL;
	d->shards[0].defs->next = NULL;
	pthread_mutex_destroy(&d->lock);
	d->n_shards = 0;
}

/* A thread that nobody has announced is looked for, or made up. 1: one was, so
 * that its record can be taken now. */
static int meet_strangers(struct rec_drain *d, struct err *err)
{
	int met = 0;

	for (unsigned i = 0; i < d->n_shards; i++) {
		struct rec_shard *s = &d->shards[i];

		if (!s->stranger)
			continue;
		if (!rec_world_thread(d->from.world, &s->ids))
			return err_nomem(err);
		met = 1;
	}
	return met;
}

static int failure(const struct rec_drain *d, struct err *err)
{
	for (unsigned i = 0; i < d->n_shards; i++)
		if (d->shards[i].rc < 0) {
			if (err)
				*err = d->shards[i].err;
			return d->shards[i].rc;
		}
	return 0;
}

/* 0: all was taken; 1: the writer is behind. */
static int drain_samples(struct rec_drain *d, uint64_t until, struct err *err)
{
	bool behind = false;
	int rc;

	do {
		rec_crew_run(&d->crew, d->shards, d->n_shards, until);
		rc = failure(d, err);
		if (rc == 0)
			rc = meet_strangers(d, err);
	} while (rc > 0);
	for (unsigned i = 0; i < d->n_shards; i++)
		behind = behind || d->shards[i].behind;
	return rc < 0 ? rc : behind;
}

int rec_drain_round(struct rec_drain *d, bool last, struct err *err)
{
	uint64_t now = time_now_ns(CLOCK_MONOTONIC);
	uint64_t until = last ? UINT64_MAX : now;
	int rc = drain_sideband(d, err);

	if (rc == 0)
		rc = drain_samples(d, until, err);
	if (rc)
		return rc;
	/* Records may still come with times a little before T (measured: up
	 * to 81 us), so what is promised is the T of the round before. */
	d->from.published_ns = d->round_ns;
	rec_sink_watermark(d->shards[0].defs->sink, d->from.published_ns);
	rec_world_prune(d->from.world, d->round_ns);
	d->round_ns = now;
	return 0;
}

static int between(void *ctx, struct err *err)
{
	return rec_drain_round(ctx, false, err);
}

int rec_drain_enable(struct rec_drain *d, struct err *err)
{
	return rec_perf_enable_events(d->from.perf, between, d, err);
}

void rec_drain_epochs(struct rec_drain *d, uint64_t now_ns)
{
	for (unsigned i = 0; i < d->n_shards; i++) {
		struct rec_defs *defs = d->shards[i].defs;

		if (rec_defs_due(defs, now_ns))
			(void)rec_defs_new_epoch(defs, now_ns);
	}
}

void rec_drain_flush(struct rec_drain *d)
{
	for (unsigned i = 0; i < d->n_shards; i++)
		rec_sink_flush(d->shards[i].defs->sink);
}

void rec_drain_flush_names(struct rec_drain *d)
{
	for (unsigned i = 0; i < d->n_shards; i++)
		rec_sink_flush_names(d->shards[i].defs->sink);
}

void rec_drain_callers(struct rec_drain *d,
		       void (*each)(void *ctx, pid_t pid, pid_t tid),
		       void *ctx)
{
	for (unsigned i = 0; i < d->n_shards; i++) {
		struct rec_callers *c = &d->shards[i].callers;

		for (unsigned k = 0; k < c->n; k++)
			each(ctx, c->list[k].pid, c->list[k].tid);
		c->n = 0;
	}
}

void rec_drain_files(struct rec_drain *d, struct rec_fds *f, uint64_t now_ns)
{
	for (unsigned i = 0; i < d->n_shards; i++)
		rec_fds_take(f, &d->shards[i].files, now_ns);
}

struct rec_drain_totals rec_drain_totals(const struct rec_drain *d)
{
	struct rec_drain_totals t = { 0 };

	for (unsigned i = 0; i < d->n_shards; i++) {
		t.samples += d->shards[i].samples;
		t.own_samples += d->shards[i].own_samples;
		t.cut_fields += d->shards[i].payload.cut;
	}
	return t;
}
