/* Reads trace files. Trusts nothing in them. After opening, all calls on a
 * const reader are safe from several threads. */
#ifndef FORMAT_READER_H
#define FORMAT_READER_H

#include "format/io.h"
#include "format/layout.h"
#include "format/schema.h"

struct tf_reader;

/* Opens the trace behind `source`, which must outlive the reader. A missing
 * END is not a failure: chunks are found by hopping, and after damage by
 * searching for the next sound header. Refused with a message: not a trace
 * (ERR_FORMAT), a newer major or an unknown incompatible feature (ERR_NEWER),
 * an unknown critical chunk (ERR_NEWER). On failure *out is untouched. */
int tf_reader_open(struct tf_reader **out, struct tf_source *source,
		   struct err *err);
void tf_reader_free(struct tf_reader *r); /* NULL is fine */

struct tf_file_header {
	uint16_t major, minor;
	uint64_t incompatible, compatible;
	uint8_t file_id[TF_FILE_ID_SIZE];
	uint64_t start_unix_ns;
};
const struct tf_file_header *tf_reader_header(const struct tf_reader *r);

enum tf_ending {
	TF_CLOSED,     /* a valid END is the last thing in the file */
	TF_UNCLOSED,   /* whole chunks to the last byte, but no END */
	TF_CUT,        /* bytes of an unfinished chunk follow the last one */
	TF_FOLLOWED,   /* a valid END, then bytes that are not part of it */
};
enum tf_ending tf_reader_ending(const struct tf_reader *r);

/* Where the trace ends: at the end of the file, but for TF_FOLLOWED. */
uint64_t tf_reader_end(const struct tf_reader *r);
/* Whether what follows there begins as a trace does. */
bool tf_reader_another_follows(const struct tf_reader *r);

/* Whether what begins so can be a trace: for tf_source_open(). */
int tf_reader_check_front(struct span front, struct err *err);

/* A stretch of the file that is no sound chunk, with what is wrong there. The
 * tails of TF_CUT and TF_FOLLOWED are no gaps. */
struct tf_gap {
	uint64_t offset, size;
	const char *why; /* lives as long as the reader */
};
size_t tf_reader_gaps(const struct tf_reader *r, const struct tf_gap **out);

/* SCHEMA chunks that are damaged, by their numbers: of tables that only they tell
 * of no row is met. */
size_t tf_reader_unread(const struct tf_reader *r, const size_t **out);

struct tf_chunk_info {
	uint64_t offset, size; /* header to end of padding */
	uint64_t seq;
	uint32_t epoch;
	uint16_t type, flags;
	uint32_t parts;
	uint64_t t_min, t_max; /* of what is no definition; 0, 0: no times */
	uint64_t tables;       /* a bit for each table that it has parts of,
				* see tf_table_bit(); all set: not known */
};

/* Tables from 63 on share a bit. */
static inline uint64_t tf_table_bit(uint32_t table)
{
	return (uint64_t)1 << (table < 63 ? table : 63);
}

size_t tf_reader_chunks(const struct tf_reader *r);
const struct tf_chunk_info *tf_reader_chunk(const struct tf_reader *r,
					    size_t i);
uint64_t tf_reader_size(const struct tf_reader *r); /* of the file, bytes */

/* The catalog's tables, whatever the file says about them (a file that gives
 * one of their columns another type is refused), with further columns and
 * tables that the file announces. Positions in the catalog hold. */
const struct tf_schema *tf_reader_schema(const struct tf_reader *r);

/* A decoded column of a part. */
struct tf_values {
	bool present;        /* false: not asked for, not there, or skipped */
	bool skipped;        /* asked for and there, but of a type, encoding or
			      * codec that is not known here */
	uint64_t *v;         /* rows values; NULL for bytes and lists; columns
			      * of one and the same value may share them */
	uint32_t *offsets;   /* bytes and lists: rows + 1 offsets */
	const uint8_t *bytes; /* TF_BYTES: row i is offsets[i]..offsets[i+1] */
	uint64_t *items;     /* list items */
};

