#include "record/import/perfdata/take.h"

#include "format/base/mem.h"
#include "record/import/perfdata/mend.h"
#include "record/import/perfdata/payload.h"
#include "record/perf/group.h"
#include "record/perf/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Losses of samples that an event's own filter dropped, since 6.2: none. */
#define MISC_LOST_SAMPLES_BPF (1u << 15)

/* A sample that weighs so many times what all others of its event do, where
 * there are so many. */
#define ABSURD_FACTOR 10.0
#define ABSURD_MIN_SAMPLES 10u

/* No record of 64 KiB holds more words. */
#define CHAIN_MAX 8192u

int rec_pd_take_init(struct rec_pd_take *t, struct rec_pd_described *d,
		     struct err *err)
{
	*t = (struct rec_pd_take){ .d = d, .to = d->to };
	t->known = calloc(d->attrs.n, sizeof(*t->known));
	if (!t->known)
		return err_nomem(err);
	t->n_known = d->attrs.n;
	for (size_t i = 0; i < t->n_known; i++)
		t->known[i].index = t->known[i].plain = -1;
	return 0;
}

void rec_pd_take_fini(struct rec_pd_take *t)
{
	for (size_t i = 0; i < t->n_known; i++)
		rec_tracepoint_free(t->known[i].format);
	free(t->known);
	free(t->payload);
	free(t->chain);
	rec_pd_readings_fini(&t->readings);
	*t = (struct rec_pd_take){ 0 };
}

void rec_pd_take_senseless(struct rec_pd_take *t, uint64_t at, const char *why)
{
	char place[REC_PD_PLACE_TEXT];

	rec_pd_place_text(place, at);
	if (!t->senseless++)
		snprintf(t->first_senseless, sizeof(t->first_senseless),
			 "%s: %.200s", place, why);
}

/* One whose own time holds, as most of it makes sense; `time` 0: it does not. */
static void senseless(struct rec_pd_take *t, uint64_t at, int cpu,
		      uint64_t time, const char *why)
{
	rec_pd_take_senseless(t, at, why);
	rec_intake_lost(t->to, TF_LOSS_DECODE, -1, cpu, time, 1);
}

static int cpu_of(const struct rec_pd_attr *attr, const struct rec_ids *ids)
{
	return attr->layout.sample_id_all &&
			       attr->attr.sample_type & PERF_SAMPLE_CPU ?
		       (int)(ids->cpu & INT32_MAX) :
		       -1;
}

/* -- Events -----------------------------------------------------------------*/

/* `plain`: as an event of the same name whose rows have no payload. */
static int tell(struct rec_pd_take *t, size_t event, bool plain,
		struct err *err)
{
	const struct rec_pd_attr *attr = &t->d->attrs.items[event];
	struct rec_event e;
	struct span format;
	size_t index = 0;
	int rc = rec_pd_event_make(&e, &format, attr, event, &t->d->tracing,
				   err);

	if (rc)
		return rc;
	t->known[event].has_format = format.n != 0;
	rc = rec_intake_event(t->to, &e, plain ? span_of("", 0) : format,
			      &index, err);
	if (!rc && !plain && t->d->foreign && format.n &&
	    rec_tracepoint_new(&t->known[event].format, e.system, e.tracepoint,
			       format, TF_TABLE_DYNAMIC, NULL) == ERR_NOMEM)
		rc = err_nomem(err);
	if (!rc)
		*(plain ? &t->known[event].plain : &t->known[event].index) =
			(int)index;
	rec_event_fini(&e);
	return rc;
}

/* Of what perf adds for side-band records nobody asked to hear. */
static bool is_dummy(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       a->config == PERF_COUNT_SW_DUMMY;
}

/* A member of a group that only its leader samples: it has no payload. */
static bool is_read_only(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_TRACEPOINT && !a->sample_period;
}

int rec_pd_take_begin(struct rec_pd_take *t, struct err *err)
{
	static const char idle[] = "swapper"; /* its name is in no record */
	int rc = rec_intake_comm(t->to, 0, 0, span_of(idle, sizeof(idle) - 1),
				 err);

	for (size_t i = 0; !rc && i < t->n_known; i++)
		if (!is_dummy(&t->d->attrs.items[i].attr))
			rc = tell(t, i,
				  is_read_only(&t->d->attrs.items[i].attr),
				  err);
	return rc;
}

