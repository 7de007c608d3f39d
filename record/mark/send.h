/* Says a mark into running recordings. */
#ifndef RECORD_MARK_SEND_H
#define RECORD_MARK_SEND_H

#include "record/mark/mark.h"

#include <sys/types.h>

struct rec_mark_sent {
	size_t taken;   /* recordings that have it */
	size_t busy;    /* whose queue stayed full */
	size_t refused; /* that could not be reached for another reason */
	int errnum;     /* the last such reason */
};

/* Into the recordings that `uid` may reach: its own, all where it is 0; only
 * the one of recorder `pid` unless that is 0. Waits for a full queue a little.
 * The text has been checked. */
int rec_mark_send(const char *root, uid_t uid, pid_t pid,
		  const struct rec_mark *m, struct rec_mark_sent *out,
		  struct err *err);

#endif
