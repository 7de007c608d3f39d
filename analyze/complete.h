/* analyze --complete: what a command line of analyze that is being typed can go
 * on with. */
#ifndef ANALYZE_COMPLETE_H
#define ANALYZE_COMPLETE_H

#include "format/base/complete.h"
#include "format/base/err.h"
#include "format/base/opt.h"

#include <stdio.h>

struct an_command;

/* The name of a command. */
void an_complete_command(const struct complete_line *line, FILE *to);

/* Behind the name of `cmd`, whose rows with those of the frame are `rows`. What
 * only the trace knows is read from the one that the line names, "trace.ctr"
 * otherwise; where it cannot be read there is nothing to say. */
int an_complete(const struct an_command *cmd, const struct opt *rows,
		const struct complete_line *line, FILE *to, struct err *err);

#endif
