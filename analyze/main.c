/* analyze: the frame around the subcommands. */
#include "analyze/ahead.h"
#include "analyze/clean.h"
#include "analyze/command.h"
#include "analyze/complete.h"
#include "analyze/segments.h"
#include "analyze/suggest.h"
#include "analyze/trace.h"

#include "format/base/mem.h"
#include "format/base/out.h"
#include "format/version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TRACE "trace.ctr"

/* What every command takes beside its own options. */
struct frame_args {
	bool help, quiet;
	int verbose;
	uint64_t threads;
	const char *input;
};

static const struct opt frame_opts[] = {
	OPT_GROUP("Common"),
	OPT_STR('i', "input", "FILE", struct frame_args, input,
		"the trace, instead of an operand"),
	OPT_FLAG('q', "quiet", struct frame_args, quiet,
		 "only warnings and errors on standard error"),
	OPT_COUNT('v', "verbose", struct frame_args, verbose,
		  "say more on standard error"),
	OPT_FLAG('h', "help", struct frame_args, help, "this text"),
	{ .kind = OPT_KIND_U64, .name = "threads", .arg = "N",
	  .field = offsetof(struct frame_args, threads),
	  .help = "threads that decode (one a CPU, 8 at most)",
	  .hidden = true },
	OPT_END,
};

/* The rows and the arguments of a command with those of the frame behind. */
struct call {
	const struct an_command *cmd;
	struct opt *rows;
	char *args;
	size_t frame_at; /* of struct frame_args in args */
	int n_operands;
	char **operands;
};

static size_t n_rows(const struct opt *rows)
{
	size_t n = 0;

	while (rows && rows[n].kind != OPT_KIND_END)
		n++;
	return n;
}

static int call_init(struct call *c, const struct an_command *cmd,
		     struct err *err)
{
	size_t n = n_rows(cmd->opts), align = _Alignof(max_align_t);

	*c = (struct call){ .cmd = cmd };
	c->frame_at = (cmd->args_size + align - 1) / align * align;
	c->args = calloc(1, c->frame_at + sizeof(struct frame_args));
	if (!c->args)
		return err_nomem(err);
	c->rows = calloc(n + ARRAY_LEN(frame_opts), sizeof(*c->rows));
	if (!c->rows)
		return err_nomem(err);
	if (n)
		memcpy(c->rows, cmd->opts, n * sizeof(*c->rows));
	for (size_t i = 0; i < ARRAY_LEN(frame_opts); i++) {
		c->rows[n + i] = frame_opts[i];
		c->rows[n + i].field += c->frame_at;
	}
	if (cmd->defaults)
		cmd->defaults(c->args);
	return 0;
}

static void call_fini(struct call *c)
{
	for (const struct opt *o = c->rows; o && o->kind != OPT_KIND_END; o++)
		if (o->kind == OPT_KIND_LIST)
			opt_list_fini((struct opt_list *)(void *)
				      (c->args + o->field));
	free(c->rows);
	free(c->args);
}

static const struct frame_args *frame_of(const struct call *c)
{
	return (const struct frame_args *)(const void *)(c->args + c->frame_at);
}

static void print_commands(FILE *to)
{
	fputs("usage: analyze COMMAND [OPTIONS] [FILE...]\n\n"
	      "Reads a trace that rec recorded (" DEFAULT_TRACE " without "
	      "FILE) or\nthe segments of one, as one.\n\ncommands:\n", to);
	for (size_t i = 0; an_commands[i]; i++)
		fprintf(to, "  %-12s%s\n", an_commands[i]->name,
			an_commands[i]->summary);
	fputs("\n'analyze help COMMAND' tells the options of one.\n", to);
}

static void print_usage(const struct call *c, FILE *to)
{
	fprintf(to, "usage: analyze %s [OPTIONS] %s\n\n%s\n", c->cmd->name,
		c->cmd->operands, c->cmd->summary);
	if (c->cmd->opts && c->cmd->opts[0].kind != OPT_KIND_GROUP &&
	    c->cmd->opts[0].kind != OPT_KIND_END)
		fputs("\nOptions\n", to);
	opt_usage(c->rows, to);
}

static const struct an_command *find_command(const char *name)
{
	for (size_t i = 0; an_commands[i]; i++)
		if (strcmp(an_commands[i]->name, name) == 0)
			return an_commands[i];
	return NULL;
}

