#include "analyze/command.h"
#include "analyze/verdict/show.h"

struct verdict_args {
	struct an_selection_args sel;
	uint64_t media;
	bool csv, json;
};

static const struct opt opts[] = {
	OPT_U64(0, "media", "PID", struct verdict_args, media,
		"does this process work on video by itself or on a GPU?"),
	OPT_FLAG(0, "csv", struct verdict_args, csv, "figures as CSV"),
	OPT_FLAG(0, "json", struct verdict_args, json, "all of it as JSON"),
	OPT_GROUP("Selection"),
	OPT_STR(0, "time", "A,B", struct verdict_args, sel.time,
		"from A to B: 2s, 10%, -1s (of the end), @S (clock), "
		"mark:TEXT"),
	OPT_END,
};

static int check_args(const struct verdict_args *a, struct err *err)
{
	if (!a->media || a->media > INT32_MAX)
		return err_set(err, ERR_USAGE, "option '--media': of which "
			       "process? (try: --media PID)");
	return 0;
}

static int verdict_run(struct an_env *env, const void *args, struct err *err)
{
	const struct verdict_args *a = args;
	struct an_selection sel = { 0 };
	struct an_media m = { 0 };
	enum an_format format;
	int rc = check_args(a, err);

	if (!rc)
		rc = an_format_choose(&format, a->csv, a->json, err);
	if (!rc)
		rc = an_selection_make(&sel, &a->sel, env->trace, err);
	if (!rc)
		rc = an_media_look(&m, env->trace, &sel, (int32_t)a->media,
				   err);
	if (!rc)
		rc = an_media_show(&m, format, env->out, err);
	if (!rc && m.answer == AN_MEDIA_UNKNOWN)
		rc = AN_EXIT_INCONCLUSIVE;
	an_media_fini(&m);
	an_selection_fini(&sel);
	return rc;
}

const struct an_command an_cmd_verdict = {
	.name = "verdict",
	.summary = "whether a process works on video by itself or on a GPU",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct verdict_args),
	.needs = AN_ONE_TRACE,
	.run = verdict_run,
};
