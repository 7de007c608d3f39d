#include "analyze/command.h"
#include "analyze/compat/compat.h"
#include "analyze/flame.h"

#include <string.h>

struct folded_args {
	struct an_selection_args sel;
	const char *weight, *compat;
	bool kernel, jit, all;
	bool addrs, with_pid, with_tid;
};

static const struct opt opts[] = {
	OPT_STR(0, "weight", "WHAT", struct folded_args, weight,
		"samples (default), period or time"),
	OPT_FLAG(0, "kernel", struct folded_args, kernel,
		 "mark kernel frames: name_[k]"),
	OPT_FLAG(0, "jit", struct folded_args, jit,
		 "mark frames of code made at run time: name_[j]"),
	OPT_FLAG(0, "all", struct folded_args, all, "both marks"),
	OPT_GROUP("As other tools"),
	OPT_STR(0, "compat", "TOOL", struct folded_args, compat,
		"names, counts and order of stackcollapse-perf behind perf "
		"script"),
	OPT_FLAG(0, "addrs", struct folded_args, addrs,
		 "with --compat: addresses beside the images of frames "
		 "without a name"),
	OPT_FLAG(0, "with-pid", struct folded_args, with_pid,
		 "with --compat: its --pid, COMM-PID"),
	OPT_FLAG(0, "with-tid", struct folded_args, with_tid,
		 "with --compat: its --tid, COMM-PID/TID"),
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

static int write_compat(const struct an_env *env,
			const struct an_selection *sel,
			const struct an_profile *counted,
			const struct folded_args *a, struct err *err)
{
	struct an_compat_options opt = {
		.kernel = a->kernel || a->all,
		.jit = a->jit || a->all,
		.addrs = a->addrs,
		.pid = a->with_pid,
		.tid = a->with_tid,
	};
	struct an_compat_choice choice;
	int rc = an_compat_choose(&choice, env->trace, sel, counted, env->log,
				  err);

	if (rc == 1) {
		an_flame_say_none(env->trace, counted, env->log);
		rc = AN_EXIT_INCONCLUSIVE;
	} else if (!rc) {
		rc = an_compat_write(env->trace, sel, &choice, &opt, env->out,
				     err);
	}
	an_compat_choice_fini(&choice);
	return rc;
}

static int write_own(const struct an_env *env, const struct an_selection *sel,
		     const struct an_profile *counted,
		     const struct folded_args *a, enum an_weight weight,
		     struct err *err)
{
	struct an_event_profile *e = an_flame_pick(env->trace, counted,
						   env->log);

	if (e)
		return write_folded(env, sel, e, a, weight, err);
	an_flame_say_none(env->trace, counted, env->log);
	return AN_EXIT_INCONCLUSIVE;
}

static int check_args(const struct folded_args *a, struct err *err)
{
	const char *alone = a->addrs ? "addrs" : a->with_pid ? "with-pid" :
			    a->with_tid ? "with-tid" : NULL;

	if (!a->compat && alone)
		return err_set(err, ERR_USAGE, "option '--%s' needs --compat "
			       "stackcollapse-perf", alone);
	if (!a->compat)
		return 0;
	if (strcmp(a->compat, "stackcollapse-perf") != 0 &&
	    strcmp(a->compat, "stackcollapse-perf.pl") != 0)
		return err_set(err, ERR_USAGE, "option '--compat': '%s' is not "
			       "stackcollapse-perf", a->compat);
	if (a->weight)
		return err_set(err, ERR_USAGE, "option '--weight' cannot be "
			       "had with --compat: what is counted is part of "
			       "it");
	return 0;
}

static int folded_run(struct an_env *env, const void *args, struct err *err)
{
	const struct folded_args *a = args;
	struct an_selection sel = { 0 };
	struct an_profile counted = { 0 };
	enum an_weight weight = AN_WEIGHT_SAMPLES;
	int rc = check_args(a, err);

	if (!rc && a->weight)
		rc = an_weight_parse(a->weight, &weight, err);
	if (!rc)
		rc = an_selection_make(&sel, &a->sel, env->trace, err);
	if (!rc)
		rc = an_profile_count(&counted, env->trace, &sel, err);
	if (!rc && a->compat)
		rc = write_compat(env, &sel, &counted, a, err);
	else if (!rc)
		rc = write_own(env, &sel, &counted, a, weight, err);
	an_profile_fini(&counted);
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
