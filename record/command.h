/* The contract of a subcommand of rec, and what it is given. One file in cmd/
 * and one row in commands.c add one. */
#ifndef RECORD_COMMAND_H
#define RECORD_COMMAND_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "format/base/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The arguments of each command begin with these. */
struct rec_common {
	bool help, quiet;
	int verbose;
	const char *root; /* before /proc and /sys; "" is this machine */
};

/* The rows that belong to them; `type` has them as its member `common`. */
#define REC_COMMON_OPTS(type)                                                  \
	OPT_FLAG('q', "quiet", type, common.quiet,                             \
		 "only warnings and errors on standard error"),                \
	OPT_COUNT('v', "verbose", type, common.verbose,                        \
		  "say more on standard error"),                               \
	OPT_FLAG('h', "help", type, common.help, "this text"),                 \
	{ .kind = OPT_KIND_STR, .name = "root", .arg = "DIR",                  \
	  .field = offsetof(type, common.root), .hidden = true,                \
	  .help = "a tree that stands for /proc and /sys" }

struct rec_env {
	const struct log *log;
	FILE *out;             /* results */
	const char *root;
	char **argv;           /* the whole command line */
	char *const *operands; /* NULL-ended */
	size_t n_operands;
};

struct rec_command {
	const char *name;
	const char *summary;     /* a few words for the list of commands */
	const char *operands;    /* after the options, in usage: "[GLOB…]" */
	size_t max_operands;
	bool takes_command;      /* options end with the first operand */
	const struct opt *opts;
	size_t args_size;
	/* `args` is zeroed, then the options. Returns the exit status, or a
	 * negative enum err_code with its text. */
	int (*run)(const struct rec_env *env, const void *args,
		   struct err *err);
	void (*fini)(void *args); /* of what the options hold; NULL: nothing */
};

extern const struct rec_command *const rec_commands[]; /* NULL-ended */

/* The command of that name, or NULL. */
const struct rec_command *rec_command_find(const char *name);

/* Parses argv[1..] and runs. Returns the exit status: failures are in it and
 * were said. argv[argc] is NULL; the words may be moved. `whole` is the command
 * line as it was. */
int rec_command_run(const struct rec_command *cmd, int argc, char **argv,
		    char **whole, FILE *out);

/* A line each, for the usage of rec. */
void rec_commands_print(FILE *to);

#endif
