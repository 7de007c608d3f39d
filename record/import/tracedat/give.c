#include "record/import/tracedat/give.h"

#include "format/base/mem.h"
#include "record/import/tracedat/chain.h"
#include "record/proc/procfs.h"

#include <linux/perf_event.h>
#include <string.h>

uint64_t rec_dat_time(const struct rec_dat_options *o, uint64_t time)
{
	if (o->tsc_mult)
		time = (uint64_t)((unsigned __int128)time * o->tsc_mult >>
				  o->tsc_shift);
	return time + (uint64_t)o->offset;
}

/* -- Names ----------------------------------------------------------------- */

static bool is_known(struct rec_dat_give *g, int32_t tid)
{
	uint32_t any;

	return map64_get(&g->named, (uint32_t)tid, &any);
}

static int name_thread(struct rec_dat_give *g, int32_t tid, struct span comm,
		       struct err *err)
{
	static const char unknown[] = "<...>";
	bool fresh;

	if (!comm.n || (comm.n == sizeof(unknown) - 1 &&
			!memcmp(comm.p, unknown, comm.n)))
		return 0;
	if (!map64_put(&g->named, (uint32_t)tid, 0, &fresh))
		return err_nomem(err);
	return rec_intake_comm(g->to, -1, tid, comm, err);
}

/* "215 drm-compositor" */
static int name_saved(struct rec_dat_give *g, struct err *err)
{
	struct span text = rec_dat_text(g->meta, g->file, REC_DAT_COMMS);
	struct span line, word;
	uint64_t tid;
	int rc = name_thread(g, 0, span_of("swapper", 7), err);

	while (rc == 0 && rec_line(&text, &line)) {
		if (!rec_word(&line, &word) || !rec_number(word, 10, &tid) ||
		    tid > INT32_MAX || !line.n)
			continue;
		(void)span_skip(&line, 1);
		rc = name_thread(g, (int32_t)tid, line, err);
	}
	return rc;
}

/* What the kernel did not save stands in the switches. */
static int name_switched(struct rec_dat_give *g, const struct rec_dat_row *row,
			 const char *pid_field, const char *comm_field,
			 struct err *err)
{
	const struct rec_dat_shape *s = &row->event->shape;
	const uint8_t *end;
	struct span comm;
	uint64_t pid;

	if (!rec_dat_shape_number(s, pid_field, row->record, &pid) ||
	    pid > INT32_MAX || is_known(g, (int32_t)pid) ||
	    !rec_dat_shape_bytes(s, comm_field, row->record, &comm))
		return 0;
	end = comm.n ? memchr(comm.p, 0, comm.n) : NULL;
	if (end)
		comm.n = (size_t)(end - comm.p);
	return name_thread(g, (int32_t)pid, comm, err);
}

int rec_dat_give_init(struct rec_dat_give *g, struct rec_intake *to,
		      const struct rec_dat_file *file,
		      const struct rec_dat_meta *meta, struct err *err)
{
	struct span kallsyms = rec_dat_text(meta, file, REC_DAT_KALLSYMS);
	int rc;

	*g = (struct rec_dat_give){ .to = to, .file = file, .meta = meta };
	buf_init(&g->record, 0);
	buf_init(&g->chain, 0);
	buf_init(&g->text, 0);
	rc = rec_dat_printk_init(&g->printk,
				 rec_dat_text(meta, file, REC_DAT_PRINTK),
				 err);
	if (rc == 0)
		rc = name_saved(g, err);
	if (rc == 0 && kallsyms.n)
		rc = rec_intake_kallsyms(to, kallsyms, err);
	return rc;
}

void rec_dat_give_fini(struct rec_dat_give *g)
{
	rec_dat_printk_fini(&g->printk);
	map64_fini(&g->events);
	map64_fini(&g->named);
	map64_fini(&g->lost);
	map64_fini(&g->vague);
	map64_fini(&g->stacked);
	buf_fini(&g->record);
	buf_fini(&g->chain);
	buf_fini(&g->text);
	*g = (struct rec_dat_give){ 0 };
}

/* -- Events ---------------------------------------------------------------- */

/* Those of an instance have its name in front, and the same table. */
static int event_names(struct rec_dat_give *g, struct buf *to,
		       const struct rec_dat_row *row, struct rec_event *e,
		       struct err *err)
{
	const struct rec_dat_event *of = row->event;
	struct span instance = g->meta->options.buffers[row->buffer].name;
	size_t tracepoint, name;

