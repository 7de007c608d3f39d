/* A chunk while it is read: its checked header and directory, and its body on
 * demand. */
#ifndef FORMAT_CHUNK_H
#define FORMAT_CHUNK_H

#include "format/body.h"
#include "format/directory.h"
#include "format/head.h"

struct tf_chunk {
	struct tf_source *source;
	const uint8_t *file_id;
	struct tf_head head;
	struct buf bytes; /* header and directory, and what was read along */
	struct tf_directory start, walk;
	struct tf_body body;
};

/* `source` and `file_id` must outlive it. */
int tf_chunk_init(struct tf_chunk *c, struct tf_source *source,
		  const uint8_t file_id[TF_FILE_ID_SIZE], struct err *err);
void tf_chunk_fini(struct tf_chunk *c); /* a zeroed one is fine */

/* Reads header and directory of the chunk at `offset` and checks them. */
int tf_chunk_load(struct tf_chunk *c, uint64_t offset, struct err *err);

/* DATA and INDEX: goes to the first part, after the whole directory has been
 * checked against the body. Then next: 0 a part, 1 no more. */
int tf_chunk_begin(struct tf_chunk *c, struct err *err);
int tf_chunk_next(struct tf_chunk *c, struct tf_part *out, struct err *err);

/* SCHEMA: the bytes of its body; they live until the next load. */
int tf_chunk_content(struct tf_chunk *c, struct span *out, struct err *err);

/* The directory as stored. */
struct span tf_chunk_directory(const struct tf_chunk *c);

#endif
