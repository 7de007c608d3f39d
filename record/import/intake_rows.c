#include "record/import/intake_state.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/import/stop.h"
#include "record/mark/mark.h"

#include <linux/perf_event.h>
#include <string.h>

/* Rows and records between two looks at epochs and names. */
#define TIDY_EVERY 4096u
/* So many times are let pass where few names are asked for. */
#define NAMES_EVERY 8u
#define MANY_PENDING 2048u
/* An epoch is never shorter than this, whatever the times say. */
#define EPOCH_ROWS 16384u
/* Addresses that may wait for a name before rows wait for it. */
#define MAX_PENDING 65536u
#define NAMES_STEP_NS (NSEC_PER_SEC / 10)
/* So many samples later a stack is looked at. */
#define LOOKED_BEHIND 2u

int rec_intake_check(struct rec_intake *in, struct err *err)
{
	if (in->defs.failed)
		return err_nomem(err);
	return rec_sink_failure(in->sink, err);
}

int rec_intake_room(struct rec_intake *in, size_t more,
		    const struct rec_tracepoint *t, struct err *err)
{
	int rc = 0;

	if (more > TF_PART_ROWS / 2)
		more = TF_PART_ROWS / 2; /* a stack has no more frames */
	if (in->n_told < in->n_events ||
	    in->n_tables < in->tracepoints.tables.n)
		rc = rec_intake_announce(in, err);
	while (rc == 0 && (!rec_sink_reserve_more(in->sink, more) ||
			   (t && !rec_sink_reserve_row(in->sink,
						       t->table.id))))
		if (!rec_sink_flush_wait(in->sink))
			rc = rec_intake_check(in, err);
	return rc ? rc : rec_intake_check(in, err);
}

void rec_intake_time(struct rec_intake *in, const struct rec_ids *ids,
		     int event)
{
	if (ids->time < in->newest)
		rec_losses_add(&in->losses, TF_LOSS_LATE, event, -1, 1);
	if (!in->rows)
		in->defs.epoch_since = ids->time;
	if (ids->time > in->newest)
		in->newest = ids->time;
	rec_sink_watermark(in->sink, in->newest);
	in->rows++;
	in->epoch_rows++;
}

static int new_epoch(struct rec_intake *in, struct err *err)
{
	if (!rec_sink_flush_wait(in->sink) ||
	    !rec_defs_new_epoch(&in->defs, in->newest))
		return rec_intake_check(in, err);
	in->epoch_rows = 0;
	return 0;
}

/* Time alone is no reason where there are few rows: times may leap. */
static bool is_due(const struct rec_intake *in)
{
	return rec_defs_due(&in->defs, in->epoch_rows >= EPOCH_ROWS ?
					       in->newest :
					       in->defs.epoch_since);
}

/* A message about few addresses wakes the symbolizer as one about many does. */
static void take_names(struct rec_intake *in)
{
	if (++in->untaken < NAMES_EVERY &&
	    rec_names_pending(&in->names) < MANY_PENDING)
		return;
	in->untaken = 0;
	rec_names_poll(&in->names);
	while (rec_names_pending(&in->names) > MAX_PENDING)
		(void)rec_names_wait(&in->names, NAMES_STEP_NS);
}

static int tidy_now(struct rec_intake *in, struct err *err)
{
	int rc;

	in->untidied = 0;
	rc = rec_intake_settle(in, err);
	if (rc < 0)
		return rc;
	if (rec_stop_rows(in->stop))
		return err_set(err, ERR_IO, "a signal ended it");
	take_names(in);
	rec_intake_write_losses(in, REC_INTAKE_MANY_LOSSES);
	rec_world_prune(&in->world, in->settled);
	in->settled = in->newest;
	return is_due(in) ? new_epoch(in, err) : 0;
}

int rec_intake_tidy(struct rec_intake *in, struct err *err)
{
	rec_own_tell(&in->own, &in->defs);
	return ++in->untidied < TIDY_EVERY ? 0 : tidy_now(in, err);
}

struct rec_ids rec_intake_ids(const struct rec_intake *in,
			      const struct rec_ids *ids)
{
	const struct rec_thread *t;
	struct rec_ids out = *ids;

	if (ids->pid >= 0 || ids->tid < 0)
		return out;
	t = rec_threads_at(&in->world.threads, ids->tid, ids->time);
	out.pid = t ? t->pid : ids->tid;
	return out;
}

