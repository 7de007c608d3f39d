#include "record/drain.h"

#include "format/base/time.h"

#include <linux/perf_event.h>
#include <string.h>

/* The ring whose next side-band record is the oldest; its record is in *rec.
 * -1: all are empty. The rings are merged by time, since a fork on one CPU is
 * followed by an exec on another. */
static int oldest(struct rec_drain *d, struct span *rec)
{
	const struct rec_layout *layout = rec_perf_sideband_layout(d->perf);
	uint64_t best = 0;
	int found = -1;

	for (size_t i = 0; i < rec_perf_n_rings(d->perf); i++) {
		struct rec_ring *ring = rec_perf_sideband(d->perf, i);
		struct span r;
		uint64_t time;
		int rc = rec_ring_peek(ring, &r, NULL);

		if (rc < 0)
			rec_losses_add(d->losses, TF_LOSS_SIDEBAND, -1,
				       rec_perf_ring_cpu(d->perf, i), 0);
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
	struct rec_record r;

	if (rec_decode(rec_perf_sideband_layout(d->perf), bytes, &r, NULL)) {
		rec_losses_add(d->losses, TF_LOSS_DECODE, -1, cpu, 1);
		return 0;
	}
	if (r.type == PERF_RECORD_LOST) {
		if (!d->kernel_counts_loss)
			rec_losses_add(d->losses, TF_LOSS_SIDEBAND, -1, cpu,
				       r.lost.count);
		return 0;
	}
	return rec_world_apply(d->world, &r, err);
}

static int drain_sideband(struct rec_drain *d, struct err *err)
{
	struct span rec = { 0 };
	int i, rc = 0;

	for (size_t k = 0; k < rec_perf_n_rings(d->perf); k++)
		rec_ring_refresh(rec_perf_sideband(d->perf, k));
	while (rc == 0 && (i = oldest(d, &rec)) >= 0) {
		struct rec_ring *ring = rec_perf_sideband(d->perf, (size_t)i);

		rc = take_sideband(d, rec,
				   rec_perf_ring_cpu(d->perf, (size_t)i), err);
		rec_ring_next(ring);
	}
	for (size_t k = 0; k < rec_perf_n_rings(d->perf); k++)
		rec_ring_release(rec_perf_sideband(d->perf, k));
	return rc;
}

/* The columns that all tables of samples have at the same places. */
static void set_sample(struct tf_builder *b, const struct rec_ids *ids,
		       uint64_t period, uint32_t event, uint32_t thread,
		       const struct rec_place *place)
{
	tf_builder_set(b, TF_SAMPLE_TIME, ids->time);
	tf_builder_set(b, TF_SAMPLE_CPU, ids->cpu);
	tf_builder_set(b, TF_SAMPLE_THREAD, thread);
	tf_builder_set(b, TF_SAMPLE_EVENT, event);
	tf_builder_set(b, TF_SAMPLE_PERIOD, period);
	tf_builder_set(b, TF_SAMPLE_IP, place->ip);
	tf_builder_set(b, TF_SAMPLE_KSTACK, place->kstack);
	tf_builder_set(b, TF_SAMPLE_USTACK, place->ustack);
	tf_builder_set(b, TF_SAMPLE_FLAGS, place->flags);
}

/* One event's share of a record: what became of it, and for whom. */
struct taken {
	const struct rec_record *r;
	int index;                 /* of the event */
	const struct rec_event *event;
	struct rec_tracepoint *tracepoint; /* NULL: none */
	struct rec_thread *thread;
	struct rec_place place;
};

static void write_row(struct rec_drain *d, const struct taken *t,
		      uint64_t period)
{
	uint32_t event = rec_defs_event(d->defs, (size_t)t->index, t->event);
	uint32_t thread = rec_defs_thread(d->defs, t->thread);
	struct tf_builder *b = rec_sink_rows(
		d->defs->sink,
		t->tracepoint ? t->tracepoint->table.id : TF_TABLE_SAMPLE);

	set_sample(b, &t->r->ids, period, event, thread, &t->place);
	if (t->tracepoint)
		rec_payload_set(&d->payload, t->tracepoint, t->r->sample.raw,
				b);
	if (!tf_builder_commit(b))
		d->defs->failed = true;
	d->samples++;
}

/* The recorder, its symbolizer, and the processes that one makes. */
static bool is_own(const struct rec_drain *d, const struct rec_thread *t)
{
	if (t->pid == d->own_pid)
		return true;
	return d->symbols_pid && (t->pid == d->symbols_pid ||
				  t->mm->parent == d->symbols_pid);
}

static bool is_syscall(const struct rec_tracepoint *t)
{
	return strcmp(t->system, "raw_syscalls") == 0 ||
	       strcmp(t->system, "syscalls") == 0;
}

static int unknown_event(struct rec_drain *d, int cpu)
{
	rec_losses_add(d->losses, TF_LOSS_DECODE, -1, cpu, 1);
	return 0;
}

/* 0: take it; 1: it is left out. */
static int who(struct rec_drain *d, struct taken *t, struct err *err)
{
	t->thread = rec_world_thread(d->world, &t->r->ids);
	if (!t->thread)
		return err_nomem(err);
	if (d->keep_own || !is_own(d, t->thread))
		return 0;
	if (t->tracepoint && !is_syscall(t->tracepoint)) {
		t->place.flags |= TF_SAMPLE_OWN;
		return 0;
	}
	d->own_samples++;
	return 1;
}

static void place(struct rec_drain *d, struct taken *t)
{
	uint32_t own = t->place.flags;

	rec_stacks_place(d->stacks, &t->r->sample, &t->r->ids, t->r->misc,
			 (t->event->attr.sample_type &
			  PERF_SAMPLE_CALLCHAIN) != 0,
			 t->thread->mm, &t->place);
	t->place.flags |= own;
}

/* Where the leader of a group samples for it, each other event that counted
 * meanwhile becomes a row of its own, weighted by how much. */
struct members {
	struct rec_drain *drain;
	struct taken *taken;
};

static void write_member(void *ctx, size_t event, uint64_t delta)
{
	const struct members *m = ctx;
	struct taken t = *m->taken;

	t.index = (int)event;
	t.event = rec_perf_event(m->drain->perf, event);
	t.tracepoint = NULL;
	write_row(m->drain, &t, delta);
}

static bool leads(const struct rec_event *e, size_t index)
{
	return e->leader_samples && e->leader == index;
}

static void write_members(struct rec_drain *d, struct taken *t, int cpu)
{
	const struct rec_layout *layout =
		rec_perf_event_layout(d->perf, (size_t)t->index);
	struct members m = { d, t };

	if (rec_perf_group_each(d->perf, &t->r->sample, layout->read_format,
				write_member, &m))
		rec_losses_add(d->losses, TF_LOSS_DECODE, t->index, cpu, 1);
}

/* The end of a call that no call began (of rt_sigreturn) has number -1. */
static void define_key(struct rec_drain *d, const struct taken *t)
{
	uint32_t key;

	if (!t->event->by_key || !t->tracepoint || t->tracepoint->key < 0)
		return;
	key = rec_payload_key(t->tracepoint, t->r->sample.raw);
	if (key != UINT32_MAX)
		rec_defs_event_key(d->defs, (size_t)t->index, t->event, key);
}

static int take_sample(struct rec_drain *d, const struct rec_record *r,
		       int index, int cpu, struct err *err)
{
	struct taken t = { .r = r, .index = index };
	int rc;

	t.event = rec_perf_event(d->perf, (size_t)index);
	t.tracepoint = rec_tracepoints_of(d->tracepoints, (size_t)index);
	rc = who(d, &t, err);
	if (rc)
		return rc < 0 ? rc : 0;
	if (r->ids.time < d->published_ns)
		rec_losses_add(d->losses, TF_LOSS_LATE, index, cpu, 1);
	place(d, &t);
	define_key(d, &t);
	write_row(d, &t, r->sample.period);
	if (leads(t.event, (size_t)index))
		write_members(d, &t, cpu);
	return 0;
}

static int take_switch(struct rec_drain *d, const struct rec_record *r,
		       struct err *err)
{
	const struct rec_switch *s = &r->cswitch;
	struct rec_thread *thread = rec_world_thread(d->world, &r->ids);
	struct tf_builder *b;
	uint32_t id;

	if (!thread)
		return err_nomem(err);
	id = rec_defs_thread(d->defs, thread);
	b = rec_sink_rows(d->defs->sink, TF_TABLE_SWITCH);
	tf_builder_set(b, TF_SWITCH_TIME, r->ids.time);
	tf_builder_set(b, TF_SWITCH_CPU, r->ids.cpu);
	tf_builder_set(b, TF_SWITCH_THREAD, id);
	tf_builder_set(b, TF_SWITCH_FLAGS,
		       (s->out ? TF_SWITCH_OUT : 0u) |
			       (s->preempt ? TF_SWITCH_PREEMPT : 0u));
	tf_builder_set(b, TF_SWITCH_OTHER,
		       r->type == PERF_RECORD_SWITCH_CPU_WIDE &&
				       s->other_tid >= 0 ?
			       (uint64_t)s->other_tid + 1 : 0);
	if (!tf_builder_commit(b))
		d->defs->failed = true;
	d->switches++;
	return 0;
}

/* What is no sample. */
static int take_other(struct rec_drain *d, const struct rec_record *r, int cpu,
		      struct err *err)
{
	switch (r->type) {
	case PERF_RECORD_LOST:
		if (!d->kernel_counts_loss)
			rec_losses_add(d->losses, TF_LOSS_RING,
				       rec_perf_event_of(d->perf, r->lost.id),
				       cpu, r->lost.count);
		return 0;
	case PERF_RECORD_THROTTLE:
		rec_losses_add(d->losses, TF_LOSS_THROTTLED,
			       rec_perf_event_of(d->perf, r->ids.id), cpu, 1);
		return 0;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return take_switch(d, r, err);
	default:
		return 0;
	}
}

/* Beyond what every record has: a row of its own table, or a row for each
 * event of a group. */
static bool room_for(struct rec_drain *d, size_t event)
{
	const struct rec_tracepoint *t =
		rec_tracepoints_of(d->tracepoints, event);
	struct rec_sink *sink = d->defs->sink;

	if (leads(rec_perf_event(d->perf, event), event) &&
	    !rec_sink_reserve_more(sink, REC_SINK_ROWS_PER_RECORD))
		return false;
	return !t || rec_sink_reserve_row(sink, t->table.id);
}

/* 0: taken; 1: the writer is behind, the record stays. */
static int take(struct rec_drain *d, struct span bytes, int cpu,
		struct err *err)
{
	const struct rec_layout *layout = rec_perf_sample_layout(d->perf);
	struct rec_record r;
	uint64_t id = 0;
	int index = -1;

	if (rec_decode_id(layout, bytes, &id)) {
		index = rec_perf_event_of(d->perf, id);
		if (index < 0)
			return unknown_event(d, cpu);
		if (!room_for(d, (size_t)index))
			return 1;
		layout = rec_perf_event_layout(d->perf, (size_t)index);
	}
	if (rec_decode(layout, bytes, &r, NULL))
		return unknown_event(d, cpu);
	if (index >= 0)
		return take_sample(d, &r, index, cpu, err);
	return take_other(d, &r, cpu, err);
}

/* 0: drained up to `until`; 1: the writer is behind. */
static int drain_ring(struct rec_drain *d, size_t i, uint64_t until,
		      struct err *err)
{
	const struct rec_layout *layout = rec_perf_sample_layout(d->perf);
	struct rec_ring *ring = rec_perf_samples(d->perf, i);
	int cpu = rec_perf_ring_cpu(d->perf, i);
	struct span rec;
	int rc = 0, got;

	rec_ring_refresh(ring);
	while (rc == 0 && (got = rec_ring_peek(ring, &rec, NULL)) <= 0) {
		if (got < 0) {
			rec_losses_add(d->losses, TF_LOSS_DECODE, -1, cpu, 0);
			break;
		}
		if (rec_decode_time(layout, rec) > until)
			break;
		/* Longer chains than usual (kernel.perf_event_max_stack) make
		 * more rows, one a word at most. */
		if (!rec_sink_reserve_more(d->defs->sink, rec.n / 8)) {
			rc = 1;
			break;
		}
		rc = take(d, rec, cpu, err);
		if (rc != 1)
			rec_ring_next(ring);
	}
	rec_ring_release(ring);
	return rc;
}

int rec_drain_round(struct rec_drain *d, bool last, struct err *err)
{
	uint64_t now = time_now_ns(CLOCK_MONOTONIC);
	uint64_t until = last ? UINT64_MAX : now;
	int rc = drain_sideband(d, err);
	int behind = 0;

	for (size_t i = 0; rc == 0 && i < rec_perf_n_rings(d->perf); i++) {
		rc = drain_ring(d, i, until, err);
		if (rc == 1) {
			behind = 1;
			rc = 0; /* the other rings wait for the writer, too */
			break;
		}
	}
	if (rc < 0)
		return rc;
	if (d->defs->failed)
		return err_nomem(err);
	if (behind)
		return 1;
	/* Records may still come with times a little before T (measured: up
	 * to 81 us), so what is promised is the T of the round before. */
	d->published_ns = d->round_ns;
	rec_sink_watermark(d->defs->sink, d->published_ns);
	rec_world_prune(d->world, d->round_ns);
	d->round_ns = now;
	return 0;
}
