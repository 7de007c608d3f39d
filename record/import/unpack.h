/* Compressed bytes made plain: gzip, xz and zstd, of one stream or of several
 * one behind another. Memory is bounded, whatever the stream asks for. */
#ifndef RECORD_IMPORT_UNPACK_H
#define RECORD_IMPORT_UNPACK_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_unpack;

/* What of a step is done: `in` is used up from its front, `out` filled. */
struct rec_unpack_step {
	struct span in;
	bool last;     /* nothing comes behind `in` */
	uint8_t *out;
	size_t room;
	size_t made;   /* bytes put to `out` */
};

struct rec_unpack_kind {
	const char *name; /* "gzip" */
	bool (*is)(struct span head);
	int (*begin)(struct rec_unpack *u, struct err *err);
	/* 0: go on; 1: the stream has ended here. *why is set on failure. */
	int (*step)(struct rec_unpack *u, struct rec_unpack_step *s,
		    const char **why);
	void (*end)(struct rec_unpack *u);
};

#define REC_UNPACK_HEAD 6u /* bytes that tell the kind */

/* *out is NULL where `head` begins nothing that is compressed. */
int rec_unpack_new(struct rec_unpack **out, struct span head, struct err *err);
void rec_unpack_free(struct rec_unpack *u); /* NULL is fine */

const char *rec_unpack_name(const struct rec_unpack *u);

/* Makes some progress, or says that it needs more input (made 0, in used up). 1:
 * that was all. A failure has the cause only. */
int rec_unpack_step(struct rec_unpack *u, struct rec_unpack_step *s,
		    struct err *err);

#endif
