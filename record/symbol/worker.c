#include "record/symbol/worker.h"

#include "record/symbol/confine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* CPU time for the addresses of one message: they take a millisecond, the first
 * of a large image a second; only a name made to be expensive takes longer. */
#define MESSAGE_CPU_SECONDS 60

struct worker {
	int socket;
	struct rec_known *images;
	struct buf out;
	uint8_t in[REC_WIRE_MAX_REQUEST];
};

/* The other side reads whenever it has time; until then this waits. */
static int flush(struct worker *w, struct err *err)
{
	ssize_t n;

	if (buf_failed(&w->out))
		return err_nomem(err);
	do
		n = send(w->socket, w->out.p, w->out.n, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_sys(err, errno, "cannot answer");
	buf_clear(&w->out);
	return 0;
}

struct tally {
	uint32_t done, lost;
};

static void answer_want(struct worker *w, struct rec_want want,
			struct tally *tally)
{
	size_t before = w->out.n;

	if (rec_known_ask(w->images, want, &w->out, NULL) < 0) {
		w->out.n = before;
		w->out.failed = false;
		tally->lost++;
	} else {
		tally->done++;
	}
}

static int answer_wants(struct worker *w, struct span wants, struct err *err)
{
	struct tally tally = { 0 };
	struct rec_want want;
	int rc = 0;

	while (!rc && rec_wire_take_want(&wants, &want)) {
		answer_want(w, want, &tally);
		if (w->out.n < REC_WIRE_BATCH)
			continue;
		rec_wire_put_done(&w->out, tally.done, tally.lost);
		tally = (struct tally){ 0 };
		rc = flush(w, err);
	}
	if (rc < 0)
		return rc;
	rec_wire_put_done(&w->out, tally.done, tally.lost);
	return flush(w, err);
}

struct files {
	int file, debug;
};

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* An image that finds no room costs its addresses, which are then lost. */
static int take_message(struct worker *w, struct span message,
			struct files files, struct err *err)
{
	struct rec_request request;
	int rc = rec_wire_take_request(&request, message, err);

	if (!rc && request.type == REC_REQUEST_IMAGE) {
		rec_known_add(w->images, &request.image, files.file,
			      files.debug, NULL);
		return 0;
	}
	close_if(files.file);
	close_if(files.debug);
	if (rc < 0)
		return rc;
	if (request.type == REC_REQUEST_FORGET) {
		rec_known_forget(w->images);
		return 0;
	}
	rec_confine_cpu(MESSAGE_CPU_SECONDS);
	return answer_wants(w, request.wants, err);
}

/* One or two; fewer where this process may not open more. */
static struct files received_files(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	struct files files = { -1, -1 };

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return files;
	if (c->cmsg_len >= CMSG_LEN(sizeof(int)))
		memcpy(&files.file, CMSG_DATA(c), sizeof(int));
	if (c->cmsg_len >= CMSG_LEN(2 * sizeof(int)))
		memcpy(&files.debug, CMSG_DATA(c) + sizeof(int), sizeof(int));
	return files;
}

/* 1: the other end was closed. */
static int take_one(struct worker *w, struct err *err)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct iovec v = { w->in, sizeof(w->in) };
	struct msghdr m = {
		.msg_iov = &v,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(w->socket, &m, MSG_CMSG_CLOEXEC);

	if (n < 0)
		return errno == EINTR ? 0 :
		       err_sys(err, errno, "cannot take requests");
	if (n == 0)
		return 1;
	return take_message(w, span_of(w->in, (size_t)n), received_files(&m),
			    err);
}

int rec_worker_serve(int socket, struct rec_known *images, struct err *err)
{
	struct worker *w = calloc(1, sizeof(*w));
	int rc = 0;

	if (!w)
		return err_nomem(err);
	w->socket = socket;
	w->images = images;
	buf_init(&w->out, 0);
	while (!rc)
		rc = take_one(w, err);
	buf_fini(&w->out);
	free(w);
	return rc < 0 ? rc : 0;
}

static void say_rights(int socket)
{
	struct buf out;

	buf_init(&out, 0);
	rec_wire_put_trouble(&out, REC_WIRE_NO_KEY,
			     "it runs as root: there is no other user here");
	send(socket, out.p, out.n, MSG_NOSIGNAL);
	buf_fini(&out);
}

_Noreturn void rec_worker_main(const struct rec_worker_files *files)
{
	int keep[] = { files->socket, files->images.kallsyms,
		       files->images.modules, files->images.notes };
	struct rec_known images;
	int rc;

	prctl(PR_SET_NAME, "rec-symbols");
	rc = rec_confine_files(keep, sizeof(keep) / sizeof(*keep), NULL);
	if (!rc)
		rc = rec_confine_rights(NULL);
	if (rc < 0)
		_exit(1);
	rec_known_init(&images, &(struct rec_known_files){
		keep[1], keep[2], keep[3] });
	/* Without it readers are forked here. */
	(void)rec_nursery_start(&images.nursery, images.loader, NULL);
	if (rc > 0)
		say_rights(keep[0]);
	rc = rec_worker_serve(keep[0], &images, NULL);
	rec_nursery_end(&images.nursery);
	_exit(rc < 0 ? 1 : 0);
}
