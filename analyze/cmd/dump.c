#include "analyze/command.h"
#include "analyze/dump/between.h"
#include "analyze/dump/fields.h"
#include "analyze/dump/spell.h"
#include "analyze/dump/switches.h"
#include "analyze/merge.h"
#include "analyze/profile.h"
#include "analyze/tracepoint/payload.h"

#include "format/base/buf.h"
#include "format/base/json.h"
#include "format/base/time.h"
#include "format/base/utf8.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES (2 * TF_MAX_STACK_DEPTH + 1)
#define MAX_EVENT_WIDTH 128u

struct dump_args {
	struct an_selection_args sel;
	const char *fields;
	bool json, switches;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "json", struct dump_args, json,
		 "one JSON object a line"),
	OPT_STR('F', "fields", "FIELD,..", struct dump_args, fields,
		"these instead of the usual ones, or +FIELD, -FIELD: comm pid "
		"tid cpu time period event trace ip sym symoff dso"),
	OPT_FLAG(0, "show-switch-events", struct dump_args, switches,
		 "who got the CPU and who left it, where it was recorded"),
	AN_SELECTION_OPTS(struct dump_args, sel),
	OPT_END,
};

struct dump {
	const struct an_env *env;
	const struct dump_args *args;
	const struct an_trace *t;
	FILE *to;
	struct an_selection sel;
	struct an_dump_fields fields;
	struct an_payloads *payloads;
	struct an_spell spell;
	struct an_switches switches;
	size_t event_width;   /* of the longest name that is shown */
	struct an_between between;
	uint32_t frames[MAX_FRAMES];
	size_t n;
	struct buf line;
};

static bool is_tracepoint(const struct an_event *e)
{
	return e->table >= TF_TABLE_DYNAMIC && e->table != AN_NONE;
}

static void fill_frames(struct dump *d, const struct an_sample *s)
{
	struct an_place place = {
		.thread = s->thread,
		.ip = s->ip,
		.kstack = s->kstack,
		.ustack = s->ustack,
		.flags = s->flags,
	};

	d->n = an_place_frames(d->t, &place, d->frames, MAX_FRAMES);
}

static void put_padded(struct buf *to, struct span name, size_t width)
{
	for (size_t n = name.n; n < width; n++)
		buf_u8(to, ' ');
	utf8_clean(to, name);
}

/* As perf script: the name of the command is padded only where no stack comes
 * behind. */
static void put_who(struct dump *d, const struct an_sample *s, unsigned fields,
		    bool padded)
{
	const struct an_thread *th = an_thread_of(d->t, s->thread);
	struct buf *to = &d->line;

	if (fields & AN_F_COMM) {
		put_padded(to, an_string(d->t, th->comm), padded ? 16 : 0);
		buf_u8(to, ' ');
	}
	if (fields & AN_F_PID && fields & AN_F_TID)
		buf_printf(to, "%5" PRId32 "/%-5" PRId32 " ", th->pid,
			   th->tid);
	else if (fields & (AN_F_PID | AN_F_TID))
		buf_printf(to, "%5" PRId32 " ",
			   fields & AN_F_PID ? th->pid : th->tid);
	if (fields & AN_F_CPU && s->lacks & AN_S_CPU)
		buf_put(to, "[---] ", 6);
	else if (fields & AN_F_CPU)
		buf_printf(to, "[%03" PRIu32 "] ", s->cpu);
	if (fields & AN_F_TIME)
		buf_printf(to, "%5" PRIu64 ".%06" PRIu64 ": ",
			   s->time / NSEC_PER_SEC,
			   s->time % NSEC_PER_SEC / 1000);
}

/* Nearly all are, and cleaning them letter by letter would be a sixth of all
 * work (measured, 2.4 M rows). */
static bool is_plain(struct span text)
{
	uint8_t bad = 0;

	for (size_t i = 0; i < text.n; i++)
		bad |= text.p[i] < ' ' || text.p[i] > '~' ||
		       text.p[i] == '\\';
	return !bad;
}

/* Some formats have tabs in them, which do no harm. */
static void put_cleaned(struct buf *to, struct span text)
{
	const uint8_t *tab;

	if (is_plain(text)) {
		buf_put(to, text.p, text.n);
		return;
	}

	while ((tab = text.n ? memchr(text.p, '\t', text.n) : NULL)) {
		struct span before;

		span_take(&text, (size_t)(tab - text.p), &before);
		utf8_clean(to, before);
		buf_u8(to, '\t');
		span_skip(&text, 1);
	}
	utf8_clean(to, text);
}

static int put_payload(struct dump *d, const struct an_sample *s,
		       struct err *err)
{
	struct span text;
	int rc = an_payload_text(d->payloads, s->event,
				 span_of(s->payload, s->payload_size), &text,
				 err);

