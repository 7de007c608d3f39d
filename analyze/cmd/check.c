#include "analyze/clean.h"
#include "analyze/command.h"
#include "analyze/ending.h"
#include "analyze/trace.h"

#include "format/verify.h"

#include <inttypes.h>
#include <string.h>

struct check_args {
	bool quiet_problems;
};

static const struct opt opts[] = {
	OPT_FLAG('s', "summary", struct check_args, quiet_problems,
		 "only the last lines"),
	OPT_END,
};

struct report {
	const struct an_env *env;
	bool summary;
};

static void print_path(const struct an_env *env)
{
	an_clean_print(env->out, span_of(env->path, strlen(env->path)));
	fputs(": ", env->out);
}

static void print_problem(void *ctx, uint64_t offset, const char *what)
{
	const struct report *r = ctx;

	if (r->summary)
		return;
	print_path(r->env);
	fprintf(r->env->out, "offset %" PRIu64 ": ", offset);
	an_clean_print(r->env->out, span_of(what, strlen(what)));
	fputc('\n', r->env->out);
}

static void print_ending(const struct an_trace *t, FILE *to)
{
	const struct tf_reader *r = an_trace_reader(t);
	const char *incomplete = an_trace_incomplete(t);
	char text[AN_ENDING_TEXT];

	switch (tf_reader_ending(r)) {
	case TF_UNCLOSED:
		fputs("not closed (its recorder was killed or still runs)", to);
		break;
	case TF_CUT:
		fputs("not closed, and ends in an unfinished chunk", to);
		break;
	default:
		an_ending_text(text, r);
		fputs(text, to);
	}
	if (incomplete) {
		fputs("; the recording is incomplete: ", to);
		an_clean_print(to, span_of(incomplete, strlen(incomplete)));
	}
	fputc('\n', to);
}

static void print_summary(const struct an_env *env, const struct an_trace *t,
			  const struct tf_verify_result *v)
{
	print_path(env);
	fprintf(env->out, "%" PRIu64 " chunks, %" PRIu64 " parts, %" PRIu64
		" rows, %" PRIu64 " bytes\n", v->chunks, v->parts, v->rows,
		v->bytes);
	print_path(env);
	if (v->problems)
		fprintf(env->out, "%" PRIu64 " problem%s, ", v->problems,
			v->problems == 1 ? "" : "s");
	else
		fputs("sound, ", env->out);
	print_ending(t, env->out);
}

/* The problems are those that verifying tells, not the warnings of loading. */
static int check_run(struct an_env *env, const void *args, struct err *err)
{
	const struct check_args *a = args;
	struct report report = { env, a->quiet_problems };
	struct tf_verify_result v = { 0 };
	struct an_trace *t = NULL;
	int rc = an_trace_open(&t, env->path, NULL, err);

	if (!rc)
		rc = tf_verify(an_trace_reader(t), print_problem, &report, &v,
			       err);
	if (!rc) {
		print_summary(env, t, &v);
		rc = v.problems || an_trace_incomplete(t) ||
		     tf_reader_ending(an_trace_reader(t)) != TF_CLOSED ?
			     AN_EXIT_DAMAGED : AN_EXIT_DONE;
	}
	an_trace_close(t);
	return rc;
}

const struct an_command an_cmd_check = {
	.name = "check",
	.summary = "whether a file is whole and sound, to the last byte",
	.operands = "[FILE...]",
	.opts = opts,
	.args_size = sizeof(struct check_args),
	.needs = AN_RAW_FILE,
	.run = check_run,
};
