#include "record/mark/socket.h"

#include "format/base/time.h"
#include "record/mark/place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A mark is read within a tick or so, unless the recorder was stopped. */
#define OLDEST_NS (600 * (uint64_t)NSEC_PER_SEC)

static int remove_dead(void *ctx, const char *name, pid_t pid)
{
	const struct rec_mark_socket *s = ctx;
	int fd = rec_mark_connect(s->folder, name, s->uid);

	(void)pid;
	if (fd == -ECONNREFUSED)
		(void)unlinkat(s->folder, name, 0);
	if (fd >= 0)
		close(fd);
	return 0;
}

/* Random beside the pid: recorders of several pid namespaces may share the
 * folder. */
static int choose_name(struct rec_mark_socket *s, struct err *err)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_sys(err, errno, "no random number");
	snprintf(s->name, sizeof(s->name), "%d-%016" PRIx64, getpid(), random);
	return 0;
}

static int bind_there(struct rec_mark_socket *s, struct err *err)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const int on = 1;
	int rc = choose_name(s, err);

	if (rc < 0)
		return rc;
	snprintf(at.sun_path, sizeof(at.sun_path), "/proc/self/fd/%d/%s",
		 s->folder, s->name);
	s->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The mode of the socket becomes that of its file. */
	if (s->fd < 0 || fchmod(s->fd, 0600) ||
	    setsockopt(s->fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ||
	    bind(s->fd, (struct sockaddr *)&at, sizeof(at))) {
		s->name[0] = '\0';
		return err_sys(err, errno, "no socket for marks");
	}
	return 0;
}

int rec_mark_socket_open(struct rec_mark_socket *s, const char *root,
			 struct err *err)
{
	int rc;

	*s = (struct rec_mark_socket){ .fd = -1, .folder = -1,
				       .uid = geteuid() };
	rc = rec_mark_folder(root, s->uid, err);
	if (rc < 0)
		return rc;
	s->folder = rc;
	(void)rec_mark_sockets(s->folder, remove_dead, s);
	rc = bind_there(s, err);
	if (rc < 0)
		rec_mark_socket_fini(s);
	return rc;
}

/* What else came along is none of ours: descriptors are not kept. */
static bool take_sender(struct msghdr *m, struct ucred *from)
{
	bool found = false;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS &&
		    c->cmsg_len == CMSG_LEN(sizeof(*from))) {
			memcpy(from, CMSG_DATA(c), sizeof(*from));
			found = true;
		}
		for (size_t at = CMSG_LEN(0); c->cmsg_type == SCM_RIGHTS &&
		     at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
			int fd;

			memcpy(&fd, (uint8_t *)c + at, sizeof(fd));
			close(fd);
		}
	}
	return found;
}

static bool is_trusted(const struct rec_mark_socket *s, const struct ucred *c)
{
	return c->uid == 0 || c->uid == s->uid;
}

/* 0: *out; 1: nothing there; ERR_FORMAT: nothing that is wanted. */
static int take_one(struct rec_mark_socket *s, struct rec_mark *out)
{
	union {
		struct cmsghdr align;
		uint8_t bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec io = { s->bytes, sizeof(s->bytes) };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	struct ucred from = { 0 };
	ssize_t n = recvmsg(s->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int rc;

	if (n < 0)
		return 1;
	if (!take_sender(&m, &from) || !is_trusted(s, &from) ||
	    (m.msg_flags & MSG_TRUNC))
		return ERR_FORMAT;
	rc = rec_mark_decode(span_of(s->bytes, (size_t)n), out, NULL);
	if (rc == 0)
		out->pid = (uint32_t)from.pid;
	return rc < 0 ? ERR_FORMAT : 0;
}

int rec_mark_socket_take(struct rec_mark_socket *s, struct rec_mark *out)
{
	uint64_t now;
	int rc;

	if (s->fd < 0)
		return 1;
	rc = take_one(s, out);
	if (rc < 0) {
		s->refused++;
		return rc;
	}
	now = time_now_ns(CLOCK_MONOTONIC);
	if (rc == 0 && (out->time > now || now - out->time > OLDEST_NS))
		out->time = now;
	return rc;
}

void rec_mark_socket_hide(struct rec_mark_socket *s)
{
	if (s->folder >= 0 && s->name[0])
		(void)unlinkat(s->folder, s->name, 0);
	s->name[0] = '\0';
}

void rec_mark_socket_fini(struct rec_mark_socket *s)
{
	rec_mark_socket_hide(s);
	if (s->fd >= 0)
		close(s->fd);
	if (s->folder >= 0)
		close(s->folder);
	s->fd = s->folder = -1;
}
