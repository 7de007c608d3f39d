/* The recorder's end of `rec mark`: a datagram socket in the folder of its
 * user. Only that user and root are listened to. */
#ifndef RECORD_MARK_SOCKET_H
#define RECORD_MARK_SOCKET_H

#include "format/base/err.h"
#include "record/mark/mark.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rec_mark_socket {
	int fd;            /* -1: there is none */
	int folder;
	uid_t uid;
	char name[40];     /* in the folder */
	uint64_t refused;  /* datagrams of strangers, or that are no mark */
	uint8_t bytes[REC_MARK_DATAGRAM_MAX];
};

/* Removes those that killed recorders left, too. On failure *s is as after
 * fini. */
int rec_mark_socket_open(struct rec_mark_socket *s, const char *root,
			 struct err *err);

/* Without waiting: 0, *out is the next mark and lives until the next call; 1:
 * there is none now; ERR_FORMAT: one came and was refused. A time that cannot
 * be (another time namespace has another clock) becomes that of its arrival. */
int rec_mark_socket_take(struct rec_mark_socket *s, struct rec_mark *out);

/* Nobody finds it any more; what was sent can still be taken. */
void rec_mark_socket_hide(struct rec_mark_socket *s);
void rec_mark_socket_fini(struct rec_mark_socket *s);

#endif