static int no_such_command(const char *name, struct err *err)
{
	const char *names[64];
	const char *near;
	size_t n = 0;

	for (; n < ARRAY_LEN(names) && an_commands[n]; n++)
		names[n] = an_commands[n]->name;
	near = an_nearest(name, names, n);
	if (near)
		return err_set(err, ERR_USAGE, "no command '%s' (did you mean "
			       "'%s'?)", name, near);
	return err_set(err, ERR_USAGE, "no command '%s' (see: analyze help)",
		       name);
}

static int exit_of(int code)
{
	switch (code) {
	case ERR_USAGE:
		return AN_EXIT_USAGE;
	case ERR_DENIED:
		return AN_EXIT_DENIED;
	case ERR_FORMAT:
	case ERR_NEWER:
	case ERR_LIMIT:
		return AN_EXIT_DAMAGED;
	default:
		return AN_EXIT_FAILED;
	}
}

/* The files that are meant. */
struct paths {
	const char *const *v;
	size_t n;
	const char *one;
};

static int choose_paths(const struct call *c, struct paths *p, struct err *err)
{
	const char *input = frame_of(c)->input;

	if (c->n_operands && (c->cmd->needs == AN_NO_TRACE || input))
		return err_set(err, ERR_USAGE, "'%s' is one operand too many "
			       "(see: analyze %s --help)",
			       c->operands[0], c->cmd->name);
	p->one = input ? input : DEFAULT_TRACE;
	p->v = c->n_operands ? (const char *const *)c->operands : &p->one;
	p->n = c->n_operands ? (size_t)c->n_operands : 1;
	return 0;
}

static void tell_reading(const struct log *log, const struct an_trace *t)
{
	const struct tf_reader *r = an_trace_reader(t);

	log_verbose(log, "%s: read %zu of %zu chunks, %" PRIu64 " of %" PRIu64
		    " bytes", an_trace_path(t), tf_reader_loaded(r),
		    tf_reader_chunks(r), an_trace_bytes_read(t),
		    tf_reader_size(r));
}

/* A command that opens files its own way does so with one after another; the
 * worst status is that of all. */
static int run_each(const struct call *c, const struct paths *p,
		    const struct log *log, FILE *out, struct err *err)
{
	int worst = AN_EXIT_DONE;

	for (size_t i = 0; i < p->n; i++) {
		struct an_env env = { .log = log, .out = out, .path = p->v[i],
				      .paths = p->v + i, .n_paths = 1 };
		int rc = c->cmd->run(&env, c->args, err);

		if (rc < 0 && i + 1 == p->n && worst == AN_EXIT_DONE)
			return rc;
		if (rc < 0) {
			an_clean_err(err);
			log_error(log, "%s", err->text);
			rc = exit_of(rc);
		}
		worst = rc > worst ? rc : worst;
	}
	return worst;
}

static unsigned threads_of(const struct frame_args *f)
{
	if (!f->threads)
		return an_threads_usual();
	return f->threads < AN_MAX_THREADS ? (unsigned)f->threads :
					     AN_MAX_THREADS;
}

static int open_trace(const struct call *c, const struct paths *p,
		      struct an_trace **out, const struct log *log,
		      struct err *err)
{
	struct an_opening how = { .log = log,
				  .threads = threads_of(frame_of(c)) };
	size_t at = c->cmd->selection;

	if (at)
		how.selection = (const struct an_selection_args *)
			(const void *)(c->args + at - 1);
	if (p->n > 1)
		return an_segments_open_as(out, p->v, p->n, &how, err);
	return an_trace_open_as(out, p->v[0], &how, err);
}

/* Runs with valid arguments. */
static int run(const struct call *c, const struct paths *p,
	       const struct log *log, FILE *out, struct err *err)
{
	struct an_env env = { .log = log, .out = out, .path = p->v[0],
			      .paths = p->v, .n_paths = p->n };
	int rc = 0;

	if (c->cmd->needs == AN_RAW_FILE ||
	    (c->cmd->opens && c->cmd->opens(c->args)))
		return run_each(c, p, log, out, err);
	if (c->cmd->needs == AN_ONE_TRACE)
		rc = open_trace(c, p, &env.trace, log, err);
	if (rc)
		return rc;
	rc = c->cmd->run(&env, c->args, err);
	if (rc >= 0 && env.trace && an_trace_damage(env.trace))
		rc = AN_EXIT_DAMAGED;
	if (rc >= 0 && env.trace)
		tell_reading(log, env.trace);
	an_trace_close(env.trace);
	return rc;
}