/* The intake's index of it. */
static int index_of(struct rec_pd_take *t, size_t event, size_t *index,
		    struct err *err)
{
	int rc = 0;

	if (t->known[event].index < 0)
		rc = tell(t, event, false, err);
	if (!rc)
		*index = (size_t)t->known[event].index;
	return rc;
}

/* The same for a row without payload: fields of zeros would be made up. */
static int plain_index(struct rec_pd_take *t, size_t event, size_t *index,
		       struct err *err)
{
	struct rec_pd_known *k = &t->known[event];
	int rc = k->plain < 0 ? index_of(t, event, index, err) : 0;

	if (rc || !k->has_format)
		return rc;
	t->no_payload++;
	if (k->plain < 0)
		rc = tell(t, event, true, err);
	if (!rc)
		*index = (size_t)k->plain;
	return rc;
}

/* -- Samples ----------------------------------------------------------------*/

/* A sample, and whose it is. */
struct taken {
	size_t event;
	const struct rec_pd_attr *attr;
	const struct rec_record *r;
	bool has_dump; /* of the user side */
};

/* Of a kernel thread only the word that says that there is nothing. */
static bool has_dump(const struct rec_sample *s)
{
	return s->user_stack.n || s->user_regs.n > WORD;
}

static void count(struct rec_pd_take *t, size_t event, uint64_t period)
{
	struct rec_pd_known *k = &t->known[event];

	t->samples++;
	k->samples++;
	k->periods += (double)period;
	if (period > k->largest)
		k->largest = period;
}

static int keep_dump(struct rec_pd_take *t, const struct taken *s, size_t index,
		     struct err *err)
{
	if (s->r->sample.user_stack.n)
		t->user_stacks++;
	return rec_intake_dump(t->to, index, s->r, s->attr->layout.regs_user,
			       err);
}

static int give(struct rec_pd_take *t, const struct taken *s, size_t event,
		uint64_t period, struct err *err)
{
	const struct rec_record *r = s->r;
	bool has_raw = event == s->event && r->sample.raw.n;
	struct rec_record other;
	size_t index = 0;
	int rc = has_raw ? index_of(t, event, &index, err) :
			   plain_index(t, event, &index, err);

	if (rc)
		return rc;
	if (event != s->event || period != r->sample.period) {
		other = *r;
		other.sample.period = period;
		if (event != s->event)
			other.sample.raw = span_of(NULL, 0);
		r = &other;
	}
	count(t, event, period);
	rc = rec_intake_sample(t->to, index, r,
			       (s->attr->attr.sample_type &
				PERF_SAMPLE_CALLCHAIN) != 0,
			       err);
	if (!rc && s->has_dump && event == s->event)
		rc = keep_dump(t, s, index, err);
	return rc;
}

/* As perf has it: whatever counted since the last reading is a sample of so much
 * weight, what did not is none. */
static int give_value(struct rec_pd_take *t, const struct taken *s, uint64_t id,
		      uint64_t value, size_t event, struct err *err)
{
	int32_t tid = s->attr->attr.inherit ? s->r->ids.tid : 0;
	uint64_t delta;

	if (!rec_pd_readings_delta(&t->readings, id, tid, value, &delta))
		return err_nomem(err);
	return delta ? give(t, s, event, delta, err) : 0;
}

static int give_group(struct rec_pd_take *t, const struct taken *s,
		      uint64_t at, struct err *err)
{
	struct rec_group_reading g;
	struct rec_group_value v;
	int rc = 0;

	if (!rec_group_begin(&g, s->attr->layout.read_format,
			     s->r->sample.read)) {
		senseless(t, at, cpu_of(s->attr, &s->r->ids), s->r->ids.time,
			  "values of a group that do not fit");
		return 0;
	}
	while (!rc && rec_group_next(&g, &v)) {
		int event = rec_pd_attrs_of_id(&t->d->attrs, v.id);

		if (event < 0)
			senseless(t, at, cpu_of(s->attr, &s->r->ids),
				  s->r->ids.time, "value of no event");
		else
			rc = give_value(t, s, v.id, v.value, (size_t)event,
					err);
	}
	return rc;
}

static int give_one(struct rec_pd_take *t, const struct taken *s,
		    struct err *err)
{
	uint64_t value, id;
	bool has_id;

