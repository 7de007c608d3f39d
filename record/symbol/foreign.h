/* Files that may name the code of a recording made elsewhere: only what has the
 * build-id that was recorded. */
#ifndef RECORD_SYMBOL_FOREIGN_H
#define RECORD_SYMBOL_FOREIGN_H

#include "record/state/images.h"
#include "record/state/kernel.h"

#include <stdbool.h>

struct rec_own;

/* This machine's kernel, read when it is first compared with. */
struct rec_foreign {
	const char *root;  /* prefix of /proc and /sys of this machine */
	const char *home;  /* where perf keeps copies: HOME/.debug; or NULL */
	const struct rec_kernel *kernel; /* the recorded one */
	struct rec_own *own; /* the names it brought along; NULL: none */
	struct rec_images images;
	struct rec_kernel here;
	bool read;
};

void rec_foreign_fini(struct rec_foreign *f); /* zeroed is fine */

/* The file of an image, or -1: at its own path, in perf's cache, or by its
 * build-id below /usr/lib/debug. */
int rec_foreign_open(const struct rec_foreign *f, const struct rec_image *im);

/* Whether the running kernel is, or has, the image; both have to lie where they
 * did when it was recorded. */
bool rec_foreign_is_here(struct rec_foreign *f, const struct rec_image *im);

#endif
