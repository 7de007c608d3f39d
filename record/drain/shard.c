#include "record/drain/shard.h"

#include "record/drain/rows.h"

#include <linux/perf_event.h>
#include <string.h>

static void lose(struct rec_shard *s, enum tf_loss_kind kind, int event,
		 int cpu, uint64_t count)
{
	rec_defs_lock(s->defs);
	rec_losses_add(s->from->losses, kind, event, cpu, count);
	rec_defs_unlock(s->defs);
}

static void write_row(struct rec_shard *s, const struct rec_taken *t,
		      uint64_t period)
{
	rec_rows_sample(&s->payload, t, period);
	s->samples++;
}

/* The recorder, its symbolizer, and the processes that one makes. */
static bool is_own(const struct rec_shard *s, const struct rec_thread *t)
{
	if (t->pid == s->from->own_pid)
		return true;
	return s->from->symbols_pid &&
	       (t->pid == s->from->symbols_pid ||
		t->mm->parent == s->from->symbols_pid);
}

enum { TAKEN, WAIT }; /* WAIT: the record stays where it is */

static int unknown_event(struct rec_shard *s, int cpu)
{
	lose(s, TF_LOSS_DECODE, -1, cpu, 1);
	return TAKEN;
}

/* A thread that the world does not know: only the round may change the world. */
static int wait_for_world(struct rec_shard *s, const struct rec_ids *ids)
{
	s->stranger = true;
	s->ids = *ids;
	return WAIT;
}

/* false: it is left out. */
static bool is_wanted(struct rec_shard *s, struct rec_taken *t)
{
	if (s->from->keep_own || !is_own(s, t->thread))
		return true;
	if (t->tracepoint && !t->tracepoint->is_syscall) {
		t->place.flags |= TF_SAMPLE_OWN;
		return true;
	}
	s->own_samples++;
	return false;
}

static void place(struct rec_shard *s, struct rec_taken *t)
{
	uint32_t own = t->place.flags;

	rec_stacks_place(s->stacks, &t->r->sample, &t->r->ids, t->r->misc,
			 (t->event->attr.sample_type &
			  PERF_SAMPLE_CALLCHAIN) != 0,
			 t->thread->mm, &t->place);
	t->place.flags |= own;
}

/* Where the leader of a group samples for it, each other event that counted
 * meanwhile becomes a row of its own, weighted by how much. */
struct members {
	struct rec_shard *shard;
	struct rec_taken *taken;
};

static void write_member(void *ctx, size_t event, uint64_t delta)
{
	const struct members *m = ctx;
	struct rec_taken t = *m->taken;

	t.index = (int)event;
	t.event = rec_perf_event(m->shard->from->perf, event);
	t.tracepoint = NULL;
	write_row(m->shard, &t, delta);
}

static bool leads(const struct rec_event *e, size_t index)
{
	return e->leader_samples && e->leader == index;
}

static void write_members(struct rec_shard *s, struct rec_taken *t, int cpu)
{
	const struct rec_layout *layout =
		rec_perf_event_layout(s->from->perf, (size_t)t->index);
	struct members m = { s, t };

	if (rec_perf_group_each(s->from->perf, &t->r->sample,
				layout->read_format, write_member, &m))
		lose(s, TF_LOSS_DECODE, t->index, cpu, 1);
}

/* The end of a call that no call began (of rt_sigreturn) has number -1. */
static void define_key(struct rec_shard *s, const struct rec_taken *t)
{
	uint32_t key;

	if (!t->event->by_key || !t->tracepoint || t->tracepoint->key < 0)
		return;
	key = rec_payload_key(t->tracepoint, t->r->sample.raw);
	if (key != UINT32_MAX)
		rec_defs_event_key(s->defs, (size_t)t->index, t->event, key);
}

static uint64_t weight(const struct rec_taken *t)
{
	const struct perf_event_attr *a = &t->event->attr;

	return a->sample_type & PERF_SAMPLE_PERIOD ? t->r->sample.period :
						     a->sample_period;
}

/* Threads of the kernel work for others, and for the GPU among other things. */
static void note_caller(struct rec_shard *s, const struct rec_taken *t)
{
	const struct rec_ids *ids = &t->r->ids;
	struct rec_callers *c = &s->callers;
	pid_t *known = &c->known[(uint32_t)ids->tid % REC_CALLERS_KNOWN];

	if (*known == ids->tid || c->n == REC_CALLERS_MAX ||
	    t->thread->mm == s->from->world->no_mm)
		return;
	*known = ids->tid;
	c->list[c->n++] = (struct rec_caller){ ids->pid, ids->tid };
}

/* While one event takes the place of another, both record a switch: the same
 * bytes, one record right behind the other. That can be no further switch, which
 * would begin with whom this one ended with. */
#define DOUBLE_NS 1000000u

static bool is_double(struct rec_shard *s, const struct rec_taken *t)
{
	const struct rec_ids *ids = &t->r->ids;
	const struct span raw = t->r->sample.raw;
	struct rec_last_switch *last = &s->last_switch;

	if (t->event->follow != REC_FOLLOW_OTHERS &&
	    t->event->follow != REC_FOLLOW_SWITCH)
		return false;
	if (last->n && last->n == raw.n && last->cpu == ids->cpu &&
	    ids->time - last->time < DOUBLE_NS &&
	    memcmp(last->raw, raw.p, raw.n) == 0)
		return true;
	last->n = raw.n <= REC_SWITCH_MAX ? raw.n : 0;
	last->cpu = ids->cpu;
	last->time = ids->time;
	if (last->n)
		memcpy(last->raw, raw.p, raw.n);
	return false;
}

