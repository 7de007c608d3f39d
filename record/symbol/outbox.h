/* Requests that wait to be sent to the symbolizer: images, which go first, and
 * addresses. Sending never blocks; waiting addresses are bounded. */
#ifndef RECORD_SYMBOL_OUTBOX_H
#define RECORD_SYMBOL_OUTBOX_H

#include "format/base/err.h"
#include "record/symbol/wire.h"

#include <stdbool.h>
#include <stddef.h>

#define REC_OUTBOX_MAX_IMAGES 256 /* each with its files open */

struct rec_outbox_image {
	struct buf message;
	int fds[2]; /* the file and its debug file, or -1 */
};

/* Both are rings. */
struct rec_outbox {
	struct rec_outbox_image images[REC_OUTBOX_MAX_IMAGES];
	size_t first_image, n_images;
	struct rec_want *wants;
	size_t max_wants, first_want, n_wants;
	struct buf message; /* addresses about to be sent */
	bool forget;        /* that is to be sent before all others */
};

/* For `max_size` bytes of addresses. A zeroed outbox can be released. */
int rec_outbox_init(struct rec_outbox *o, size_t max_size, struct err *err);
void rec_outbox_fini(struct rec_outbox *o);

/* Forgets all that waits, and closes the files. */
void rec_outbox_clear(struct rec_outbox *o);

/* Takes the files over, also on failure. There must be room. */
bool rec_outbox_is_full(const struct rec_outbox *o);
int rec_outbox_put_image(struct rec_outbox *o,
			 const struct rec_symbol_image *image, int fd,
			 int debug_fd, struct err *err);

/* false: the oldest one was dropped for it. */
bool rec_outbox_put_want(struct rec_outbox *o, struct rec_want want);

/* Each sends what the socket takes: 0: all, 1: not all, ERR_CLOSED: nobody is
 * there. Only after one has sent all may the next be called.
 * rec_outbox_send_wants() sends one message and says how many addresses
 * were in it. */
int rec_outbox_send_forget(struct rec_outbox *o, int socket);
int rec_outbox_send_images(struct rec_outbox *o, int socket);
int rec_outbox_send_wants(struct rec_outbox *o, int socket, size_t *n);

#endif
