/* Commands that are run before and after what is measured. */
#ifndef RECORD_STAT_HOOK_H
#define RECORD_STAT_HOOK_H

#include "format/base/err.h"

#include <signal.h>

/* Runs `command` by the shell, with `mask` as its signal mask, and waits for
 * its end. ERR_IO: it could not be run or its status is not 0; `option` is what
 * it was given by. */
int rec_hook_run(const char *option, const char *command, const sigset_t *mask,
		 struct err *err);

#endif
