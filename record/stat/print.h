/* What rec stat prints: analyze does it, of the trace, as text, fields, CSV or
 * JSON, in the end or meanwhile. */
#ifndef RECORD_STAT_PRINT_H
#define RECORD_STAT_PRINT_H

#include "format/base/err.h"
#include "format/base/log.h"
#include "record/stat/args.h"

#include <stdbool.h>
#include <sys/types.h>

struct rec_stat_print {
	const struct rec_stat_args *args;
	const struct log *log;
	int memory; /* the trace; -1: it is the file `output` */
	bool live;  /* from the begin on, each interval as it comes */
	pid_t pid;  /* of analyze; 0: it does not run */
};

/* Live printing; a failure is a warning: while it is counted nothing may fail
 * for the sake of what is printed. `ctx` is a struct rec_stat_print. */
void rec_stat_print_live(void *ctx);

/* Prints what has not been printed, when the trace is whole. */
int rec_stat_print_end(struct rec_stat_print *p, struct err *err);

/* What failed may have left a trace without an end, which it would wait for. */
void rec_stat_print_stop(const struct rec_stat_print *p);

#endif