	if (!s->payload_size)
		text = span_of("[lost]", 6);
	if (!rc)
		put_cleaned(&d->line, text);
	return rc;
}

static int put_frame(struct dump *d, uint32_t frame, unsigned fields,
		     struct err *err)
{
	struct span line;

	if (!an_spell_frame(&d->spell, frame, fields, &line))
		return err_nomem(err);
	buf_put(&d->line, line.p, line.n);
	return 0;
}

static int put_stack(struct dump *d, const struct an_sample *s,
		     unsigned fields, bool callchain, struct err *err)
{
	int rc = 0;

	if (!(fields & AN_F_IP)) {
		buf_u8(&d->line, '\n');
		return 0;
	}
	fill_frames(d, s);
	if (!callchain) {
		buf_u8(&d->line, ' ');
		return put_frame(d, s->ip, fields, err);
	}
	buf_u8(&d->line, '\n');
	/* Where a stack was asked for and none came, perf shows nothing. */
	if (s->flags & TF_SAMPLE_NO_CHAIN)
		d->n = 0;
	for (size_t i = 0; i < d->n && !rc; i++) {
		buf_u8(&d->line, '\t');
		rc = put_frame(d, d->frames[i], fields, err);
	}
	buf_u8(&d->line, '\n');
	return rc;
}

static int print_text(struct dump *d, const struct an_sample *s,
		      struct err *err)
{
	const struct an_event *e = an_event_of(d->t, s->event);
	bool tracepoint = is_tracepoint(e);
	unsigned fields = an_dump_fields_of(&d->fields, tracepoint,
					    e->callchain);
	int rc = 0;

	put_who(d, s, fields, !(e->callchain && fields & AN_F_IP));
	if (fields & AN_F_PERIOD && s->lacks & AN_S_PERIOD)
		buf_printf(&d->line, "%10s ", "[lost]");
	else if (fields & AN_F_PERIOD)
		buf_printf(&d->line, "%10" PRIu64 " ", s->period);
	if (fields & AN_F_EVENT) {
		put_padded(&d->line, an_string(d->t, e->name),
			   d->event_width);
		buf_put(&d->line, ": ", 2);
	}
	if (fields & AN_F_TRACE && tracepoint)
		rc = put_payload(d, s, err);
	return rc ? rc : put_stack(d, s, fields, e->callchain, err);
}

static int print_switch(struct dump *d, const struct an_sample *s)
{
	put_who(d, s, an_dump_fields_of(&d->fields, true, false), true);
	an_switch_text(&d->switches, s, &d->line);
	buf_u8(&d->line, '\n');
	return 0;
}

static void json_frame(const struct dump *d, struct json *j, uint32_t frame)
{
	const struct an_frame *f = an_frame_of(d->t, frame);
	const struct an_image *image = an_image_of(d->t, f->image);

	json_object(j, NULL);
	if (f->symbol != AN_NONE || image->kind == TF_IMAGE_SPECIAL)
		json_text(j, "sym", an_frame_name(d->t, frame));
	else
		json_null(j, "sym");
	if (f->symbol != AN_NONE)
		json_u64(j, "off",
			 f->address - an_symbol_of(d->t, f->symbol)->start);
	else
		json_null(j, "off");
	json_text(j, "dso", an_string(d->t, image->dso));
	if (frame < an_n_frames(d->t))
		json_u64(j, "addr", f->address);
	else
		json_null(j, "addr");
	json_end_object(j);
}

static int json_payload(struct dump *d, const struct an_sample *s,
			struct json *j, struct err *err)
{
	int rc;

	if (!is_tracepoint(an_event_of(d->t, s->event)))
		return 0;
	if (!s->payload_size) {
		json_null(j, "fields");
		return 0;
	}
	json_object(j, "fields");
	rc = an_payload_json(d->payloads, s->event,
			     span_of(s->payload, s->payload_size), j, err);
	json_end_object(j);
	return rc;
}

static void json_u64_or_null(struct json *j, const char *key, uint64_t v,
			     bool lost)
{
	if (lost)
		json_null(j, key);
	else
		json_u64(j, key, v);
}

static void json_flag(struct json *j, const char *key,
		      const struct an_sample *s, enum tf_sample_flag flag)
{
	if (s->lacks & AN_S_FLAGS)
		json_null(j, key);
	else
		json_bool(j, key, s->flags & flag);
}

static int json_sample(struct dump *d, const struct an_sample *s,
		       struct json *j, struct err *err)
{
	int rc;

	json_text(j, "event",
		  an_string(d->t, an_event_of(d->t, s->event)->name));
	json_u64_or_null(j, "period", s->period, s->lacks & AN_S_PERIOD);
	json_flag(j, "kernel", s, TF_SAMPLE_KERNEL);
	json_flag(j, "truncated", s, TF_SAMPLE_TRUNCATED);
	rc = json_payload(d, s, j, err);
	json_array(j, "stack");
	fill_frames(d, s);
	for (size_t i = 0; i < d->n; i++)
		json_frame(d, j, d->frames[i]);
	json_end_array(j);
	return rc;
}

