/* A chunk while it is made: rows of builders in, header, directory and body
 * out. */
#ifndef FORMAT_BATCH_H
#define FORMAT_BATCH_H

#include "format/encode.h"
#include "format/head.h"
#include "format/zblock.h"

#include <sys/uio.h>

struct tf_batch_column;
struct tf_batch_part;

struct tf_batch {
	struct tf_encoder enc;
	struct tf_zpack *pack;
	struct tf_zpack *thorough; /* for what is pressed harder */
	struct tf_batch_part *parts;
	size_t n_parts, parts_cap;
	struct tf_batch_column *columns; /* of all parts */
	size_t n_columns, columns_cap;
	struct buf directory, body, part, entry;
	uint8_t head[TF_CHUNK_HEADER_SIZE];
	uint8_t padding[TF_ALIGN]; /* zeros */
	/* Over all parts but those of definitions; t_min > t_max: none. */
	uint64_t t_min, t_max;
};

/* What tf_batch_seal() made; lives until the next clear. */
struct tf_sealed {
	struct iovec v[4];
	int n;
	uint64_t size;
};

int tf_batch_init(struct tf_batch *b, struct err *err);
void tf_batch_fini(struct tf_batch *b); /* a zeroed one is fine */
void tf_batch_clear(struct tf_batch *b); /* keeps the memory */

/* As tf_zpack_set_level(); what is worth it is pressed harder than low levels
 * do. TF_ZSTD_LEVEL at first. */
bool tf_batch_set_level(struct tf_batch *b, int level);

/* Encodes the rows of one builder, which has some and is not kept. */
int tf_batch_add(struct tf_batch *b, const struct tf_builder *from,
		 uint64_t base_row, struct err *err);

/* Makes the chunk. Of `h`, type, offset, seq and epoch are the caller's. */
int tf_batch_seal(struct tf_batch *b, struct tf_head *h,
		  const uint8_t file_id[TF_FILE_ID_SIZE],
		  struct tf_sealed *out, struct err *err);

/* The same for a SCHEMA chunk of these raw bytes, and for END. */
int tf_batch_seal_bytes(struct tf_batch *b, struct tf_head *h,
			const uint8_t file_id[TF_FILE_ID_SIZE],
			const struct buf *raw, struct tf_sealed *out,
			struct err *err);
void tf_batch_seal_end(struct tf_batch *b, const struct tf_head *h,
		       const uint8_t file_id[TF_FILE_ID_SIZE],
		       struct tf_sealed *out);

#endif
