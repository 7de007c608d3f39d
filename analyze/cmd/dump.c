#include "analyze/clean.h"
#include "analyze/command.h"
#include "analyze/merge.h"
#include "analyze/profile.h"

#include "format/base/arena.h"
#include "format/base/buf.h"
#include "format/base/json.h"
#include "format/base/time.h"
#include "format/base/utf8.h"
#include "format/catalog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES (2 * TF_MAX_STACK_DEPTH + 1)

/* Bytes of spelled frames that are kept: those of 500 k frames. */
#define MAX_SPELLED ((size_t)32 << 20)

struct dump_args {
	struct an_selection_args sel;
	bool json;
};

static const struct opt opts[] = {
	OPT_FLAG(0, "json", struct dump_args, json,
		 "one JSON object a line"),
	AN_SELECTION_OPTS(struct dump_args, sel),
	OPT_END,
};

struct dump {
	const struct an_env *env;
	const struct an_trace *t;
	FILE *to;
	int event_width;      /* of the longest name that is shown */
	uint32_t frames[MAX_FRAMES];
	size_t n;
	struct span *lines;   /* by frame: how it is spelled; empty: not yet */
	size_t n_lines;
	struct arena spelled; /* their bytes */
	struct buf line;
	bool failed;          /* no memory for a line */
};

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

/* The address is the one in the image: the trace has no other, and this one is
 * the same in each run. */
static void spell_frame(const struct dump *d, uint32_t frame, struct buf *to)
{
	const struct an_frame *f = an_frame_of(d->t, frame);
	const struct an_image *image = an_image_of(d->t, f->image);
	const struct an_symbol *s = an_symbol_of(d->t, f->symbol);
	bool whole = image->kind == TF_IMAGE_ELF && image->path;

	buf_printf(to, "%16" PRIx64 " ", f->address);
	utf8_clean(to, an_frame_name(d->t, frame));
	if (f->symbol != AN_NONE && image->kind != TF_IMAGE_SPECIAL)
		buf_printf(to, "+0x%" PRIx64, f->address - s->start);
	buf_put(to, " (", 2);
	utf8_clean(to, an_string(d->t, whole ? image->path : image->dso));
	buf_put(to, ")\n", 2);
}

/* A frame is spelled once and then copied: printf for each line is 5 times the
 * work of all else (measured, 30 M lines). */
static void print_frame(struct dump *d, uint32_t frame)
{
	bool known = frame < d->n_lines;
	struct span line = known ? d->lines[frame] : span_of(NULL, 0);

	if (!line.n) {
		buf_clear(&d->line);
		spell_frame(d, frame, &d->line);
		line = span_of(d->line.p, d->line.n);
		if (known && d->spelled.used < MAX_SPELLED) {
			char *copy = arena_dup(&d->spelled, line.p, line.n);

			if (copy)
				d->lines[frame] = span_of(copy, line.n);
		}
	}
	d->failed = d->failed || buf_failed(&d->line);
	fwrite_unlocked(line.p, 1, line.n, d->to);
}

static void print_padded(FILE *to, struct span name, size_t width)
{
	while (width-- > name.n)
		fputc(' ', to);
	an_clean_print(to, name);
}

/* As perf script: the name of the command is padded only where no stack comes
 * behind. */
static void print_text(struct dump *d, const struct an_sample *s)
{
	const struct an_thread *th = an_thread_of(d->t, s->thread);
	const struct an_event *e = an_event_of(d->t, s->event);

	print_padded(d->to, an_string(d->t, th->comm), e->callchain ? 0 : 16);
	fprintf(d->to, " %5" PRId32 " [%03" PRIu32 "] %5" PRIu64 ".%06" PRIu64
		": %10" PRIu64 " ", th->tid, s->cpu, s->time / NSEC_PER_SEC,
		s->time % NSEC_PER_SEC / 1000, s->period);
	print_padded(d->to, an_string(d->t, e->name), (size_t)d->event_width);
	fputs(": ", d->to);
	fill_frames(d, s);
	if (!e->callchain) {
		fputc(' ', d->to);
		print_frame(d, s->ip);
		return;
	}
	fputc('\n', d->to);
	for (size_t i = 0; i < d->n; i++) {
		fputc('\t', d->to);
		print_frame(d, d->frames[i]);
	}
	fputc('\n', d->to);
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
	json_u64(j, "addr", f->address);
	json_end_object(j);
}