static int print_json(struct dump *d, const struct an_sample *s,
		      struct err *err)
{
	const struct an_thread *th = an_thread_of(d->t, s->thread);
	struct json j;
	int rc = 0;

	json_init(&j, d->to);
	json_object(&j, NULL);
	json_u64(&j, "time", s->time);
	json_u64_or_null(&j, "cpu", s->cpu, s->lacks & AN_S_CPU);
	json_i64(&j, "pid", th->pid);
	json_i64(&j, "tid", th->tid);
	json_text(&j, "comm", an_string(d->t, th->comm));
	if (th->source)
		json_u64(&j, "merged_source", th->source - 1);
	if (s->is_switch)
		an_switch_json(s, &j);
	else
		rc = json_sample(d, s, &j, err);
	json_end_object(&j);
	fputc('\n', d->to);
	return rc;
}

static int print_row(struct dump *d, const struct an_sample *s,
		     struct err *err)
{
	int rc;

	if (d->args->json)
		return print_json(d, s, err);
	buf_clear(&d->line);
	rc = s->is_switch ? print_switch(d, s) : print_text(d, s, err);
	if (rc)
		return rc;
	if (buf_failed(&d->line))
		return err_nomem(err);
	fwrite_unlocked(d->line.p, 1, d->line.n, d->to);
	return 0;
}

static int dump_rows(struct dump *d, struct an_merge *m, struct err *err)
{
	const struct an_sample *s;
	uint64_t n = 0;
	int rc = 0;

	while (!rc && !ferror(d->to)) {
		rc = an_merge_next(m, &s, err);
		if (rc)
			break;
		rc = an_between_print(&d->between, s->time, err);
		if (!rc)
			rc = print_row(d, s, err);
		n++;
	}
	if (rc == 1)
		rc = an_between_print(&d->between, UINT64_MAX, err);
	if (rc < 0)
		return rc;
	an_payloads_warn(d->payloads, d->env->log);
	if (n || d->between.readings.n)
		return AN_EXIT_DONE;
	log_warn(d->env->log, "no samples in '%s', or none is selected",
		 an_trace_path(d->t));
	return AN_EXIT_INCONCLUSIVE;
}

/* An event whose rows go to others is not shown, but for what none of them
 * has. */
static size_t event_width(const struct an_trace *t,
			  const struct an_selection *sel)
{
	size_t width = 0;

	for (uint32_t i = 0; i < an_n_events(t); i++) {
		const struct an_event *e = an_event_of(t, i);
		size_t n = an_string(t, e->name).n;

		if (n > width && !e->split && (!sel->event || sel->event[i]))
			width = n;
	}
	return width < MAX_EVENT_WIDTH ? width : MAX_EVENT_WIDTH;
}

static int dump_selected(struct dump *d, struct err *err)
{
	struct an_merge *merge = NULL;
	int rc = an_dump_fields_parse(&d->fields, d->args->fields, err);

	if (!rc)
		rc = an_selection_make(&d->sel, &d->args->sel, d->env->trace,
				       err);
	if (!rc)
		rc = an_spell_init(&d->spell, d->t, err);
	if (!rc)
		rc = an_payloads_new(&d->payloads, d->env->trace, err);
	if (!rc)
		rc = an_between_init(&d->between, d->env->trace, &d->sel,
				     err);
	if (!rc && d->args->switches)
		rc = an_switches_init(&d->switches, d->t, err);
	if (!rc)
		rc = an_merge_new_with(&merge, d->env->trace, &d->sel,
				       d->payloads, d->args->switches, err);
	if (!rc) {
		d->between.to = d->to;
		d->between.json = d->args->json;
		d->event_width = event_width(d->t, &d->sel);
		rc = dump_rows(d, merge, err);
	}
	an_merge_free(merge);
	return rc;
}

static int dump_run(struct an_env *env, const void *args, struct err *err)
{
	struct dump *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return err_nomem(err);
	d->env = env;
	d->args = args;
	d->t = env->trace;
	d->to = env->out;
	rc = dump_selected(d, err);
	an_selection_fini(&d->sel);
	an_payloads_free(d->payloads);
	an_between_fini(&d->between);
	an_switches_fini(&d->switches);
	an_spell_fini(&d->spell);
	buf_fini(&d->line);
	free(d);
	return rc;
}

const struct an_command an_cmd_dump = {
	.name = "dump",
	.summary = "samples in the order of time, as perf script; addresses "
		   "in the image",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct dump_args),
	.selection = offsetof(struct dump_args, sel) + 1,
	.needs = AN_ONE_TRACE,
	.run = dump_run,
};
