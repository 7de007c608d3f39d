/* Takes rights away from the process that parses what others wrote. */
#ifndef RECORD_SYMBOL_CONFINE_H
#define RECORD_SYMBOL_CONFINE_H

#include "format/base/err.h"

#include <stddef.h>

/* Moves the n descriptors at `keep` to 3 … 3 + n - 1 (-1 stays -1), puts
 * /dev/null on 0 to 2 and closes the rest. */
int rec_confine_files(int *keep, size_t n, struct err *err);

/* Gives up users, groups, capabilities, files it could write, core dumps, and
 * memory beyond a limit; ignores the signals that a terminal sends to all. 1:
 * done, but it had to keep root's user id (a user namespace without others).*/
int rec_confine_rights(struct err *err);

/* From now on at most so much more CPU time; SIGXCPU ends it then. */
void rec_confine_cpu(unsigned seconds);

#endif
