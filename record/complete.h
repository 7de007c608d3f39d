/* rec --complete: what a command line of rec that is being typed can go on
 * with. */
#ifndef RECORD_COMPLETE_H
#define RECORD_COMPLETE_H

#include "format/base/err.h"

#include <stdio.h>

/* argv[1..] is "N -- WORD...", see format/base/complete.h; `root` stands before
 * /proc and /sys. */
int rec_complete(int argc, char **argv, const char *root, FILE *to,
		 struct err *err);

#endif
