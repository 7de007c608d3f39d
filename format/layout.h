/* Every magic, size, number and limit of spec/format.md, and nowhere else. */
#ifndef FORMAT_LAYOUT_H
#define FORMAT_LAYOUT_H

#include <stdint.h>

#define TF_MAGIC "\x89" "CTR\r\n\x1a\n"
#define TF_MAGIC_SIZE 8
#define TF_MAJOR 1
#define TF_MINOR 0

#define TF_FILE_HEADER_SIZE 64
#define TF_CHUNK_HEADER_SIZE 80
#define TF_SYNC "CHNK"
#define TF_SYNC_SIZE 4
#define TF_FILE_ID_SIZE 16
#define TF_ALIGN 8u

/* Feature bits of the file header that this version knows: none. */
#define TF_INCOMPAT_KNOWN 0u

enum tf_chunk_type {
	TF_CHUNK_SCHEMA = 1,
	TF_CHUNK_DATA = 2,
	TF_CHUNK_INDEX = 4,
	TF_CHUNK_END = 5,
};

enum tf_chunk_flag {
	TF_CHUNK_CRITICAL = 1 << 0, /* do not know the type: stop */
	TF_CHUNK_PACKED = 1 << 1,   /* the body is one checked block */
};
#define TF_CHUNK_FLAGS_KNOWN (TF_CHUNK_CRITICAL | TF_CHUNK_PACKED)

enum tf_encoding {
	TF_ENC_PLANES = 0,
	TF_ENC_CONST = 1,
	/* 2: run lengths: kept free, a frame over a plane is as small */
	TF_ENC_DELTA = 3,
	TF_ENC_KDELTA = 4, /* DELTA against the last row of the same key */
	TF_ENC_DICT = 5,
	TF_ENC_KLAST = 6,  /* most often as in the last row of the same key */
	TF_ENC_LINK = 7,   /* KLAST by what another column was before */
	TF_ENC_BYTES = 8,
	TF_ENC_LIST = 9,
	TF_ENC_RISE = 10,  /* a line that rises by 1 a row, less something */
};

enum tf_codec {
	TF_CODEC_RAW = 0,
	TF_CODEC_ZSTD = 1,
};

enum tf_part_flag {
	TF_PART_TIMES = 1 << 0,     /* smallest and largest time follow */
	TF_PART_WATERMARK = 1 << 1, /* the watermark follows */
};
#define TF_PART_FLAGS_KNOWN (TF_PART_TIMES | TF_PART_WATERMARK)

enum tf_stats_flag {
	TF_STATS_RANGE = 1 << 0, /* exact smallest and largest value follow */
};
#define TF_STATS_KNOWN TF_STATS_RANGE

/* Limits that a reader enforces before it allocates. */
#define TF_MAX_FILE_HEADER (64u << 10)     /* bytes */
#define TF_MAX_ROWS (1u << 20)             /* rows of a part */
#define TF_MAX_PARTS 1024u                 /* parts of a chunk */
#define TF_MAX_DIRECTORY (1u << 20)        /* bytes */
#define TF_MAX_BODY (256u << 20)           /* bytes */
#define TF_MAX_PACKED (16u << 20)          /* raw bytes of a packed body */
#define TF_MAX_PART_MEMORY (192u << 20)    /* decoded bytes of the columns of
					    * one part that are asked for */
#define TF_MAX_SCHEMA_MEMORY (64u << 20)   /* bytes of all tables of a file */
#define TF_MAX_COLUMNS 1024u               /* columns of a table */
#define TF_MAX_TABLES 65536u               /* tables of a file */
#define TF_MAX_STREAMS 20u                 /* streams of a column */
#define TF_MAX_BYTES_STREAM (64u << 20)    /* raw bytes of one BYTES stream */
#define TF_MAX_KEYS (1u << 20)             /* combinations of two key columns */
#define TF_MAX_STRING (64u << 10)          /* bytes of one name or string */
#define TF_MAX_LIST_ITEMS (1u << 24)       /* items of a LIST column in a part */
#define TF_MAX_STACK_DEPTH 4096u
#define TF_MAX_OPEN_EPOCHS 16u             /* whose chunks may alternate */
#define TF_MAX_DEFINITIONS (1u << 26)      /* rows of a definition table in an
					    * epoch */

/* The writer's habits; a reader does not depend on them. */
#define TF_PART_ROWS 16384u                /* rows before a builder leaves */
#define TF_PART_RAW_BYTES (4u << 20)       /* or this many raw bytes */
#define TF_PACK_LIMIT (16u << 10)          /* raw body up to which a chunk is
					    * packed into one block */
#define TF_SCHEMA_EVERY (64ull << 20)      /* bytes between schema repeats */
#define TF_ZSTD_LEVEL 1
#define TF_ZSTD_THOROUGH 5                 /* texts and packed chunks */

#endif