/* -- Records --------------------------------------------------------------- */

static int take_switch(struct rec_intake *in, const struct rec_record *r,
		       struct err *err)
{
	struct rec_record own = *r;
	struct rec_thread *t;
	int rc = rec_intake_room(in, 0, NULL, err);

	if (rc < 0)
		return rc;
	own.ids = rec_intake_ids(in, &r->ids);
	t = rec_world_thread(&in->world, &own.ids);
	if (!t)
		return err_nomem(err);
	rec_intake_time(in, &own.ids, -1);
	rec_rows_switch(&in->defs, &own, t);
	return 0;
}

int rec_intake_record(struct rec_intake *in, const struct rec_record *r,
		      struct err *err)
{
	int rc = rec_intake_settle(in, err);

	if (rc == 0)
		rc = rec_intake_tidy(in, err);
	if (rc < 0)
		return rc;
	switch (r->type) {
	case PERF_RECORD_LOST:
		in->lost += r->lost.count;
		rec_intake_lost(in, TF_LOSS_RING, -1, -1, r->ids.time,
				r->lost.count);
		return 0;
	case PERF_RECORD_LOST_SAMPLES:
		in->lost_samples += r->lost.count;
		return 0;
	case PERF_RECORD_THROTTLE:
		rec_intake_lost(in, TF_LOSS_THROTTLED, -1, (int)r->ids.cpu,
				r->ids.time, 1);
		return 0;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return take_switch(in, r, err);
	case PERF_RECORD_SAMPLE:
		return err_set(err, ERR_USAGE, "a sample is no record here");
	default:
		/* A mapping may become a row. */
		rc = rec_intake_room(in, 0, NULL, err);
		return rc ? rc : rec_world_apply(&in->world, r, err);
	}
}

/* -- Samples --------------------------------------------------------------- */

static uint16_t mode_of(uint16_t misc)
{
	return misc & PERF_RECORD_MISC_CPUMODE_MASK;
}

/* Old files do not say where it was: what lies in the kernel is the kernel's. */
static void complete_mode(struct rec_intake *in, struct rec_record *r)
{
	uint64_t address;

	if (mode_of(r->misc) == PERF_RECORD_MISC_CPUMODE_UNKNOWN &&
	    rec_kernel_find(&in->world.kernel, r->sample.ip, &address) !=
		    REC_IMAGE_UNKNOWN)
		r->misc = (uint16_t)(r->misc | PERF_RECORD_MISC_KERNEL);
}

/* A chain that does not say whose addresses it begins with is of the side that
 * the sample was on. */
static bool complete_chain(struct rec_intake *in, struct rec_record *r)
{
	struct rec_sample *s = &r->sample;
	uint64_t context = mode_of(r->misc) == PERF_RECORD_MISC_KERNEL ?
				   (uint64_t)PERF_CONTEXT_KERNEL :
				   (uint64_t)PERF_CONTEXT_USER;

	if (!s->n_chain || rec_chain_word(s, 0) >= (uint64_t)PERF_CONTEXT_MAX)
		return true;
	buf_clear(&in->scratch);
	buf_put(&in->scratch, &context, sizeof(context));
	buf_put(&in->scratch, s->chain.p, s->chain.n);
	s->chain = span_of(in->scratch.p, in->scratch.n);
	s->n_chain++;
	return !buf_failed(&in->scratch);
}

static void begin(struct rec_intake *in, struct rec_waiting *w, bool chained)
{
	const struct perf_event_attr *attr = &w->taken.event->attr;
	const struct rec_record *r = &w->record;

	in->stacks.max_stack = attr->sample_max_stack ? attr->sample_max_stack :
							REC_INTAKE_MAX_STACK;
	rec_stacks_begin(&in->stacks, &r->sample, &r->ids, r->misc, chained,
			 w->taken.thread->mm, &w->placing);
}

static int check_event(const struct rec_intake *in, size_t event,
		       struct err *err)
{
	return event < in->n_events ? 0 :
	       err_set(err, ERR_USAGE, "there is no event %zu", event);
}

/* Without room for its row. */
static int take(struct rec_intake *in, size_t event, struct rec_record *r,
		struct rec_taken *t, struct err *err)
{
	int rc = check_event(in, event, err);

