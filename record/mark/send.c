#include "record/mark/send.h"

#include "record/mark/place.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define PATIENCE_S 2

struct sending {
	struct buf bytes;
	pid_t only;
	int folder;
	uid_t owner;
	struct rec_mark_sent *sent;
};

static int send_to(const struct sending *s, int fd)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };

	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience,
			 sizeof(patience));
	if (send(fd, s->bytes.p, s->bytes.n, MSG_NOSIGNAL) < 0)
		return errno;
	return 0;
}

/* What a killed recorder left is no recording. */
static int to_socket(void *ctx, const char *name, pid_t pid)
{
	struct sending *s = ctx;
	int fd, errnum;

	if (s->only && s->only != pid)
		return 0;
	fd = rec_mark_connect(s->folder, name, s->owner);
	errnum = fd < 0 ? -fd : send_to(s, fd);
	if (fd >= 0)
		close(fd);
	if (errnum == 0) {
		s->sent->taken++;
	} else if (errnum == EAGAIN) {
		s->sent->busy++;
	} else if (errnum != ECONNREFUSED && errnum != ENOENT) {
		s->sent->refused++;
		s->sent->errnum = errnum;
	}
	return 0;
}

static int to_folder(void *ctx, int folder, uid_t owner)
{
	struct sending *s = ctx;

	s->folder = folder;
	s->owner = owner;
	return rec_mark_sockets(folder, to_socket, s);
}

int rec_mark_send(const char *root, uid_t uid, pid_t pid,
		  const struct rec_mark *m, struct rec_mark_sent *out,
		  struct err *err)
{
	struct sending s = { .only = pid, .sent = out };
	int rc = 0;

	*out = (struct rec_mark_sent){ 0 };
	buf_init(&s.bytes, REC_MARK_DATAGRAM_MAX);
	rec_mark_encode(m, &s.bytes);
	if (buf_failed(&s.bytes))
		rc = err_nomem(err);
	else
		rc = rec_mark_folders(root, uid, to_folder, &s);
	buf_fini(&s.bytes);
	return rc;
}