	if (!rec_pd_reading_one(s->r->sample.read,
				s->attr->layout.read_format, &value, &id,
				&has_id))
		return give(t, s, s->event, s->r->sample.period, err);
	return give_value(t, s, has_id ? id : s->event, value, s->event, err);
}

static int turn_payload(struct rec_pd_take *t, const struct taken *s,
			struct rec_record *r, struct err *err)
{
	size_t unused;
	int rc = index_of(t, s->event, &unused, err);

	if (rc)
		return rc;
	if (!t->payload)
		t->payload = malloc(REC_PD_PAYLOAD_MAX);
	if (!t->payload)
		return err_nomem(err);
	r->sample.raw = rec_pd_payload_turn(t->known[s->event].format,
					    r->sample.raw, t->payload);
	return 0;
}

static int mend_chain(struct rec_pd_take *t, const struct rec_pd_attr *attr,
		      struct rec_sample *s, struct err *err)
{
	if (!(attr->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK))
		return 0;
	if (!t->chain)
		t->chain = malloc(CHAIN_MAX * sizeof(*t->chain));
	if (!t->chain)
		return err_nomem(err);
	(void)rec_pd_mend_lbr(t->chain, CHAIN_MAX, s);
	return 0;
}

static int take_sample(struct rec_pd_take *t, size_t event, uint64_t at,
		       struct rec_record *r, struct err *err)
{
	const struct rec_pd_attr *attr = &t->d->attrs.items[event];
	struct taken s = { event, attr, r, has_dump(&r->sample) };
	uint64_t type = attr->attr.sample_type;
	int rc;

	if (!(type & PERF_SAMPLE_PERIOD))
		r->sample.period = attr->attr.sample_period;
	rc = mend_chain(t, attr, &r->sample, err);
	if (!rc && t->d->foreign && r->sample.raw.n)
		rc = turn_payload(t, &s, r, err);
	if (rc)
		return rc;
	if (!(type & PERF_SAMPLE_READ))
		return give(t, &s, event, r->sample.period, err);
	if (!(attr->attr.read_format & PERF_FORMAT_GROUP))
		return give_one(t, &s, err);
	if (!(attr->attr.read_format & PERF_FORMAT_ID))
		return give(t, &s, event, r->sample.period, err);
	return give_group(t, &s, at, err);
}

/* -- Others -----------------------------------------------------------------*/

static int lose(struct rec_pd_take *t, enum tf_loss_kind kind, int event,
		const struct rec_record *r, const struct rec_pd_attr *attr,
		uint64_t count, struct err *err)
{
	size_t index = 0;
	int rc = event < 0 ? 0 : index_of(t, (size_t)event, &index, err);

	if (!rc)
		rec_intake_lost(t->to, kind, event < 0 ? -1 : (int)index,
				cpu_of(attr, &r->ids), r->ids.time, count);
	return rc;
}

static int take_other(struct rec_pd_take *t, size_t own,
		      const struct rec_record *r, struct err *err)
{
	struct rec_pd_attrs *attrs = &t->d->attrs;
	struct rec_pd_attr *attr = &attrs->items[own];
	int event;

	switch (r->type) {
	case PERF_RECORD_LOST:
		event = rec_pd_attrs_of_id(attrs, r->lost.id);
		attrs->items[event < 0 ? own : (size_t)event].lost +=
			r->lost.count;
		t->lost_at = r->ids.time;
		t->lost_cpu = cpu_of(attr, &r->ids);
		t->lost += r->lost.count;
		return lose(t, TF_LOSS_RING, event, r, attr, r->lost.count,
			    err);
	case PERF_RECORD_LOST_SAMPLES:
		if (r->misc & MISC_LOST_SAMPLES_BPF)
			return 0;
		attr->lost_samples += r->lost.count;
		t->lost_samples += r->lost.count;
		return 0;
	case PERF_RECORD_THROTTLE:
		event = rec_pd_attrs_of_id(attrs, r->ids.id);
		return lose(t, TF_LOSS_THROTTLED, event, r, attr, 1, err);
	default:
		return rec_intake_record(t->to, r, err);
	}
}

int rec_pd_take(void *take, uint64_t time, uint64_t at, struct span record,
		struct err *err)
{
	struct rec_pd_take *t = take;
	int event = rec_pd_attrs_of(&t->d->attrs, record, false);
	struct rec_record r;
	struct err why;

