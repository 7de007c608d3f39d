#include "record/command.h"
#include "record/complete.h"
#include "record/config.h"
#include "record/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *to)
{
	fputs("usage: rec [OPTIONS] [--] COMMAND [ARGUMENTS]\n"
	      "       rec [OPTIONS] -a | -p PID | -t TID | -C CPUS\n"
	      "\n"
	      "Records where time goes into one self-contained trace file; "
	      "'analyze' reads it.\n",
	      to);
	opt_usage(rec_options, to);
	fputs("\nInstead of recording, as the first word\n", to);
	rec_commands_print(to);
	fputs("\nExit status\n"
	      "  0-124                         the command's own; after "
	      "--duration 0\n"
	      "  125                           rec itself failed\n"
	      "  126, 127                      the command cannot be executed, "
	      "is not found\n"
	      "  128+N                         the command died of signal N\n",
	      to);
}

static int fail(const struct log *log, const struct err *err)
{
	log_error(log, "%s", err->text);
	return REC_EXIT_FAILED;
}

static int record(const struct rec_args *args, struct log *log, char **argv,
		  char **command)
{
	struct rec_config cfg;
	struct err err = { 0 };
	int status;

	if (rec_config_make(&cfg, args, argv, command, &err) < 0)
		return fail(log, &err);
	if (cfg.default_why)
		log_info(log, "sampling '%s': %s", cfg.events.items[0].name,
			 cfg.default_why);
	if (rec_session_run(&cfg, log, &status, &err) < 0)
		log_error(log, "%s", err.text);
	rec_config_fini(&cfg);
	return status;
}

/* opt_parse() moves the operands to the front, so the command line is copied
 * to be kept as it was. */
static int run(int argc, char **argv, char **words)
{
	struct log log = { stderr, "rec", LOG_NORMAL };
	struct rec_args args = { 0 };
	struct err err = { 0 };
	int n = 0, status;

	status = opt_parse(rec_options, OPT_FIRST, &args, argc, words, &n, &err);
	words[1 + n] = NULL;
	log.level = args.quiet ? LOG_QUIET : args.verbose;
	if (status < 0) {
		status = fail(&log, &err);
		fputs("try 'rec --help'\n", stderr);
	} else if (args.help) {
		usage(stdout);
	} else if (args.version) {
		puts("rec (coltrace) " REC_VERSION);
	} else {
		status = record(&args, &log, argv, words + 1);
	}
	rec_args_fini(&args);
	return status;
}

static int complete(int argc, char **argv)
{
	const struct log log = { stderr, "rec", LOG_NORMAL };
	struct err err = { 0 };

	if (rec_complete(argc, argv, "", stdout, &err) < 0)
		return fail(&log, &err);
	return fflush(stdout) ? REC_EXIT_FAILED : REC_EXIT_DONE;
}

int main(int argc, char **argv)
{
	const struct rec_command *cmd =
		argc > 1 ? rec_command_find(argv[1]) : NULL;
	char **words;
	int status;

	/* For shells: not in the usage. */
	if (argc > 1 && strcmp(argv[1], "--complete") == 0)
		return complete(argc - 1, argv + 1);
	words = calloc((size_t)argc + 2, sizeof(*words));

	if (!words) {
		fputs("rec: error: out of memory\n", stderr);
		return REC_EXIT_FAILED;
	}
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	status = cmd ? rec_command_run(cmd, argc - 1, words + 1, argv, stdout) :
		       run(argc, argv, words);
	free(words);
	return status;
}
