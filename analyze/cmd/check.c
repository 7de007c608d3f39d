#include "analyze/clean.h"
#include "analyze/command.h"

#include "format/io.h"
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

static const char *ending_text(enum tf_ending e)
{
	switch (e) {
	case TF_CLOSED:
		return "closed";
	case TF_UNCLOSED:
		return "not closed (its recorder was killed or still runs)";
	case TF_CUT:
		return "not closed, and ends in an unfinished chunk";
	}
	return "";
}

static void print_summary(const struct an_env *env, const struct tf_reader *r,
			  const struct tf_verify_result *v)
{
	print_path(env);
	fprintf(env->out, "%" PRIu64 " chunks, %" PRIu64 " parts, %" PRIu64
		" rows, %" PRIu64 " bytes\n", v->chunks, v->parts, v->rows,
		v->bytes);
	print_path(env);
	if (v->problems)
		fprintf(env->out, "%" PRIu64 " problem%s, %s\n", v->problems,
			v->problems == 1 ? "" : "s",
			ending_text(tf_reader_ending(r)));
	else
		fprintf(env->out, "sound, %s\n",
			ending_text(tf_reader_ending(r)));
}

static int check(const struct an_env *env, struct tf_source *source,
		 const struct check_args *a, struct err *err)
{
	struct report report = { env, a->quiet_problems };
	struct tf_verify_result v = { 0 };
	struct tf_reader *r = NULL;
	int rc = tf_reader_open(&r, source, err);

	if (!rc)
		rc = tf_verify(r, print_problem, &report, &v, err);
	if (!rc) {
		print_summary(env, r, &v);
		rc = v.problems || tf_reader_ending(r) != TF_CLOSED ?
			     AN_EXIT_DAMAGED : AN_EXIT_DONE;
	}
	tf_reader_free(r);
	return rc;
}

static int check_run(struct an_env *env, const void *args, struct err *err)
{
	struct tf_source *source = NULL;
	int rc = tf_source_open(&source, env->path, err);

	if (!rc)
		rc = check(env, source, args, err);
	tf_source_close(source);
	return rc;
}

const struct an_command an_cmd_check = {
	.name = "check",
	.summary = "whether a file is whole and sound, to the last byte",
	.operands = "[FILE]",
	.opts = opts,
	.args_size = sizeof(struct check_args),
	.needs = AN_RAW_FILE,
	.run = check_run,
};