	if (event < 0) {
		senseless(t, at, -1, 0, "sample of no event");
		return 0;
	}
	if (rec_decode(&t->d->attrs.items[event].layout, record, &r, &why)) {
		senseless(t, at, -1, 0, why.text);
		return 0;
	}
	if (!r.ids.time || r.ids.time == UINT64_MAX)
		r.ids.time = time;
	/* What perf and simpleperf write themselves has no other ids. */
	if (r.type == PERF_RECORD_MMAP || r.type == PERF_RECORD_MMAP2) {
		r.ids.pid = r.mmap.pid;
		r.ids.tid = r.mmap.tid;
	}
	/* Of a thread that is all but gone kernels tell tid 0; perf counts it to
	 * the idle task, whose process this is not. */
	if (!r.ids.tid)
		r.ids.pid = 0;
	if (r.type == PERF_RECORD_SAMPLE)
		return take_sample(t, (size_t)event, at, &r, err);
	return take_other(t, (size_t)event, &r, err);
}

/* -- The end ----------------------------------------------------------------*/

/* LOST and LOST_SAMPLES tell of the same losses, LOST_SAMPLES of more. LOST names
 * one event for all that a ring lost: where it tells of as many in all, it told
 * when they were. */
static int end_event(struct rec_pd_take *t, size_t event, struct err *err)
{
	const struct rec_pd_attr *attr = &t->d->attrs.items[event];
	bool told = t->lost_samples <= t->lost;
	size_t index;
	int rc;

	if (attr->lost_samples <= attr->lost)
		return 0;
	rc = index_of(t, event, &index, err);
	if (!rc)
		rec_intake_lost(t->to, TF_LOSS_RING, (int)index,
				told ? t->lost_cpu : -1,
				told ? t->lost_at : 0,
				attr->lost_samples - attr->lost);
	return rc;
}

/* Counters were seen to run wild once: what that one sample weighs hides all
 * others. */
static void tell_period(struct rec_pd_take *t, size_t event)
{
	const struct rec_pd_attr *attr = &t->d->attrs.items[event];
	const struct rec_pd_known *k = &t->known[event];
	double others = k->periods - (double)k->largest;
	char name[REC_PD_NAME_MAX];

	if (k->samples < ABSURD_MIN_SAMPLES ||
	    (double)k->largest <= ABSURD_FACTOR * others)
		return;
	rec_pd_event_name(name, &attr->attr);
	rec_intake_fact(t->to, "note.period", "one sample of %s has a period "
			"of %" PRIu64 ", the other %" PRIu64 " have %.0f "
			"together: counts of samples tell more",
			attr->name ? attr->name : name, k->largest,
			k->samples - 1, others);
}

/* Those at the interrupt have no use here. */
static void tell_registers(struct rec_pd_take *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->n_known; i++)
		if (t->d->attrs.items[i].attr.sample_type &
		    PERF_SAMPLE_REGS_INTR)
			n += t->known[i].samples;
	if (n)
		rec_intake_fact(t->to, "import.unused_registers", "of %" PRIu64
				" samples (REGS_INTR)", n);
}

int rec_pd_take_end(struct rec_pd_take *t, struct err *err)
{
	uint64_t types = ~UINT64_C(0);
	int rc = 0;

	for (size_t i = 0; !rc && i < t->n_known; i++) {
		rc = end_event(t, i, err);
		tell_period(t, i);
		if (!is_dummy(&t->d->attrs.items[i].attr))
			types &= t->d->attrs.items[i].attr.sample_type;
	}
	if (t->user_stacks)
		rec_intake_fact(t->to, "note.user_stacks", "%" PRIu64
				" samples carry a copy of the user stack, which "
				"was not unwound: their user callers are "
				"missing (table user_dump keeps it)",
				t->user_stacks);
	if (t->no_payload)
		rec_intake_fact(t->to, "note.no_payload", "%" PRIu64 " samples "
				"of tracepoints have no payload, as those of "
				"the members of a group that are read with "
				"its leader", t->no_payload);
	tell_registers(t);
	if (t->samples && !(types & PERF_SAMPLE_CPU))
		rec_intake_fact(t->to, "note.cpu", "on which CPU samples were "
				"is not in the file: all rows say 0");
	if (t->samples && !(types & PERF_SAMPLE_TIME))
		rec_intake_fact(t->to, "note.time", "the time of samples is "
				"not in the file");
	return rc;
}
