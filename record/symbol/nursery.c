#include "record/symbol/nursery.h"

#include "format/base/time.h"
#include "record/symbol/confine.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TO, FILE_ITSELF, DEBUG_FILE, FILES };

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(FILES * sizeof(int))];
};

/* -- In the nursery -------------------------------------------------------- */

/* 0: fds[0, *n) are the files, `id` what the file must have; 1: nobody will ask
 * any more. */
static int take_request(int socket, int fds[FILES], size_t *n, uint8_t *id,
			size_t *id_size)
{
	union control control;
	struct iovec v = { id, REC_ELF_MAX_BUILD_ID };
	struct msghdr m = {
		.msg_iov = &v,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	ssize_t size;

	do
		size = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	while (size < 0 && errno == EINTR);
	c = size > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return 1;
	*n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(c), *n * sizeof(int));
	*id_size = (size_t)size - 1;
	return *n < DEBUG_FILE; /* this process may open no more */
}

static int run_reader(const struct rec_loader *l, int socket,
		      const int fds[FILES], size_t n, struct span build_id)
{
	struct rec_elf_source source = {
		.fd = fds[FILE_ITSELF],
		.debug_fd = n > DEBUG_FILE ? fds[DEBUG_FILE] : -1,
		.build_id = build_id,
	};
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		close(socket);
		rec_loader_read(l, fds[TO], &source);
	}
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid < 0 ? SIGKILL : status;
}

static _Noreturn void serve(const struct rec_loader *l, int socket)
{
	uint8_t id[REC_ELF_MAX_BUILD_ID];
	int fds[FILES];
	size_t n, id_size;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (rec_confine_files(&socket, 1, NULL) < 0)
		_exit(1);
	while (!take_request(socket, fds, &n, id, &id_size)) {
		int status = run_reader(l, socket, fds, n,
					span_of(id + 1, id_size));

		if (send(socket, &status, sizeof(status), MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

/* -- Where it is asked ----------------------------------------------------- */

int rec_nursery_start(struct rec_nursery *n, const struct rec_loader *l,
		      struct err *err)
{
	int ends[2];

	*n = REC_NO_NURSERY;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(err, errno, "cannot start the nursery");
	n->pid = fork();
	if (n->pid == 0)
		serve(l, ends[1]);
	close(ends[1]);
	n->socket = ends[0];
	if (n->pid > 0)
		return 0;
	close(ends[0]);
	*n = REC_NO_NURSERY;
	return err_sys(err, errno, "cannot start the nursery");
}

void rec_nursery_end(struct rec_nursery *n)
{
	if (n->socket < 0)
		return;
	close(n->socket);
	kill(n->pid, SIGKILL);
	while (waitpid(n->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*n = REC_NO_NURSERY;
}

bool rec_nursery_ask(struct rec_nursery *n, int to,
		     const struct rec_elf_source *source)
{
	size_t n_files = source->debug_fd >= 0 ? FILES : FILES - 1;
	const int fds[FILES] = { to, source->fd, source->debug_fd };
	union control control = { 0 };
	uint8_t some = 0; /* a message without bytes is an end */
	struct iovec v[] = { { &some, 1 },
			     { (void *)source->build_id.p,
			       source->build_id.n } };
	struct msghdr m = {
		.msg_iov = v,
		.msg_iovlen = 2,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(n_files * sizeof(int)),
	};

	if (n->socket < 0 || source->fd < 0 ||
	    source->build_id.n >= REC_ELF_MAX_BUILD_ID)
		return false;
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(n_files * sizeof(int));
	memcpy(CMSG_DATA(&control.head), fds, n_files * sizeof(int));
	if (sendmsg(n->socket, &m, MSG_NOSIGNAL) >= 0)
		return true;
	rec_nursery_end(n);
	return false;
}

int rec_nursery_status(struct rec_nursery *n, uint64_t end, int *status,
		       struct err *err)
{
	uint64_t now = time_now_ns(CLOCK_MONOTONIC);
	uint64_t left = now < end ? end - now : 0;
	struct timespec wait = { (time_t)(left / NSEC_PER_SEC),
				 (long)(left % NSEC_PER_SEC) };
	struct pollfd p = { .fd = n->socket, .events = POLLIN };
	int ready;

	do
		ready = ppoll(&p, 1, &wait, NULL);
	while (ready < 0 && errno == EINTR);
	if (ready > 0 && recv(n->socket, status, sizeof(*status),
			      MSG_DONTWAIT) == sizeof(*status))
		return 0;
	rec_nursery_end(n);
	return ready ? err_set(err, ERR_IO, "its reader is gone") :
		       err_set(err, ERR_LIMIT, "reading it takes too long");
}
