#include "analyze/clock.h"
#include "analyze/command.h"
#include "analyze/rewrite/job.h"
#include "analyze/trace.h"

#include "format/base/opt.h"

#include <inttypes.h>

/* Larger parts press better, but whoever selects has to decode more. */
#define PART_ROWS 65536u

struct compact_args {
	const char *output;
	uint64_t level;
};

static const struct opt opts[] = {
	OPT_OUTPUT(struct compact_args, output),
	OPT_U64('Z', "level", "N", struct compact_args, level,
		"how hard to compress, 1 to 19 (9)"),
	OPT_END,
};

static void compact_defaults(void *args)
{
	((struct compact_args *)args)->level = 9;
}

static void note_damage(void *ctx, size_t chunk, const struct err *what)
{
	(void)chunk;
	an_trace_note_damage(ctx, what);
}

static void tell(const struct an_job *j, const struct an_env *env,
		 const struct an_feed *f)
{
	uint64_t before = tf_reader_size(f->reader);

	if (env->log->level < LOG_NORMAL)
		return;
	fprintf(an_job_talk(j, env), "%" PRIu64 " rows: %" PRIu64 " bytes, %"
		PRIu64 " before (%.1f%%)\n", an_rewrite_rows(j->to), j->size,
		before, 100 * (double)j->size / (double)(before ? before : 1));
}

static int compact_run(struct an_env *env, const void *args, struct err *err)
{
	const struct compact_args *a = args;
	const struct tf_reader *r = an_trace_reader(env->trace);
	struct an_rewrite_options o = {
		.part_rows = PART_ROWS,
	};
	struct an_feed feed = { .reader = r,
				.name = an_trace_path(env->trace),
				.damage = note_damage,
				.ctx = env->trace };
	struct an_job j = { .output = NULL };
	int rc;

	(void)an_clock_began(env->trace, &o.start_unix_ns);
	if (!a->level || a->level > 19)
		return err_set(err, ERR_USAGE, "option '--level': %" PRIu64
			       " is not 1 to 19", a->level);
	o.level = (int)a->level;
	rc = an_job_copy(&j, env, a->output, &feed, &o, err);
	if (!rc)
		rc = an_job_keep(&j, err);
	if (!rc)
		tell(&j, env, &feed);
	an_job_fini(&j);
	an_feed_fini(&feed);
	return rc ? rc : AN_EXIT_DONE;
}

const struct an_command an_cmd_compact = {
	.name = "compact",
	.summary = "the same trace in fewer bytes",
	.operands = "-o FILE [FILE...]",
	.opts = opts,
	.args_size = sizeof(struct compact_args),
	.needs = AN_ONE_TRACE,
	.defaults = compact_defaults,
	.run = compact_run,
};
