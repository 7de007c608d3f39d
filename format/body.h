/* The body of a chunk that is being read: hands out checked, decompressed
 * streams. */
#ifndef FORMAT_BODY_H
#define FORMAT_BODY_H

#include "format/base/buf.h"
#include "format/directory.h"
#include "format/io.h"
#include "format/zblock.h"

struct tf_body {
	struct tf_source *source;
	struct tf_zunpack *unpack;
	uint64_t at;       /* of the body in the file */
	bool packed;
	bool unpacked;     /* a packed body is in `plain` */
	struct tf_stored block; /* of a packed body */
	struct buf stored; /* bytes as in the file: of some columns, or all */
	uint64_t stored_at; /* of the first of them in the body */
	struct buf plain;  /* decoded: some streams, or a whole packed body */
};

int tf_body_init(struct tf_body *b, struct tf_source *source,
		 struct err *err);
void tf_body_fini(struct tf_body *b); /* a zeroed one is fine */

/* Moves to the body at `at`; reads nothing yet. */
void tf_body_begin(struct tf_body *b, uint64_t at,
		   const struct tf_directory *d);

/* Decodes a packed body, if this is one and it is not done yet. */
int tf_body_unpack(struct tf_body *b, struct err *err);

/* Whether the n stored bytes at `at` are there. */
bool tf_body_has(const struct tf_body *b, uint64_t at, uint64_t n);

/* Reads n stored bytes at `at`, of one column or of several. A packed body is
 * there as a whole. */
int tf_body_load(struct tf_body *b, uint64_t at, uint64_t n, struct err *err);

/* The raw bytes of the streams first .. first + n - 1 of the loaded column; they
 * live until the next call. */
int tf_body_streams(struct tf_body *b, const struct tf_entry *e, unsigned first,
		    unsigned n, struct span *out, struct err *err);

#endif
