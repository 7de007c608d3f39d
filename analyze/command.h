/* The contract of a subcommand, and what it is given. One file in cmd/ and one
 * row in commands.c add one. */
#ifndef ANALYZE_COMMAND_H
#define ANALYZE_COMMAND_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "format/base/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct an_trace;

enum an_exit {
	AN_EXIT_DONE = 0,
	AN_EXIT_FINDING = 1,      /* a finding or regression that was asked for*/
	AN_EXIT_USAGE = 2,
	AN_EXIT_INCONCLUSIVE = 3, /* nothing to say: no samples */
	AN_EXIT_UNTRUSTED = 4,
	AN_EXIT_DENIED = 5,
	AN_EXIT_DAMAGED = 6,      /* damaged file or newer major */
	AN_EXIT_FAILED = 7,
};

enum an_needs {
	AN_NO_TRACE,
	AN_RAW_FILE,  /* only the path: the command opens it its own way; it
		       * is run once for each file */
	AN_RAW_FILES, /* the same, but it is run once for all of them */
	AN_ONE_TRACE, /* opened, definitions loaded, its warnings printed;
		       * several files are opened as one */
};

struct an_env {
	const struct log *log;
	FILE *out;               /* results */
	const char *path;        /* the first operand, or "trace.ctr" */
	const char *const *paths; /* all of them */
	size_t n_paths;
	struct an_trace *trace;  /* for AN_ONE_TRACE */
};

struct an_command {
	const char *name;
	const char *summary;     /* a few words for the list of commands */
	const char *operands;    /* after the options, in usage: "[FILE]" */
	const struct opt *opts;
	size_t args_size;
	/* Where the struct an_selection_args is in them, + 1, of a command that
	 * looks at nothing of the trace beside what is selected; else 0. */
	size_t selection;
	enum an_needs needs;
	/* Whether the command opens the file its own way where it has these
	 * arguments, as if it needed AN_RAW_FILE; NULL: never. */
	bool (*opens)(const void *args);
	/* `args` is zeroed, then `defaults` (may be NULL), then the options.
	 * Returns an enum an_exit, or a negative enum err_code with its text. */
	void (*defaults)(void *args);
	int (*run)(struct an_env *env, const void *args, struct err *err);
};

extern const struct an_command *const an_commands[]; /* NULL-ended */

#endif
