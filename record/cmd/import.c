/* rec import: a trace of what something else recorded. */
#include "record/import/import.h"

#include "record/command.h"
#include "record/import/several.h"
#include "record/session.h"
#include "record/target/launch.h"

#define DEFAULT_OUTPUT "trace.ctr"

enum {
	EXIT_UNKNOWN = 1, /* nobody knows what it is */
	EXIT_DAMAGED = 6, /* as analyze says it */
};

struct import_args {
	struct rec_common common;
	const char *output;
	bool if_known;
};

static const struct opt import_opts[] = {
	OPT_STR('o', "output", "FILE", struct import_args, output,
		"the trace (" DEFAULT_OUTPUT "); - is standard output"),
	{ .kind = OPT_KIND_FLAG, .name = "if-known", .hidden = true,
	  .field = offsetof(struct import_args, if_known),
	  .help = "say nothing of a file that nobody knows" },
	REC_COMMON_OPTS(struct import_args),
	OPT_END,
};

static int status_of(const struct rec_env *env, const struct import_args *a,
		     const struct rec_import_job *job, int rc,
		     const struct err *err)
{
	if (rc <= 0)
		return rc < 0 ? rc : REC_EXIT_DONE;
	if (rc == REC_IMPORT_STOPPED)
		return REC_EXIT_SIGNAL + job->stop->by;
	if (rc != REC_IMPORT_UNKNOWN || !a->if_known)
		log_error(env->log, "%s", err->text);
	return rc == REC_IMPORT_UNKNOWN ? EXIT_UNKNOWN : EXIT_DAMAGED;
}

static int run(const struct rec_env *env, const void *args, struct err *err)
{
	const struct import_args *a = args;
	struct rec_stop stop = { .by = 0 };
	struct rec_import_job job = {
		.output = a->output ? a->output : DEFAULT_OUTPUT,
		.options = { .quiet = a->common.quiet },
		.log = env->log,
		.stop = &stop,
	};

	if (!env->n_operands)
		return err_set(err, ERR_USAGE, "no FILE to import (- is "
			       "standard input)");
	if (env->n_operands > 1)
		return rec_import_several(&job, env->operands, err);
	job.input = env->operands[0];
	return status_of(env, a, &job, rec_import(&job, err), err);
}

const struct rec_command rec_cmd_import = {
	.name = "import",
	.summary = "makes a trace of what perf, trace-cmd … recorded",
	.operands = "FILE...",
	.max_operands = SIZE_MAX,
	.opts = import_opts,
	.args_size = sizeof(struct import_args),
	.run = run,
};