static void print_json(struct dump *d, const struct an_sample *s)
{
	const struct an_thread *th = an_thread_of(d->t, s->thread);
	struct json j;

	json_init(&j, d->to);
	json_object(&j, NULL);
	json_u64(&j, "time", s->time);
	json_u64(&j, "cpu", s->cpu);
	json_i64(&j, "pid", th->pid);
	json_i64(&j, "tid", th->tid);
	json_text(&j, "comm", an_string(d->t, th->comm));
	json_text(&j, "event",
		  an_string(d->t, an_event_of(d->t, s->event)->name));
	json_u64(&j, "period", s->period);
	json_bool(&j, "kernel", s->flags & TF_SAMPLE_KERNEL);
	json_bool(&j, "truncated", s->flags & TF_SAMPLE_TRUNCATED);
	json_array(&j, "stack");
	fill_frames(d, s);
	for (size_t i = 0; i < d->n; i++)
		json_frame(d, &j, d->frames[i]);
	json_end_array(&j);
	json_end_object(&j);
	fputc('\n', d->to);
}

static int event_width(const struct an_trace *t,
		       const struct an_selection *sel)
{
	size_t width = 0;

	for (uint32_t i = 0; i < an_n_events(t); i++) {
		size_t n = an_string(t, an_event_of(t, i)->name).n;

		if (n > width && (!sel->event || sel->event[i]))
			width = n;
	}
	return width < 128 ? (int)width : 128;
}

static int dump_samples(struct dump *d, struct an_merge *m,
			const struct dump_args *a, struct err *err)
{
	const struct an_sample *s;
	uint64_t n = 0;
	int rc;

	while (!(rc = an_merge_next(m, &s, err)) && !d->failed &&
	       !ferror(d->to)) {
		(a->json ? print_json : print_text)(d, s);
		n++;
	}
	if (rc < 0)
		return rc;
	if (d->failed)
		return err_nomem(err);
	if (n)
		return AN_EXIT_DONE;
	log_warn(d->env->log, "no samples in '%s', or none is selected",
		 an_trace_path(d->t));
	return AN_EXIT_INCONCLUSIVE;
}

static int dump_selected(struct dump *d, const struct dump_args *a,
			 struct err *err)
{
	struct an_selection sel = { 0 };
	struct an_merge *merge = NULL;
	int rc = an_selection_make(&sel, &a->sel, d->t, err);

	if (!rc)
		rc = an_merge_new(&merge, d->env->trace, &sel, err);
	if (!rc) {
		d->event_width = event_width(d->t, &sel);
		rc = dump_samples(d, merge, a, err);
	}
	an_merge_free(merge);
	an_selection_fini(&sel);
	return rc;
}

static int dump_run(struct an_env *env, const void *args, struct err *err)
{
	struct dump *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return err_nomem(err);
	d->env = env;
	d->t = env->trace;
	d->to = env->out;
	d->n_lines = an_n_frames(env->trace);
	d->lines = calloc(d->n_lines + 1, sizeof(*d->lines));
	rc = d->lines ? dump_selected(d, args, err) : err_nomem(err);
	arena_fini(&d->spelled);
	buf_fini(&d->line);
	free(d->lines);
	free(d);
	return rc;
}

const struct an_command an_cmd_dump = {
	.name = "dump",
	.summary = "samples in the order of time, as perf script; addresses "
		   "in the image",
	.operands = "[FILE]",
	.opts = opts,
	.args_size = sizeof(struct dump_args),
	.needs = AN_ONE_TRACE,
	.run = dump_run,
};