	if (rc == 0)
		rc = rec_intake_tidy(in, err);
	if (rc < 0)
		return rc;
	r->ids = rec_intake_ids(in, &r->ids);
	*t = (struct rec_taken){
		.r = r,
		.index = (int)event,
		.event = &in->events[event],
		.tracepoint = rec_tracepoints_of(&in->tracepoints, event),
	};
	t->thread = rec_world_thread(&in->world, &r->ids);
	return t->thread ? 0 : err_nomem(err);
}

int rec_intake_take(struct rec_intake *in, size_t event, struct rec_record *r,
		    size_t more, struct rec_taken *t, struct err *err)
{
	int rc = rec_intake_settle(in, err);

	if (rc == 0)
		rc = take(in, event, r, t, err);
	return rc ? rc : rec_intake_room(in, more, t->tracepoint, err);
}

void rec_intake_put(struct rec_intake *in, const struct rec_taken *t)
{
	rec_intake_time(in, &t->r->ids, t->index);
	rec_rows_sample(&in->payload, t, t->r->sample.period);
}

static struct rec_waiting *waiting(struct rec_intake *in, unsigned i)
{
	return &in->waiting[i % REC_PLACINGS];
}

static void look(struct rec_intake *in)
{
	rec_stacks_look(&in->stacks, &waiting(in, in->looked++)->placing);
}

static int end(struct rec_intake *in, struct err *err)
{
	struct rec_waiting *w = waiting(in, in->ended);
	int rc;

	if (in->looked == in->ended)
		look(in);
	in->ended++;
	rc = rec_intake_room(in, w->record.sample.n_chain, w->taken.tracepoint,
			     err);
	if (rc < 0)
		return rc;
	rec_stacks_end(&in->stacks, &w->placing, &w->taken.place);
	rec_intake_put(in, &w->taken);
	return 0;
}

int rec_intake_settle(struct rec_intake *in, struct err *err)
{
	int rc = 0;

	while (rc == 0 && in->ended != in->begun)
		rc = end(in, err);
	return rc;
}

/* Its row waits until the stacks of the next samples are on their way into the
 * cache; each stage of one is some samples behind that of another. What its
 * payload lies in does not wait. */
int rec_intake_sample(struct rec_intake *in, size_t event,
		      const struct rec_record *r, bool chained,
		      struct err *err)
{
	struct rec_waiting *w = waiting(in, in->begun);
	struct rec_record *own = &w->record;
	struct rec_mm *mm;
	int rc;

	if (in->begun - in->looked >= LOOKED_BEHIND)
		look(in);
	*own = *r;
	rc = take(in, event, own, &w->taken, err);
	if (rc < 0)
		return rc;
	mm = w->taken.thread->mm;
	if (own->sample.cgroup && !mm->cgroup)
		mm->cgroup = own->sample.cgroup;
	complete_mode(in, own);
	if (!complete_chain(in, own))
		return err_nomem(err);
	begin(in, w, chained);
	in->begun++;
	if (in->begun - in->ended == REC_PLACINGS) {
		rc = end(in, err);
		if (rc < 0)
			return rc;
	}
	return own->sample.raw.n ? rec_intake_settle(in, err) : 0;
}

/* -- Marks ----------------------------------------------------------------- */

int rec_intake_mark(struct rec_intake *in, const struct rec_ids *ids,
		    struct span text, struct err *err)
{
	struct tf_builder *b;
	uint32_t id;
	int rc = rec_intake_settle(in, err);

	if (rc == 0)
		rc = rec_intake_tidy(in, err);
	if (rc == 0)
		rc = rec_intake_room(in, 0, NULL, err);
	if (rc < 0)
		return rc;
	if (text.n > REC_MARK_TEXT_MAX)
		text.n = REC_MARK_TEXT_MAX;
	rec_intake_time(in, ids, -1);
	id = rec_defs_string(&in->defs, text.p, text.n);
	b = rec_sink_rows(in->sink, TF_TABLE_MARK);
	tf_builder_set(b, TF_MARK_TIME, ids->time);
	tf_builder_set(b, TF_MARK_SOURCE, TF_MARK_TRACER);
	tf_builder_set(b, TF_MARK_PID, ids->tid > 0 ? (uint64_t)ids->tid : 0);
	tf_builder_set(b, TF_MARK_TEXT, id);
	if (!tf_builder_commit(b))
		in->defs.failed = true;
	return 0;
}