	buf_clear(to);
	buf_put(to, of->system.p, of->system.n);
	buf_u8(to, 0);
	tracepoint = to->n;
	buf_put(to, of->name.p, of->name.n);
	buf_u8(to, 0);
	name = to->n;
	buf_put(to, instance.p, instance.n);
	if (instance.n)
		buf_u8(to, '/');
	buf_put(to, of->system.p, of->system.n);
	buf_u8(to, ':');
	buf_put(to, of->name.p, of->name.n);
	buf_u8(to, 0);
	if (buf_failed(to))
		return err_nomem(err);
	e->system = (char *)to->p;
	e->tracepoint = (char *)to->p + tracepoint;
	e->name = (char *)to->p + name;
	return 0;
}

/* Stacks are asked for for all events of a buffer. */
static bool is_stacked(const struct rec_dat_give *g,
		       const struct rec_dat_row *row)
{
	uint32_t any;

	return row->kernel.event || row->user.event ||
	       map64_get(&g->stacked, row->buffer, &any);
}

static int add_event(struct rec_dat_give *g, const struct rec_dat_row *row,
		     size_t *index, struct err *err)
{
	const struct rec_dat_shape *s = &row->event->shape;
	struct rec_event e = {
		.unit = "",
		.scale = 1,
		.fixed_rate = true,
		.attr = {
			.type = PERF_TYPE_TRACEPOINT,
			.size = sizeof(e.attr),
			.config = row->event->id,
			.sample_period = 1,
			.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				       PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
			/* No chain is cut at perf's limit. */
			.sample_max_stack = UINT16_MAX,
		},
	};
	int rc = event_names(g, &g->text, row, &e, err);

	if (rc < 0)
		return rc;
	if (is_stacked(g, row))
		e.attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	rc = rec_intake_event(g->to, &e, span_of(s->text.p, s->text.n), index,
			      err);
	if (rc != ERR_FORMAT && rc != ERR_LIMIT)
		return rc;
	/* Its payload is nothing that fits into columns. */
	g->bare++;
	return rec_intake_event(g->to, &e, span_of("", 0), index, err);
}

static int event_of(struct rec_dat_give *g, const struct rec_dat_row *row,
		    size_t *index, struct err *err)
{
	uint64_t key = map64_pair(row->buffer, (uint32_t)row->event->id);
	bool fresh;
	uint32_t *at = map64_put(&g->events, key, 0, &fresh);
	int rc;

	if (!at)
		return err_nomem(err);
	if (*at) {
		*index = *at - 1;
		return 0;
	}
	rc = add_event(g, row, index, err);
	if (rc < 0)
		return rc;
	*at = (uint32_t)*index + 1;
	return 0;
}

/* -- Rows ------------------------------------------------------------------ */

static int shapes(struct rec_dat_give *g, const struct rec_dat_row *row,
		  struct err *err)
{
	struct rec_dat_event *all[] = { row->event, row->kernel.event,
					row->user.event };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(all) && rc == 0; i++)
		if (all[i])
			rc = rec_dat_event_shape(all[i], g->file->big,
						 g->file->long_size, err);
	return rc;
}

static int give_sample(struct rec_dat_give *g, const struct rec_dat_row *row,
		       const struct rec_ids *ids, struct err *err)
{
	struct rec_record r = {
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_KERNEL,
		.ids = *ids,
		.sample = { .period = 1 },
	};
	size_t event = 0;
	int rc = rec_dat_shape_apply(&row->event->shape, row->record,
				     &g->record, err);

	if (rc == 0)
		rc = event_of(g, row, &event, err);
	if (rc < 0)
		return rc;
	if (!rec_dat_chain(&g->chain, &row->kernel, &row->user,
			   g->file->long_size))
		return err_nomem(err);
	r.sample.raw = span_of(g->record.p, g->record.n);
	r.sample.chain = span_of(g->chain.p, g->chain.n);
	r.sample.n_chain = g->chain.n / sizeof(uint64_t);
	if (r.sample.n_chain > 1)
		r.sample.ip = rec_chain_word(&r.sample, 1);
	else
		r.misc = PERF_RECORD_MISC_CPUMODE_UNKNOWN;
	if (row->user.event && !row->kernel.event)
		r.misc = PERF_RECORD_MISC_USER;
	return rec_intake_sample(g->to, event, &r, is_stacked(g, row), err);
}

/* The line that it is: false: there is none. */
static bool line_of(struct rec_dat_give *g, const struct rec_dat_row *row,
		    struct span *out)
{
	const struct rec_dat_shape *s = &row->event->shape;
	struct span args = { 0 };
	struct buf *format = &g->record;
	uint64_t at;

	switch (row->event->use) {
	case REC_DAT_PRINT:
		return rec_dat_shape_bytes(s, "buf", row->record, out);
	case REC_DAT_BPUTS:
		if (!rec_dat_shape_number(s, "str", row->record, &at) ||
		    !rec_dat_printk_text(&g->printk, at, &g->text))
			return false;
		break;
	case REC_DAT_BPRINT:
		if (!rec_dat_shape_number(s, "fmt", row->record, &at) ||
		    !rec_dat_printk_text(&g->printk, at, format))
			return false;
		(void)rec_dat_shape_bytes(s, "buf", row->record, &args);
		buf_clear(&g->text);
		rec_dat_printk_print(&g->text, span_of(format->p, format->n),
				     args, g->file->big, g->file->long_size);
		break;
	default:
		return false;
	}
	*out = span_of(g->text.p, g->text.n);
	return !buf_failed(&g->text);
}

