#include "record/symbol/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int rec_outbox_init(struct rec_outbox *o, size_t max_size, struct err *err)
{
	*o = (struct rec_outbox){
		.max_wants = max_size / sizeof(*o->wants) + 1,
	};
	buf_init(&o->message, REC_WIRE_MAX_REQUEST);
	o->wants = calloc(o->max_wants, sizeof(*o->wants));
	if (!o->wants || !buf_room(&o->message, REC_WIRE_MAX_REQUEST)) {
		rec_outbox_fini(o);
		return err_nomem(err);
	}
	return 0;
}

static struct rec_outbox_image *image_at(struct rec_outbox *o, size_t i)
{
	return &o->images[(o->first_image + i) % REC_OUTBOX_MAX_IMAGES];
}

static void close_files(struct rec_outbox_image *im)
{
	for (size_t i = 0; i < 2; i++) {
		if (im->fds[i] >= 0)
			close(im->fds[i]);
		im->fds[i] = -1;
	}
}

void rec_outbox_clear(struct rec_outbox *o)
{
	for (size_t i = 0; i < o->n_images; i++)
		close_files(image_at(o, i));
	o->n_images = 0;
	o->n_wants = 0;
	o->forget = false;
}

void rec_outbox_fini(struct rec_outbox *o)
{
	rec_outbox_clear(o);
	for (size_t i = 0; i < REC_OUTBOX_MAX_IMAGES; i++)
		buf_fini(&o->images[i].message);
	buf_fini(&o->message);
	free(o->wants);
	o->wants = NULL;
}

bool rec_outbox_is_full(const struct rec_outbox *o)
{
	return o->n_images == REC_OUTBOX_MAX_IMAGES;
}

int rec_outbox_put_image(struct rec_outbox *o,
			 const struct rec_symbol_image *image, int fd,
			 int debug_fd, struct err *err)
{
	struct rec_outbox_image *im = image_at(o, o->n_images);

	im->fds[0] = fd;
	im->fds[1] = debug_fd;
	buf_clear(&im->message);
	rec_wire_put_image(&im->message, image);
	if (buf_failed(&im->message)) {
		close_files(im);
		return err_nomem(err);
	}
	o->n_images++;
	return 0;
}

bool rec_outbox_put_want(struct rec_outbox *o, struct rec_want want)
{
	bool full = o->n_wants == o->max_wants;

	if (full) {
		o->first_want = (o->first_want + 1) % o->max_wants;
		o->n_wants--;
	}
	o->wants[(o->first_want + o->n_wants) % o->max_wants] = want;
	o->n_wants++;
	return !full;
}

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(2 * sizeof(int))];
};

static void attach_files(struct msghdr *m, union control *control,
			 const struct rec_outbox_image *im)
{
	size_t size = (im->fds[1] >= 0 ? 2 : 1) * sizeof(int);

	m->msg_control = control;
	m->msg_controllen = CMSG_SPACE(size);
	control->head.cmsg_level = SOL_SOCKET;
	control->head.cmsg_type = SCM_RIGHTS;
	control->head.cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(&control->head), im->fds, size);
}

/* 1: not now. */
static int send_message(int socket, const struct buf *message,
			const struct rec_outbox_image *files)
{
	union control control = { 0 };
	struct iovec v = { message->p, message->n };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	if (files && files->fds[0] >= 0)
		attach_files(&m, &control, files);
	if (sendmsg(socket, &m, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return 0;
	if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN)
		return ERR_CLOSED;
	return 1;
}

int rec_outbox_send_forget(struct rec_outbox *o, int socket)
{
	int rc;

	if (!o->forget)
		return 0;
	buf_clear(&o->message);
	rec_wire_put_forget(&o->message);
	rc = send_message(socket, &o->message, NULL);
	o->forget = rc != 0;
	return rc;
}

int rec_outbox_send_images(struct rec_outbox *o, int socket)
{
	while (o->n_images) {
		struct rec_outbox_image *im = image_at(o, 0);
		int rc = send_message(socket, &im->message, im);

		if (rc)
			return rc;
		close_files(im);
		o->first_image = (o->first_image + 1) % REC_OUTBOX_MAX_IMAGES;
		o->n_images--;
	}
	return 0;
}

static size_t fill_message(struct rec_outbox *o)
{
	size_t n = o->n_wants < REC_WIRE_MAX_WANTS ? o->n_wants :
						     REC_WIRE_MAX_WANTS;

	buf_clear(&o->message);
	rec_wire_put_wants(&o->message);
	for (size_t i = 0; i < n; i++)
		rec_wire_put_want(&o->message,
				  o->wants[(o->first_want + i) % o->max_wants]);
	return n;
}

int rec_outbox_send_wants(struct rec_outbox *o, int socket, size_t *n)
{
	size_t all = fill_message(o);
	int rc = all ? send_message(socket, &o->message, NULL) : 0;

	*n = rc ? 0 : all;
	if (rc)
		return rc;
	o->n_wants -= all;
	/* An empty ring begins anew, to stay within few pages. */
	o->first_want = o->n_wants ? (o->first_want + all) % o->max_wants : 0;
	return o->n_wants ? 1 : 0;
}
