/* Where the sockets of running recordings are: in a folder of the recording's
 * user that nobody else may write to. Paths and not abstract names: they work
 * across network namespaces, can be mounted into a container, and the folder
 * keeps strangers from sending at all. */
#ifndef RECORD_MARK_PLACE_H
#define RECORD_MARK_PLACE_H

#include "format/base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* In order of preference, below `root`: /run/coltrace (of root),
 * /run/user/UID/coltrace, /tmp/coltrace-UID. */

/* Makes and opens the folder of a user; a descriptor, or a negative enum
 * err_code. A folder that another may write to is not used. */
int rec_mark_folder(const char *root, uid_t uid, struct err *err);

/* Calls `each` with a descriptor of every such folder that there is and with
 * its owner: those of `uid`, of every user where that is 0. Stops where it
 * returns non-zero and returns that. */
int rec_mark_folders(const char *root, uid_t uid,
		     int (*each)(void *ctx, int folder, uid_t owner),
		     void *ctx);

/* Calls `each` for the sockets of a folder, which are named "PID-RANDOM". */
int rec_mark_sockets(int folder,
		     int (*each)(void *ctx, const char *name, pid_t pid),
		     void *ctx);

/* A datagram socket connected to socket `name` of `owner`. A negative errno
 * where that is not to be: -ECONNREFUSED is one whose recorder died. */
int rec_mark_connect(int folder, const char *name, uid_t owner);

#endif