static int take_sample(struct rec_shard *s, const struct rec_record *r,
		       int index, int cpu)
{
	struct rec_taken t = { .r = r, .index = index };

	t.event = rec_perf_event(s->from->perf, (size_t)index);
	t.tracepoint = rec_tracepoints_of(s->from->tracepoints, (size_t)index);
	t.thread = rec_world_known(s->from->world, &r->ids);
	if (!t.thread)
		return wait_for_world(s, &r->ids);
	if (!is_wanted(s, &t) || is_double(s, &t))
		return TAKEN;
	if (t.event->gpu_caller)
		note_caller(s, &t);
	if (t.tracepoint && t.tracepoint->is_syscall)
		rec_fd_uses_note(&s->files, t.tracepoint, r->sample.raw,
				 r->ids.pid);
	if (r->ids.time < s->from->published_ns)
		lose(s, TF_LOSS_LATE, index, cpu, 1);
	place(s, &t);
	define_key(s, &t);
	write_row(s, &t, weight(&t));
	if (leads(t.event, (size_t)index))
		write_members(s, &t, cpu);
	return TAKEN;
}

static int take_switch(struct rec_shard *s, const struct rec_record *r)
{
	struct rec_thread *thread = rec_world_known(s->from->world, &r->ids);

	if (!thread)
		return wait_for_world(s, &r->ids);
	rec_rows_switch(s->defs, r, thread);
	return TAKEN;
}

/* What is no sample. */
static int take_other(struct rec_shard *s, const struct rec_record *r, int cpu)
{
	switch (r->type) {
	case PERF_RECORD_LOST:
		if (!s->from->kernel_counts_loss)
			lose(s, TF_LOSS_RING,
			     rec_perf_event_of(s->from->perf, r->lost.id),
			     cpu, r->lost.count);
		return TAKEN;
	case PERF_RECORD_THROTTLE:
		lose(s, TF_LOSS_THROTTLED,
		     rec_perf_event_of(s->from->perf, r->ids.id), cpu, 1);
		return TAKEN;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return take_switch(s, r);
	default:
		return TAKEN;
	}
}

/* Beyond what every record has: a row of its own table, or a row for each
 * event of a group. */
static bool room_for(struct rec_shard *s, size_t event)
{
	const struct rec_tracepoint *t =
		rec_tracepoints_of(s->from->tracepoints, event);
	struct rec_sink *sink = s->defs->sink;

	if (leads(rec_perf_event(s->from->perf, event), event) &&
	    !rec_sink_reserve_more(sink, REC_SINK_ROWS_PER_RECORD))
		return false;
	return !t || rec_sink_reserve_row(sink, t->table.id);
}

static int wait_for_writer(struct rec_shard *s)
{
	s->behind = true;
	return WAIT;
}

/* Records of one event come in runs. */
static int event_of(struct rec_shard *s, uint64_t id)
{
	if (!s->last_event || s->last_id != id) {
		s->last_event = rec_perf_event_of(s->from->perf, id) + 1;
		s->last_id = id;
	}
	return s->last_event - 1;
}

static int take(struct rec_shard *s, struct span bytes, int cpu)
{
	struct rec_perf *perf = s->from->perf;
	const struct rec_layout *layout = rec_perf_sample_layout(perf);
	struct rec_record r;
	uint64_t id = 0;
	int index = -1;

	/* Longer chains than usual (kernel.perf_event_max_stack) make more
	 * rows, one a word at most. */
	if (!rec_sink_reserve_more(s->defs->sink, bytes.n / 8))
		return wait_for_writer(s);
	if (rec_decode_id(layout, bytes, &id)) {
		index = event_of(s, id);
		if (index < 0)
			return unknown_event(s, cpu);
		if (!room_for(s, (size_t)index))
			return wait_for_writer(s);
		layout = rec_perf_event_layout(perf, (size_t)index);
	}
	if (rec_decode(layout, bytes, &r, NULL))
		return unknown_event(s, cpu);
	return index >= 0 ? take_sample(s, &r, index, cpu) :
			    take_other(s, &r, cpu);
}

/* false: a record has to wait. */
static bool drain_ring(struct rec_shard *s, size_t i, uint64_t until)
{
	struct rec_perf *perf = s->from->perf;
	const struct rec_layout *layout = rec_perf_sample_layout(perf);
	struct rec_ring *ring = rec_perf_samples(perf, i);
	int cpu = rec_perf_ring_cpu(perf, i);
	int what = TAKEN, got;
	struct span rec;

	rec_ring_refresh(ring);
	while ((got = rec_ring_peek(ring, &rec, NULL)) <= 0) {
		if (got < 0) {
			lose(s, TF_LOSS_DECODE, -1, cpu, 0);
			break;
		}
		if (rec_decode_time(layout, rec) > until)
			break;
		what = take(s, rec, cpu);
		if (what == WAIT)
			break;
		rec_ring_next(ring);
	}
	rec_ring_release(ring);
	return what != WAIT;
}

void rec_shard_run(struct rec_shard *s, uint64_t until)
{
	s->rc = 0;
	s->behind = s->stranger = false;
	s->last_event = 0;
	for (size_t i = 0; i < s->n; i++)
		if (!drain_ring(s, s->first + i, until))
			break;
	if (s->defs->failed)
		s->rc = err_nomem(&s->err);
}

size_t rec_shard_waiting(const struct rec_shard *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += rec_ring_refresh(rec_perf_samples(s->from->perf,
						       s->first + i));
	return n;
}
