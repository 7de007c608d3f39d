#include "analyze/command.h"
#include "analyze/flame.h"
#include "analyze/head.h"
#include "analyze/out/file.h"

#include "format/base/buf.h"
#include "format/base/time.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct flamegraph_args {
	struct an_selection_args sel;
	const char *output, *folded, *title, *palette, *weight;
	double width, min_width;
	bool icicle, no_script;
};

static const struct opt opts[] = {
	OPT_STR('o', "output", "FILE", struct flamegraph_args, output,
		"picture to write (flamegraph.svg; - is standard output)"),
	OPT_STR(0, "folded", "FILE", struct flamegraph_args, folded,
		"the stacks as text, too, as of analyze folded --all"),
	OPT_STR(0, "title", "TEXT", struct flamegraph_args, title,
		"title of the picture"),
	OPT_F64(0, "width", "PX", struct flamegraph_args, width,
		"width of the picture (1200)"),
	OPT_F64(0, "min-width", "PX", struct flamegraph_args, min_width,
		"narrower frames are folded into one box (0.1)"),
	OPT_STR(0, "palette", "NAME", struct flamegraph_args, palette,
		"colours"),
	OPT_FLAG(0, "icicle", struct flamegraph_args, icicle,
		 "root on top"),
	OPT_FLAG(0, "no-script", struct flamegraph_args, no_script,
		 "a still picture"),
	OPT_STR(0, "weight", "WHAT", struct flamegraph_args, weight,
		"samples (default), period or time"),
	AN_SELECTION_OPTS(struct flamegraph_args, sel),
	OPT_END,
};

static void flamegraph_defaults(void *args)
{
	struct flamegraph_args *a = args;
	struct fg_options o;

	fg_options_init(&o);
	a->output = "flamegraph.svg";
	a->width = o.width_px;
	a->min_width = o.min_width_px;
}

struct picture {
	const struct an_env *env;
	const struct flamegraph_args *args;
	const struct an_selection *sel;
	struct an_event_profile *event;
	enum an_weight weight;
	const struct fg_palette *palette;
};

static int find_palette(struct picture *p, struct err *err)
{
	struct buf names;
	int rc;

	p->palette = NULL;
	if (!p->args->palette)
		return 0;
	p->palette = fg_palette_find(p->args->palette);
	if (p->palette)
		return 0;
	buf_init(&names, 0);
	for (size_t i = 0; fg_palette_at(i); i++)
		buf_printf(&names, "%s%s", i ? ", " : "",
			   fg_palette_name(fg_palette_at(i)));
	buf_u8(&names, 0);
	rc = err_set(err, ERR_USAGE, "option '--palette': no '%s' (there is: "
		     "%s)", p->args->palette,
		     buf_failed(&names) ? "?" : (const char *)names.p);
	buf_fini(&names);
	return rc;
}

/* What the picture must say of the data it shows. */
/* Less than this would read 0.0 %. */
#define SHOWN 0.0005

static void subtitle(const struct picture *p, struct buf *to)
{
	const struct an_trace *t = p->env->trace;
	const struct an_event_profile *e = p->event;
	char duration[TIME_TEXT];
	struct an_quality q;

	an_quality_of(t, e, &q);
	time_format(duration, e->t_max - e->t_min);
	buf_printf(to, "%s", an_text(t, an_event_of(t, e->event)->name));
	/* What is drawn is counted behind this text anyway. */
	if (p->weight != AN_WEIGHT_SAMPLES)
		buf_printf(to, ", %" PRIu64 " samples", e->total.samples);
	buf_printf(to, " over %s", duration);
	if (q.lost || q.unknown_loss)
		buf_printf(to, ", %s%" PRIu64 " lost",
			   q.unknown_loss ? "at least " : "", q.lost);
	if (q.lost_among)
		buf_printf(to, ", up to %" PRIu64 " %slost", q.lost_among,
			   q.lost ? "more " : "");
	if (q.unknown >= SHOWN)
		buf_printf(to, ", %.1f%% without a name", 100 * q.unknown);
	if (q.truncated >= SHOWN)
		buf_printf(to, ", %.1f%% in stacks that may be cut",
			   100 * q.truncated);
	if (an_trace_incomplete(t))
		buf_printf(to, ", recording incomplete: %s",
			   an_trace_incomplete(t));
	if (an_trace_damage(t))
		buf_printf(to, ", file damaged");
	buf_u8(to, 0);
}

