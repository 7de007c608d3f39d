/* The command line of rec stat. */
#ifndef RECORD_STAT_ARGS_H
#define RECORD_STAT_ARGS_H

#include "format/base/err.h"
#include "record/command.h"
#include "record/config.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_stat_args {
	struct rec_common common;
	struct rec_args rec;
	uint64_t repeat, interval_count, log_fd;
	bool repeat_given, interval_count_given, log_fd_given;
	const char *pre, *post;
	bool sync;
	/* of what is printed */
	const char *separator;
	bool csv, json, per_run, table, no_scale, summary, no_csv_summary;
	bool per_socket, per_die, per_core, per_node;
};

extern const struct opt rec_stat_options[];

/* ERR_USAGE, ERR_UNSUPPORTED: what does not go together, or cannot be. */
int rec_stat_args_check(const struct rec_stat_args *a, bool command,
			struct err *err);

/* Whether what is counted is shown by place, so that each CPU is to be counted
 * on its own. */
bool rec_stat_args_places(const struct rec_stat_args *a);

#endif
