#include "record/drain/rows.h"

#include <linux/perf_event.h>

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

void rec_rows_sample(struct rec_payload *p, const struct rec_taken *t,
		     uint64_t period)
{
	struct rec_defs *d = p->defs;
	uint32_t event = rec_defs_event(d, (size_t)t->index, t->event);
	uint32_t thread = rec_defs_thread(d, t->thread);
	struct tf_builder *b = rec_sink_rows(
		d->sink,
		t->tracepoint ? t->tracepoint->table.id : TF_TABLE_SAMPLE);

	set_sample(b, &t->r->ids, period, event, thread, &t->place);
	if (t->tracepoint)
		rec_payload_set(p, t->tracepoint, t->r->sample.raw, b);
	if (!tf_builder_commit(b))
		d->failed = true;
}

void rec_rows_switch(struct rec_defs *d, const struct rec_record *r,
		     struct rec_thread *thread)
{
	const struct rec_switch *sw = &r->cswitch;
	uint32_t id = rec_defs_thread(d, thread);
	struct tf_builder *b = rec_sink_rows(d->sink, TF_TABLE_SWITCH);

	tf_builder_set(b, TF_SWITCH_TIME, r->ids.time);
	tf_builder_set(b, TF_SWITCH_CPU, r->ids.cpu);
	tf_builder_set(b, TF_SWITCH_THREAD, id);
	tf_builder_set(b, TF_SWITCH_FLAGS,
		       (sw->out ? TF_SWITCH_OUT : 0u) |
			       (sw->preempt ? TF_SWITCH_PREEMPT : 0u));
	tf_builder_set(b, TF_SWITCH_OTHER,
		       r->type == PERF_RECORD_SWITCH_CPU_WIDE &&
				       sw->other_tid >= 0 ?
			       (uint64_t)sw->other_tid + 1 : 0);
	if (!tf_builder_commit(b))
		d->failed = true;
}