static int write_svg(const struct picture *p, const struct fg_tree *tree,
		     FILE *to, struct err *err)
{
	const struct flamegraph_args *a = p->args;
	struct fg_options o;
	struct buf text;
	int rc;

	buf_init(&text, 0);
	subtitle(p, &text);
	fg_options_init(&o);
	o.title = a->title;
	o.subtitle = buf_failed(&text) ? NULL : (const char *)text.p;
	o.unit = an_weight_unit(p->env->trace, p->event->event, p->weight);
	o.palette = p->palette;
	o.width_px = a->width;
	o.min_width_px = a->min_width;
	o.icicle = a->icicle;
	o.no_script = a->no_script;
	rc = fg_write_svg(tree, &o, to);
	buf_fini(&text);
	if (rc == -EINVAL)
		return err_set(err, ERR_USAGE, "options '--width' and "
			       "'--min-width': a picture is 300 to 100000 px "
			       "wide, frames from 0");
	return rc ? an_flame_err(rc, err, a->output) : 0;
}

/* The trace is not what is written over. */
static int open_file(struct an_out_file *file, const struct picture *p,
		     const char *path, struct err *err)
{
	int rc = an_out_file_check(path, p->env->paths, p->env->n_paths, err);

	return rc ? rc : an_out_file_open(file, path, p->env->path, err);
}

static int write_file(const struct picture *p, const struct fg_tree *tree,
		      struct err *err)
{
	const char *path = p->args->output;
	struct an_out_file file;
	int rc = open_file(&file, p, path, err);

	if (rc)
		return rc;
	rc = write_svg(p, tree, file.to, err);
	if (!rc)
		rc = an_out_file_keep(&file, err);
	an_out_file_fini(&file);
	if (rc)
		return rc;
	log_info(p->env->log, "wrote '%s': %" PRIu64 " samples of event '%s'",
		 path, p->event->total.samples,
		 an_text(p->env->trace,
			 an_event_of(p->env->trace, p->event->event)->name));
	return 0;
}

/* Both from one reading of the trace. */
static int write_folded(const struct picture *p, const struct fg_tree *tree,
			struct err *err)
{
	const char *path = p->args->folded;
	struct an_out_file file;
	int rc;

	if (!path)
		return 0;
	rc = open_file(&file, p, path, err);
	if (rc)
		return rc;
	rc = fg_write_folded(tree, file.to);
	rc = rc ? an_flame_err(rc, err, path) : an_out_file_keep(&file, err);
	an_out_file_fini(&file);
	return rc;
}

static int draw(struct picture *p, struct err *err)
{
	struct an_flame_options opt = { .weight = p->weight, .sums = true };
	struct fg_tree *tree = NULL;
	int rc = an_weight_check(p->env->trace, p->event->event, p->weight,
				 err);

	if (!rc)
		rc = an_flame_tree(&tree, p->event, p->env->trace, p->sel, &opt,
				   err);
	if (rc)
		return rc;
	rc = write_folded(p, tree, err);
	if (!rc && strcmp(p->args->output, "-") == 0)
		rc = write_svg(p, tree, p->env->out, err);
	else if (!rc)
		rc = write_file(p, tree, err);
	fg_tree_free(tree);
	return rc;
}

static int flamegraph_run(struct an_env *env, const void *args,
			  struct err *err)
{
	const struct flamegraph_args *a = args;
	struct an_selection sel = { 0 };
	struct picture p = { .env = env, .args = a, .sel = &sel,
			     .weight = AN_WEIGHT_SAMPLES };
	struct an_profile profile = { 0 };
	int rc = find_palette(&p, err);

	if (!rc && a->weight)
		rc = an_weight_parse(a->weight, &p.weight, err);
	if (!rc)
		rc = an_selection_make(&sel, &a->sel, env->trace, err);
	if (!rc)
		rc = an_profile_count(&profile, env->trace, &sel, err);
	if (rc)
		goto out;
	p.event = an_flame_pick(env->trace, &profile, env->log);
	if (p.event) {
		rc = draw(&p, err);
	} else {
		an_flame_say_none(env->trace, &profile, env->log);
		rc = AN_EXIT_INCONCLUSIVE;
	}
out:
	an_profile_fini(&profile);
	an_selection_fini(&sel);
	return rc;
}

const struct an_command an_cmd_flamegraph = {
	.name = "flamegraph",
	.summary = "a flame graph as one SVG picture",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct flamegraph_args),
	.selection = offsetof(struct flamegraph_args, sel) + 1,
	.needs = AN_ONE_TRACE,
	.defaults = flamegraph_defaults,
	.run = flamegraph_run,
};