static int run_command(const struct an_command *cmd, int argc, char **argv,
		       struct log *log, FILE *out, struct err *err)
{
	struct paths paths = { 0 };
	struct call c;
	int rc = call_init(&c, cmd, err);

	if (!rc)
		rc = opt_parse(c.rows, OPT_ANYWHERE, c.args, argc, argv,
			       &c.n_operands, err);
	c.operands = argv + 1;
	if (!rc && frame_of(&c)->help) {
		print_usage(&c, out);
		goto done;
	}
	if (!rc)
		rc = choose_paths(&c, &paths, err);
	if (rc)
		goto done;
	log->level = frame_of(&c)->quiet ? LOG_QUIET : frame_of(&c)->verbose;
	rc = run(&c, &paths, log, out, err);
done:
	call_fini(&c);
	return rc;
}

static int help(int argc, char **argv, struct log *log, FILE *out,
		struct err *err)
{
	char option[] = "--help";
	const struct an_command *cmd;

	if (argc < 2) {
		print_commands(out);
		return AN_EXIT_DONE;
	}
	cmd = find_command(argv[1]);
	if (!cmd)
		return no_such_command(argv[1], err);
	return run_command(cmd, 2, (char *[]){ argv[1], option, NULL }, log,
			   out, err);
}

/* Also the command whose help is asked for. */
static int complete(int argc, char **argv, FILE *out, struct err *err)
{
	const struct an_command *cmd = NULL;
	struct complete_line line;
	struct call c;
	int rc = complete_line_parse(&line, argc, argv, err);

	if (rc)
		return rc;
	if (line.at == 1 && strcmp(line.words[0], "help") == 0)
		line = (struct complete_line){ line.words + 1, line.n - 1, 0 };
	if (line.at == 0) {
		an_complete_command(&line, out);
		return AN_EXIT_DONE;
	}
	cmd = find_command(line.words[0]);
	if (!cmd)
		return AN_EXIT_DONE;
	line = (struct complete_line){ line.words + 1, line.n - 1,
				       line.at - 1 };
	rc = call_init(&c, cmd, err);
	if (!rc)
		rc = an_complete(cmd, c.rows, &line, out, err);
	call_fini(&c);
	return rc;
}

static bool is_word(const char *text, const char *a, const char *b)
{
	return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

static int dispatch(int argc, char **argv, struct log *log, FILE *out,
		    struct err *err)
{
	const struct an_command *cmd;

	if (argc < 2) {
		print_commands(log->to);
		return AN_EXIT_USAGE;
	}
	if (is_word(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0)
		return help(argc - 1, argv + 1, log, out, err);
	/* For shells: not in the usage. */
	if (strcmp(argv[1], "--complete") == 0)
		return complete(argc - 1, argv + 1, out, err);
	if (is_word(argv[1], "--version", "version")) {
		fprintf(out, "analyze (coltrace) %s\n", COLTRACE_VERSION);
		return AN_EXIT_DONE;
	}
	cmd = find_command(argv[1]);
	if (cmd)
		return run_command(cmd, argc - 1, argv + 1, log, out, err);
	if (argv[1][0] == '-')
		return err_set(err, ERR_USAGE, "unknown option '%s' (a command "
			       "comes first, see: analyze help)", argv[1]);
	return no_such_command(argv[1], err);
}

/* A reader that went away has what it wanted: no message. Nor is there a second
 * one for what failed already. */
static int check_output(FILE *out, const struct log *log, int status)
{
	const char *why = out_finish(out);

	if (!why || status == AN_EXIT_FAILED)
		return status;
	log_error(log, "cannot write standard output: %s", why);
	return AN_EXIT_FAILED;
}

int main(int argc, char **argv)
{
	struct log log = { .to = stderr, .prog = "analyze" };
	struct err err = { 0 };
	int rc = dispatch(argc, argv, &log, stdout, &err);

	if (rc < 0) {
		if (err.code != ERR_CLOSED) {
			an_clean_err(&err);
			log_error(&log, "%s", err.text);
		}
		rc = err.code == ERR_CLOSED ? AN_EXIT_DONE : exit_of(rc);
	}
	return check_output(stdout, &log, rc);
}
