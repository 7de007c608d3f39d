#include "analyze/command.h"
#include "analyze/flame.h"

struct folded_args {
	struct an_selection_args sel;
	const char *weight;
	bool kernel, jit, all;
};

static const struct opt opts[] = {
	OPT_STR(0, "weight", "WHAT", struct folded_args, weight,
		"samples (default), period or time"),
	OPT_FLAG(0, "kernel", struct folded_args, kernel,
		 "mark kernel frames: name_[k]"),
	OPT_FLAG(0, "jit", struct folded_args, jit,
		 "mark frames of code made at run time: name_[j]"),
	OPT_FLAG(0, "all", struct folded_args, all, "both marks"),
	AN_SELECTION_OPTS(struct folded_args, sel),
	OPT_END,
};

static int write_folded(const struct an_env *env,
			const struct an_selection *sel,
			struct an_event_profile *e,
			const struct folded_args *a, enum an_weight weight,
			struct err *err)
{
	struct an_flame_options opt = {
		.weight = weight,
		.plain_kernel = !a->kernel && !a->all,
		.plain_jit = !a->jit && !a->all,
	};
	struct fg_tree *tree = NULL;
	int rc = an_weight_check(env->trace, e->event, weight, err);

	if (!rc)
		rc = an_flame_tree(&tree, e, env->trace, sel, &opt, err);
	if (rc)
		return rc;
	rc = fg_write_folded(tree, env->out);
	fg_tree_free(tree);
	return rc ? an_flame_err(rc, err, "stacks") : AN_EXIT_DONE;
}

static int folded_run(struct an_env *env, const void *args, struct err *err)
{
	const struct folded_args *a = args;
	struct an_event_profile *e;
	struct an_selection sel = { 0 };
	struct an_profile profile = { 0 };
	enum an_weight weight = AN_WEIGHT_SAMPLES;
	int rc = 0;

	if (a->weight)
		rc = an_weight_parse(a->weight, &weight, err);
	if (!rc)
		rc = an_selection_make(&sel, &a->sel, env->trace, err);
	if (!rc)
		rc = an_profile_count(&profile, env->trace, &sel, err);
	if (rc)
		goto out;
	e = an_flame_pick(env->trace, &profile, env->log);
	if (e) {
		rc = write_folded(env, &sel, e, a, weight, err);
	} else {
		an_flame_say_none(env->trace, &profile, env->log);
		rc = AN_EXIT_INCONCLUSIVE;
	}
out:
	an_profile_fini(&profile);
	an_selection_fini(&sel);
	return rc;
}

const struct an_command an_cmd_folded = {
	.name = "folded",
	.summary = "stacks as folded text, one a line, for flame graph tools",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct folded_args),
	.selection = offsetof(struct folded_args, sel) + 1,
	.needs = AN_ONE_TRACE,
	.run = folded_run,
};
