/* The images that the symbolizer was told of, and answers about them. An image
 * is read when the first address in it is asked for. */
#ifndef RECORD_SYMBOL_IMAGE_H
#define RECORD_SYMBOL_IMAGE_H

#include "format/base/arena.h"
#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/map64.h"
#include "record/symbol/kallsyms.h"
#include "record/symbol/loader.h"
#include "record/symbol/nursery.h"
#include "record/symbol/wire.h"

#include <stddef.h>
#include <stdint.h>

struct rec_known_image;

/* What rec opened while it had the right to; -1: it could not. */
struct rec_known_files {
	int kallsyms;
	int modules;
	int notes; /* /sys/kernel/notes */
};

struct rec_known {
	struct rec_known_files files;
	const struct rec_loader *loader;
	struct rec_nursery nursery; /* of those that it runs; none at first */
	struct map64 by_key;
	struct rec_known_image *items;
	size_t n;
	size_t cap;
	struct arena strings;
	struct rec_kallsyms kallsyms; /* read with the first kernel address */
	size_t reads_left;            /* of kallsyms, for later modules */
	struct buf name;              /* scratch: a readable name */
};

void rec_known_init(struct rec_known *s,
		     const struct rec_known_files *files);
void rec_known_fini(struct rec_known *s); /* leaves the files open */

/* Takes `fd` and that of a debug file (or -1) over, also on failure. A key that
 * is known already is left as it is. */
int rec_known_add(struct rec_known *s, const struct rec_request_image *image,
		  int fd, int debug_fd, struct err *err);

/* Functions that were given count as not given from here on. */
void rec_known_forget(struct rec_known *s);

/* Appends the answers about an address: what reading the image brought, where
 * this is its first, and the function unless it was given before. ERR_NOMEM:
 * nothing is known about this address. */
int rec_known_ask(struct rec_known *s, struct rec_want want, struct buf *out,
		   struct err *err);

#endif
