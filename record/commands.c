#include "record/command.h"

#include "format/base/out.h"
#include "record/session.h"

#include <stdlib.h>
#include <string.h>

extern const struct rec_command rec_cmd_list, rec_cmd_doctor, rec_cmd_mark,
	rec_cmd_import, rec_cmd_stat;

const struct rec_command *const rec_commands[] = {
	&rec_cmd_stat,
	&rec_cmd_list,
	&rec_cmd_doctor,
	&rec_cmd_mark,
	&rec_cmd_import,
	NULL,
};

const struct rec_command *rec_command_find(const char *name)
{
	for (size_t i = 0; rec_commands[i]; i++)
		if (strcmp(rec_commands[i]->name, name) == 0)
			return rec_commands[i];
	return NULL;
}

void rec_commands_print(FILE *to)
{
	for (size_t i = 0; rec_commands[i]; i++)
		fprintf(to, "  %-30s%s\n", rec_commands[i]->name,
			rec_commands[i]->summary);
}

static void usage(const struct rec_command *cmd, FILE *to)
{
	fprintf(to, "usage: rec %s [OPTIONS]%s%s\n\n%s\n\nOptions\n", cmd->name,
		*cmd->operands ? " " : "", cmd->operands, cmd->summary);
	opt_usage(cmd->opts, to);
}

static int check_operands(const struct rec_command *cmd, int n, char **argv,
			  struct err *err)
{
	if ((size_t)n <= cmd->max_operands)
		return 0;
	return err_set(err, ERR_USAGE, "'%s' is one operand too many",
		       argv[1 + cmd->max_operands]);
}

static int parse_and_run(const struct rec_command *cmd, void *args, int argc,
			 char **argv, char **whole, struct log *log, FILE *out,
			 struct err *err)
{
	const struct rec_common *common = args;
	int n = 0;
	int rc = opt_parse(cmd->opts,
			   cmd->takes_command ? OPT_FIRST : OPT_ANYWHERE, args,
			   argc, argv, &n, err);

	if (rc < 0)
		return rc;
	if (common->help) {
		usage(cmd, out);
		return REC_EXIT_DONE;
	}
	rc = check_operands(cmd, n, argv, err);
	if (rc < 0)
		return rc;
	argv[1 + n] = NULL;
	log->level = common->quiet ? LOG_QUIET : common->verbose;
	return cmd->run(&(struct rec_env){
		.log = log, .out = out,
		.root = common->root ? common->root : "",
		.argv = whole,
		.operands = argv + 1, .n_operands = (size_t)n }, args, err);
}

/* A reader that went away has what it wanted: no message. */
static int check_output(FILE *out, const struct log *log, int status)
{
	const char *why = out_finish(out);

	if (!why)
		return status;
	log_error(log, "cannot write standard output: %s", why);
	return REC_EXIT_FAILED;
}

int rec_command_run(const struct rec_command *cmd, int argc, char **argv,
		    char **whole, FILE *out)
{
	struct log log = { stderr, "rec", LOG_NORMAL };
	struct err err = { 0 };
	void *args = calloc(1, cmd->args_size);
	int status = args ? parse_and_run(cmd, args, argc, argv, whole, &log,
					  out, &err) :
			    err_nomem(&err);

	if (status < 0) {
		log_error(&log, "%s", err.text);
		if (status == ERR_USAGE)
			fprintf(log.to, "try 'rec %s --help'\n", cmd->name);
		status = REC_EXIT_FAILED;
	}
	if (args && cmd->fini)
		cmd->fini(args);
	free(args);
	return check_output(out, &log, status);
}