/* Rows of one table out of one chunk. Columns are by position in `table`. */
struct tf_view {
	const struct tf_table *table;
	size_t chunk;        /* index of its chunk */
	uint32_t epoch;
	uint32_t rows;
	uint64_t base_row;   /* definition tables: the id of row 0 */
	uint64_t t_min, t_max; /* 0, 0: no times */
	uint64_t watermark;
	struct tf_values *columns;
	struct tf_scratch *scratch; /* the memory behind it */
};

struct span tf_view_bytes(const struct tf_view *v, unsigned column,
			  uint32_t row);

/* The times of the first and the last row of n tables (ascending), from the
 * directories of as few chunks as tell it; 1: there are none. Damaged chunks
 * are passed over. */
int tf_reader_bounds(const struct tf_reader *r, const uint32_t *tables,
		     size_t n, uint64_t *t_min, uint64_t *t_max,
		     struct err *err);

/* Which chunks were loaded so far, by anyone. */
size_t tf_reader_loaded(const struct tf_reader *r);

/* Leaves out the parts that say of a column of unsigned numbers or references
 * that its values are all from min to max, both included, where `any` says that
 * no such value is wanted. Of the other parts all rows come. */
struct tf_only {
	unsigned column; /* position in the table */
	bool (*any)(const void *ctx, uint32_t epoch, uint64_t min,
		    uint64_t max);
	const void *ctx; /* outlives the cursor */
};
#define TF_MAX_ONLY 4
/* Instead of a position: the numbers of the part's rows. */
#define TF_ONLY_ROWS UINT32_MAX

/* Walks the parts of one table in file order. */
struct tf_cursor;

struct tf_query {
	uint32_t table;
	uint64_t columns;       /* bit i: decode the column at position i (of
				 * the first 64; later ones are always decoded)*/
	uint64_t t_min, t_max;  /* only parts that touch this; 0, UINT64_MAX
				 * for all; t_max 0 is no limit, too. Parts
				 * without times are never left out */
	struct tf_only only[TF_MAX_ONLY]; /* up to the first without `any` */
	/* NULL, or says of a chunk, by its number, whether it is looked at. */
	bool (*chunk)(const void *ctx, size_t i, const struct tf_chunk_info *c);
	const void *chunk_ctx; /* outlives the cursor */
};

int tf_cursor_new(struct tf_cursor **out, const struct tf_reader *r,
		  const struct tf_query *q, struct err *err);

/* The same over the parts of n tables: each chunk is loaded once. The queries
 * are in ascending order of their tables. */
int tf_cursor_new_many(struct tf_cursor **out, const struct tf_reader *r,
		       const struct tf_query *q, size_t n, struct err *err);

/* 0: *out is the next part and lives until the next call; 1: no more;
 * negative: this part is damaged, `err` says where; the next call goes on
 * behind it. Rows beyond a cap or of a skipped encoding are never invented. */
int tf_cursor_next(struct tf_cursor *c, const struct tf_view **out,
		   struct err *err);
void tf_cursor_free(struct tf_cursor *c); /* NULL is fine */

/* A part, for somebody who decodes it later or elsewhere. */
struct tf_place {
	size_t chunk;
	uint32_t part;  /* of the chunk, from 0 on */
	uint32_t table, epoch, rows;
	uint64_t t_min; /* 0: no times */
	size_t size;    /* bytes that its columns will take */
};

/* As tf_cursor_next(), but only tells where the part is: of a chunk that is not
 * looked into otherwise, no more than its directory is read. */
int tf_cursor_find(struct tf_cursor *c, struct tf_place *out, struct err *err);

/* Decodes a part that a cursor of the same queries found; any order is fine,
 * one behind another in a chunk is fastest. */
int tf_cursor_at(struct tf_cursor *c, const struct tf_place *place,
		 const struct tf_view **out, struct err *err);

/* The chunk that the last part, or the last damage, was in. */
size_t tf_cursor_chunk(const struct tf_cursor *c);

#endif