static int give_mark(struct rec_dat_give *g, const struct rec_dat_row *row,
		     const struct rec_ids *ids, struct err *err)
{
	const uint8_t *end;
	struct span text;

	if (!line_of(g, row, &text))
		return 0;
	end = text.n ? memchr(text.p, 0, text.n) : NULL;
	if (end)
		text.n = (size_t)(end - text.p);
	while (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	return rec_intake_mark(g->to, ids, text, err);
}

/* What else a record tells than its row. */
static int use(struct rec_dat_give *g, const struct rec_dat_row *row,
	       const struct rec_ids *ids, struct err *err)
{
	int rc;

	if (row->event->use != REC_DAT_SWITCH)
		return give_mark(g, row, ids, err);
	rc = name_switched(g, row, "prev_pid", "prev_comm", err);
	return rc ? rc : name_switched(g, row, "next_pid", "next_comm", err);
}

static int count_stacks(struct rec_dat_give *g, const struct rec_dat_row *row,
			struct err *err)
{
	unsigned n = (row->kernel.event ? 1u : 0u) +
		     (row->user.event ? 1u : 0u);
	bool fresh;

	g->stacks += n;
	return !n || map64_put(&g->stacked, row->buffer, 0, &fresh) ?
		       0 : err_nomem(err);
}

int rec_dat_give_row(struct rec_dat_give *g, const struct rec_dat_row *row,
		     struct err *err)
{
	struct rec_ids ids = {
		.pid = -1, /* it tells only threads */
		.tid = row->pid,
		.time = rec_dat_time(&g->meta->options, row->time),
		.cpu = row->cpu,
	};
	int rc;

	if (row->lost)
		rec_dat_give_lost(g, row->cpu, row->time, row->n_lost);
	if (row->hurt)
		rec_dat_give_senseless(g, (int)row->cpu, ids.time, 0);
	if (!row->event) {
		g->unknown++;
		rec_dat_give_senseless(g, (int)row->cpu, ids.time, 1);
		return 0;
	}
	rc = shapes(g, row, err);
	if (rc == 0)
		rc = use(g, row, &ids, err);
	if (rc == 0)
		rc = give_sample(g, row, &ids, err);
	if (ids.time > g->last)
		g->last = ids.time;
	return rc == 0 ? count_stacks(g, row, err) : rc;
}

/* -- Losses ---------------------------------------------------------------- */

static void add_lost(struct map64 *sums, uint32_t cpu, uint64_t count)
{
	bool fresh;
	uint32_t *sum = map64_put(sums, cpu, 0, &fresh);

	if (sum && ckd_add(sum, *sum, count))
		*sum = UINT32_MAX;
}

void rec_dat_give_lost(struct rec_dat_give *g, uint32_t cpu, uint64_t time,
		       uint64_t count)
{
	bool fresh;

	add_lost(&g->lost, cpu, count);
	if (!count)
		(void)map64_put(&g->vague, cpu, 0, &fresh);
	rec_intake_lost(g->to, TF_LOSS_RING, -1, (int)cpu,
			rec_dat_time(&g->meta->options, time), count);
}

void rec_dat_give_senseless(struct rec_dat_give *g, int cpu, uint64_t time,
			    uint64_t count)
{
	rec_intake_lost(g->to, TF_LOSS_DECODE, -1, cpu, time, count);
}

/* Of those that pages told of without a number it is known when they were. */
static void give_rest_of(struct rec_dat_give *g, uint64_t cpu, uint64_t count)
{
	uint32_t any;

	rec_intake_lost(g->to, TF_LOSS_RING, -1, (int)cpu,
			map64_get(&g->vague, cpu, &any) ? g->last : 0, count);
}

void rec_dat_give_rest(struct rec_dat_give *g)
{
	const struct rec_dat_options *o = &g->meta->options;
	struct map64 all = { 0 };
	uint64_t cpu;

	/* Each instance has rings, and tells of them. */
	for (size_t i = 0; i < o->n_stats; i++)
		add_lost(&all, o->stats[i].cpu, o->stats[i].lost);
	for (size_t at = 0; map64_next(&all, &at, &cpu);) {
		uint32_t said = 0, told = 0;

		(void)map64_get(&all, cpu, &said);
		(void)map64_get(&g->lost, cpu, &told);
		if (said > told)
			give_rest_of(g, cpu, said - told);
	}
	map64_fini(&all);
}
