/* The directory of a DATA or INDEX chunk: which parts, which columns of them,
 * which streams, and where in the body each lies. */
#ifndef FORMAT_DIRECTORY_H
#define FORMAT_DIRECTORY_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "format/head.h"
#include "format/layout.h"

#include <stdbool.h>
#include <stdint.h>

/* A block of bytes as stored: a stream, or a whole packed body. */
struct tf_stored {
	uint8_t codec;
	uint32_t raw;    /* bytes when decoded */
	uint32_t stored; /* bytes in the body; of a packed body's stream: raw */
	uint32_t crc;    /* of the stored bytes; of a packed body's stream: 0 */
	uint64_t at;     /* in the body; in the unpacked body where packed */
};

struct tf_entry { /* a column of a part */
	uint64_t column; /* id */
	unsigned n_streams;
	struct tf_stored streams[TF_MAX_STREAMS];
	struct span tail; /* statistics, encoding, parameters */
};

struct tf_part {
	uint32_t table;
	uint32_t rows;
	uint64_t base_row;
	uint8_t flags;
	uint64_t t_min, t_max; /* 0, 0: no times */
	uint64_t watermark;    /* 0: none */
	uint32_t n_columns;
	struct span columns; /* their entries */
	uint64_t at;         /* of its first stream */
	bool packed;
};

/* The parts of a directory, one after another. */
struct tf_directory {
	struct tf_stored body; /* of a packed chunk */
	bool packed;
	struct span in;  /* what was not taken yet */
	uint32_t left;   /* parts */
	uint64_t at;     /* of the next stream */
	uint64_t end;    /* of the streams */
};

/* `in` is the checked directory of the chunk behind `h`. */
int tf_directory_begin(struct tf_directory *d, const struct tf_head *h,
		       struct span in, struct err *err);

/* 0: *out is the next part, with all its stream lengths proved to be inside
 * the body; 1: no more, and nothing of directory or body is left over. */
int tf_directory_next(struct tf_directory *d, struct tf_part *out,
		      struct err *err);

/* Takes the next column of `p`, whose columns and at move on. 1: no more. */
int tf_part_next(struct tf_part *p, struct tf_entry *out, struct err *err);

/* Bytes that its streams take in the body, one behind another. */
uint64_t tf_entry_stored(const struct tf_entry *e);

/* codec, raw length, [stored length,] crc: the description of a block. */
int tf_stored_take(struct tf_stored *out, struct span *in, uint32_t stored,
		   uint64_t raw_limit, struct err *err);

#endif
