#include "analyze/command.h"
#include "analyze/head.h"
#include "analyze/losses.h"
#include "analyze/out/file.h"
#include "analyze/samples.h"
#include "analyze/timeline/page.h"
#include "analyze/timeline/picture.h"
#include "analyze/timeline/provider.h"

#include "format/base/buf.h"
#include "format/base/time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_OUTPUT "timeline.html"
#define DEFAULT_SPANS 200000u
#define DEFAULT_LANES 200u
#define DEFAULT_WIDTH 1400u

struct timeline_args {
	struct an_selection_args sel;
	const char *output, *title, *lanes;
	uint64_t max_spans, max_lanes, width;
	bool svg, no_script;
};

static const struct opt opts[] = {
	OPT_STR('o', "output", "FILE", struct timeline_args, output,
		"page or, as FILE.svg, picture to write (timeline.html; - is "
		"standard output)"),
	OPT_FLAG(0, "svg", struct timeline_args, svg,
		 "a picture, whatever FILE is called"),
	OPT_STR(0, "title", "TEXT", struct timeline_args, title,
		"title (the file's name)"),
	OPT_STR(0, "lanes", "KIND,..", struct timeline_args, lanes,
		"only lanes of these kinds, as in cpus,threads"),
	OPT_U64(0, "max-spans", "N", struct timeline_args, max_spans,
		"beyond so many, narrow neighbours are merged (200000)"),
	OPT_U64(0, "max-lanes", "N", struct timeline_args, max_lanes,
		"so many threads have lanes, the others share one (200; 0: "
		"all)"),
	OPT_U64(0, "width", "PX", struct timeline_args, width,
		"width of a picture (1400)"),
	OPT_FLAG(0, "no-script", struct timeline_args, no_script,
		 "a still picture"),
	AN_SELECTION_OPTS(struct timeline_args, sel),
	OPT_END,
};

static void timeline_defaults(void *args)
{
	struct timeline_args *a = args;

	a->output = DEFAULT_OUTPUT;
	a->max_spans = DEFAULT_SPANS;
	a->max_lanes = DEFAULT_LANES;
	a->width = DEFAULT_WIDTH;
}

struct view {
	struct an_env *env;
	const struct timeline_args *args;
	const struct an_selection *sel;
	struct an_timeline_input in;
	struct an_timeline tl;
	uint64_t origin;
};

static int check_args(const struct timeline_args *a, struct err *err)
{
	if (a->width < AN_PICTURE_LEAST || a->width > AN_PICTURE_MOST)
		return err_set(err, ERR_USAGE, "option '--width': a picture is "
			       "%d to %d px wide", AN_PICTURE_LEAST,
			       AN_PICTURE_MOST);
	if (!a->max_spans)
		return err_set(err, ERR_USAGE,
			       "option '--max-spans': 1 at least");
	return 0;
}

/* Rows of `switch` are no samples: a trace may have only them. */
static int find_bounds(struct view *v, struct err *err)
{
	struct an_timeline_input *in = &v->in;
	const struct an_sched *sched;
	uint64_t from, to;
	int rc = an_samples_bounds(v->env->trace, &in->t_min, &in->t_max, err);

	if (rc < 0)
		return rc;
	if (rc)
		in->t_min = in->t_max = 0;
	rc = an_input_sched(in, &sched, err);
	if (rc || !sched)
		return rc;
	an_sched_bounds(sched, &from, &to);
	if (!in->t_max || from < in->t_min)
		in->t_min = from;
	if (to > in->t_max)
		in->t_max = to;
	return 0;
}

/* What is shown is what was selected, or all. */
static void choose_range(struct view *v)
{
	const struct an_selection *sel = v->sel;
	struct an_timeline_input *in = &v->in;

	v->origin = in->t_min;
	if (!sel->t_min && sel->t_max == UINT64_MAX)
		return;
	if (sel->t_min > in->t_min)
		in->t_min = sel->t_min;
	if (sel->t_max < in->t_max)
		in->t_max = sel->t_max;
	if (in->t_min > in->t_max)
		in->t_max = in->t_min;
	v->tl.t_min = in->t_min;
	v->tl.t_max = in->t_max;
}

static int collect(struct view *v, struct err *err)
{
	int rc = find_bounds(v, err);

	if (rc)
		return rc;
	choose_range(v);
	if (v->args->max_spans > v->tl.held / 2)
		v->tl.held = v->args->max_spans > SIZE_MAX / 2 ? SIZE_MAX :
				     (size_t)v->args->max_spans * 2;
	v->in.max_lanes = v->args->max_lanes;
	rc = an_providers_fill(&v->tl, &v->in, v->args->lanes, err);
	if (rc)
		return rc;
	an_timeline_arrange(&v->tl);
	/* Marks may be the first thing in a trace, or the only one. */
	if (!v->origin || v->tl.t_min < v->origin)
		v->origin = v->tl.t_min;
	return 0;
}

static void put_breaks(const struct an_trace *t, struct buf *to)
{
	char text[TIME_TEXT];
	uint64_t sum = 0;

	for (size_t i = 0; i < an_n_breaks(t); i++)
		sum += an_break_of(t, i)->to - an_break_of(t, i)->from;
	if (!sum)
		return;
	time_format(text, sum);
	buf_printf(to, ", %s not recorded", text);
}

static void subtitle(const struct view *v, struct buf *to)
{
	const struct an_trace *t = v->env->trace;
	uint64_t merged = an_timeline_merged(&v->tl);
	char duration[TIME_TEXT];
	struct an_lost lost;

	an_losses_sum(t, AN_NONE, &lost);
	time_format(duration, v->tl.t_max - v->tl.t_min);
	/* What somebody looks at it for is said first. */
	if (v->in.late)
		buf_printf(to, "%zu of %zu display frames late; ", v->in.late,
			   v->in.frames);
	buf_printf(to, "%zu spans in %zu lanes over %s",
		   an_timeline_spans(&v->tl), v->tl.n, duration);
	if (merged)
		buf_printf(to, ", in which %" PRIu64 " narrow ones are merged",
			   merged);
	if (lost.samples || lost.unknown)
		buf_printf(to, ", %s%" PRIu64 " events lost",
			   lost.unknown ? "at least " : "", lost.samples);
	put_breaks(t, to);
	if (an_trace_incomplete(t))
		buf_printf(to, ", recording incomplete: %s",
			   an_trace_incomplete(t));
	if (an_trace_damage(t))
		buf_printf(to, ", file damaged");
	buf_u8(to, 0);
}

/* What every report has at its head, without the marks of a comment. */
static int notes(const struct an_trace *t, char **out, struct err *err)
{
	char *text = NULL;
	size_t size, n = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return err_nomem(err);
	an_head_print(t, to);
	if (fclose(to)) {
		free(text);
		return err_nomem(err);
	}
	for (size_t i = 0; i < size; i++) {
		bool begins = !i || text[i - 1] == '\n';

		if (begins && text[i] == '#')
			i += i + 1 < size && text[i + 1] == ' ';
		else
			text[n++] = text[i];
	}
	text[n] = 0;
	*out = text;
	return 0;
}

static bool is_picture(const struct timeline_args *a)
{
	size_t n = strlen(a->output);

	return a->svg || (n > 4 && strcmp(a->output + n - 4, ".svg") == 0);
}

static void write_as(struct view *v, const struct an_timeline_head *head,
		     FILE *to)
{
	struct an_picture_options o = {
		.width_px = (unsigned)v->args->width,
		.no_script = v->args->no_script,
	};

	if (is_picture(v->args))
		an_timeline_picture(to, &v->tl, head, &o);
	else
		an_timeline_page(to, &v->tl, head);
}

static int write_to(struct view *v, const struct an_timeline_head *head,
		    struct err *err)
{
	const char *path = v->args->output;
	struct an_out_file file;
	int rc;

	if (strcmp(path, "-") == 0) {
		write_as(v, head, v->env->out);
		return 0;
	}
	rc = an_out_file_check(path, v->env->paths, v->env->n_paths, err);
	if (!rc)
		rc = an_out_file_open(&file, path, v->env->path, err);
	if (rc)
		return rc;
	write_as(v, head, file.to);
	rc = an_out_file_keep(&file, err);
	an_out_file_fini(&file);
	if (!rc)
		log_info(v->env->log, "wrote '%s': %zu spans in %zu lanes",
			 path, an_timeline_spans(&v->tl), v->tl.n);
	return rc;
}

static int draw(struct view *v, struct err *err)
{
	const char *title = v->args->title ? v->args->title :
					     an_trace_path(v->env->trace);
	struct an_timeline_head head = { .title = title, .origin = v->origin };
	struct buf text;
	char *lines = NULL;
	int rc = notes(v->env->trace, &lines, err);

	if (rc)
		return rc;
	an_timeline_fit(&v->tl, v->args->max_spans);
	buf_init(&text, 0);
	subtitle(v, &text);
	if (buf_failed(&text)) {
		rc = err_nomem(err);
	} else {
		head.subtitle = (const char *)text.p;
		head.notes = lines;
		rc = write_to(v, &head, err);
	}
	buf_fini(&text);
	free(lines);
	return rc;
}

static int timeline_run(struct an_env *env, const void *args, struct err *err)
{
	struct an_selection sel = { 0 };
	struct view v = { .env = env, .args = args, .sel = &sel,
			  .in = { .t = env->trace, .sel = &sel } };
	int rc = check_args(args, err);

	if (!rc)
		rc = an_selection_make(&sel, &v.args->sel, env->trace, err);
	if (!rc)
		rc = an_timeline_init(&v.tl, err);
	if (!rc)
		rc = collect(&v, err);
	if (!rc)
		rc = draw(&v, err);
	if (!rc && !v.tl.n) {
		log_warn(env->log, "nothing to show: no samples, switches of "
			 "threads, marks or losses are selected");
		rc = AN_EXIT_INCONCLUSIVE;
	}
	an_timeline_fini(&v.tl);
	an_input_fini(&v.in);
	an_selection_fini(&sel);
	return rc;
}

const struct an_command an_cmd_timeline = {
	.name = "timeline",
	.summary = "lanes of what happened when, as one page or picture",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct timeline_args),
	.needs = AN_ONE_TRACE,
	.defaults = timeline_defaults,
	.run = timeline_run,
};
