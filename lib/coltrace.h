/* libcoltrace reads coltrace traces: the tables of a .ctr file, column by
 * column. What tables and columns there are is said in tables.md, how they
 * become bytes in format.md, and what is promised between versions in
 * compat.md, all in the folder `spec` of the source.
 *
 * Units. Times are nanoseconds of the recorded machine's CLOCK_MONOTONIC,
 * sizes are bytes; other columns state their unit.
 *
 * Errors. A function that can fail returns 0 (done), 1 (an expected end: no
 * more rows, not there) or a negative enum ct_code, and then puts the code and
 * a text for people into *error, which may be NULL. Nothing is printed,
 * nothing ends the process, and on failure outputs are as they were. Files are
 * not trusted: whatever is in one, the worst is a failure or a wrong number.
 *
 * Ownership. What a ..._new() or ct_open...() gives is released by its
 * ..._free() or ct_close(), which accept NULL; a trace outlives its cursors
 * and lookups. All other pointers belong to the library and live as long as is
 * said where they are given.
 *
 * Threads. There is no global state. An open trace is never changed: any
 * number of threads may use it at once. A cursor or a lookup, and what they
 * give, belongs to one thread at a time.
 *
 * Versions. Structs that the library gives by pointer (ct_info, ct_gap,
 * ct_table, ct_column) may grow at their end: do not copy them or make arrays
 * of them. Numbers that come from a file (types, kinds, roles ...) may be ones
 * that this header does not list. */
#ifndef COLTRACE_H
#define COLTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ct_code {
	CT_ERR_IO = -1,          /* the system refused: open, read */
	CT_ERR_FORMAT = -2,      /* not a trace, or damaged */
	CT_ERR_LIMIT = -3,       /* sound, but more than this library takes */
	CT_ERR_NOMEM = -4,
	CT_ERR_USAGE = -5,       /* the caller is wrong */
	CT_ERR_UNSUPPORTED = -6, /* sound, but this build cannot */
	CT_ERR_DENIED = -7,      /* no permission */
	CT_ERR_NEWER = -8,       /* made by a version this one cannot read */
	CT_ERR_FULL = -9,        /* no room for the copy of a pipe */
	CT_ERR_CLOSED = -10      /* the other end of a pipe is gone */
};

struct ct_error {
	int code; /* 0 or an enum ct_code */
	char text[1000];
};

#define CT_VERSION "0.1.0" /* of this header */

/* Of the library that is there when the program runs. */
const char *ct_version(void);

/* -- A trace ---------------------------------------------------------------*/

struct ct_trace;

/* Opens a file as it is now: what is appended later is not seen. A pipe is
 * copied to its end first, into an unlinked file in $TMPDIR or /var/tmp. A
 * trace that was cut off or that is damaged is opened as far as it goes;
 * ct_info says how it ended, ct_trace_gap() what is no chunk of it. */
int ct_open(struct ct_trace **out, const char *path, struct ct_error *error);

/* The same from a descriptor, which stays the caller's: it is duplicated. The
 * position of a file does not matter and does not change. */
int ct_open_fd(struct ct_trace **out, int fd, struct ct_error *error);

/* The same from memory that the caller keeps until ct_close(). */
int ct_open_memory(struct ct_trace **out, const void *bytes, size_t size,
		   struct ct_error *error);

/* The same through functions of the caller. The struct is copied. */
struct ct_io {
	/* Puts the `size` bytes at `offset` into `to`; they lie before the end.
	 * 0: done, anything else: failed. Called by several threads at once if
	 * the trace is used by several. */
	int (*read)(void *context, void *to, size_t size, uint64_t offset);
	/* NULL, or called by ct_close(); not when opening fails. */
	void (*close)(void *context);
	void *context;
	uint64_t size;    /* bytes there are */
	const char *name; /* for messages; NULL: none; copied */
};
int ct_open_io(struct ct_trace **out, const struct ct_io *io,
	       struct ct_error *error);

void ct_close(struct ct_trace *trace);

enum ct_ending {
	CT_CLOSED = 0,   /* whole */
	CT_UNCLOSED = 1, /* whole chunks to the last byte, but no end: it is
			  * still written, or its recorder died */
	CT_CUT = 2,      /* an unfinished chunk follows the last one */
	CT_FOLLOWED = 3  /* whole, then something that is not part of it */
};

struct ct_info {
	uint32_t major, minor;  /* version of the file's format */
	uint8_t file_id[16];    /* random */
	uint64_t start_unix_ns; /* wall clock, from the Unix epoch */
	uint64_t size;          /* bytes of the file */
	uint64_t end;           /* where the trace ends in it */
	uint32_t ending;        /* enum ct_ending */
	bool another_follows;   /* CT_FOLLOWED: by what begins as a trace does*/
};

/* Lives as long as the trace. */
const struct ct_info *ct_trace_info(const struct ct_trace *trace);

/* A stretch of the file that is no sound chunk: its rows are lost. */
struct ct_gap {
	uint64_t offset, size;
	const char *why;
};

size_t ct_trace_gaps(const struct ct_trace *trace);
/* NULL: there is no gap i. Lives as long as the trace. */
const struct ct_gap *ct_trace_gap(const struct ct_trace *trace, size_t i);

/* Reads everything and checks everything: checksums, bounds, references,
 * order. Calls `report` (NULL: nothing) for each problem with its place in the
 * file, in file order. 0: the check was finished, and result->problems says
 * what it found; `result` may be NULL. */
struct ct_verify_result {
	uint64_t chunks, parts, rows, bytes, problems;
};
int ct_verify(const struct ct_trace *trace,
	      void (*report)(void *context, uint64_t offset, const char *what),
	      void *context, struct ct_verify_result *result,
	      struct ct_error *error);

/* -- Tables and columns ----------------------------------------------------*/

enum ct_kind {
	CT_DEFINITION = 1, /* a row's number in its epoch is its id */
	CT_EVENT = 2,      /* rows have a time */
	CT_INTERVAL = 3    /* rows have a begin and an end */
};

enum ct_type {
	CT_U64 = 1,
	CT_I64 = 2,
	CT_F64 = 3,
	CT_BOOL = 4,  /* 0 or 1 */
	CT_BYTES = 5, /* any number of bytes, zeros too */
	CT_REF = 6    /* id of a row of the table `ref_table`, same epoch */
};

enum ct_role {
	CT_ROLE_VALUE = 0,
	CT_ROLE_TIME = 1,
	CT_ROLE_ID = 2,     /* few distinct ones */
	CT_ROLE_SERIAL = 3, /* close to the row before */
	CT_ROLE_TEXT = 4,   /* bytes for people, most often UTF-8 */
	CT_ROLE_BLOB = 5    /* bytes for programs */
};

/* What a value may tell. One that is not listed here is the strictest. */
enum ct_privacy {
	CT_PRIVACY_NUMBER = 1,
	CT_PRIVACY_NAME = 2, /* of functions, threads, events */
	CT_PRIVACY_PATH = 3,
	CT_PRIVACY_ARGUMENT = 4,
	CT_PRIVACY_ADDRESS = 5,
	CT_PRIVACY_HOST = 6,
	CT_PRIVACY_CONTENT = 7 /* bytes of somebody's memory */
};

struct ct_table {
	uint32_t id;
	uint32_t kind; /* enum ct_kind */
	const char *name; /* "sample", "sched:sched_switch" */
	uint32_t n_columns;
};

struct ct_column {
	uint32_t id; /* unique in its table, ascending; not the position */
	uint32_t type; /* enum ct_type */
	bool list; /* a row holds any number of values of `type` */
	const char *name, *unit; /* unit: "ns", "bytes", "" ... */
	uint32_t ref_table; /* CT_REF: id of a table; else 0 */
	uint32_t role; /* enum ct_role */
	uint32_t privacy; /* enum ct_privacy */
};

/* The tables of this version and those that the file adds, by ascending id;
 * whether a table has rows, only reading tells. What is given lives as long as
 * the trace; NULL: there is no such thing. Of several tables of one name the
 * first is found. */
size_t ct_trace_tables(const struct ct_trace *trace);
const struct ct_table *ct_trace_table(const struct ct_trace *trace, size_t i);
const struct ct_table *ct_table_by_name(const struct ct_trace *trace,
					const char *name);
const struct ct_table *ct_table_by_id(const struct ct_trace *trace,
				      uint32_t id);

/* The column at a position below n_columns. NULL: there is none. */
const struct ct_column *ct_table_column(const struct ct_table *table,
					size_t position);
/* The position of a column, or -1. */
int ct_table_find(const struct ct_table *table, const char *name);

/* The smallest and the largest time of a table's rows, from as little of the
 * file as tells it. 1: it has no rows or no times. Damaged chunks are passed
 * over. */
int ct_table_times(const struct ct_trace *trace, const struct ct_table *table,
		   uint64_t *min, uint64_t *max, struct ct_error *error);

/* -- Rows ------------------------------------------------------------------*/

/* Walks the rows of a table in batches, in the order of the file: event rows
 * are nearly, but not quite, in the order of their times. Only what is asked
 * for is decoded. */
struct ct_cursor;

#define CT_TIME_MAX UINT64_MAX

/* `columns` are names, up to a NULL; NULL: all columns of the table. Of events
 * and intervals only rows with t_min <= time <= t_max are given, by the table's
 * first column of role time; a definition is never left out. A table that is
 * NULL and a column that is not there are CT_ERR_USAGE. */
int ct_cursor_new(struct ct_cursor **out, const struct ct_trace *trace,
		  const struct ct_table *table, const char *const *columns,
		  uint64_t t_min, uint64_t t_max, struct ct_error *error);
void ct_cursor_free(struct ct_cursor *cursor);

struct ct_batch;

/* 0: *out is the next batch, of one row or more, and lives until the next
 * call. 1: no more. Negative: the rows of one place of the file could not be
 * read, the error says which; the next call goes on behind it. Every row is
 * given once or its loss is told. */
int ct_cursor_next(struct ct_cursor *cursor, const struct ct_batch **out,
		   struct ct_error *error);

uint32_t ct_batch_rows(const struct ct_batch *batch);
/* To which references of its rows belong. */
uint32_t ct_batch_epoch(const struct ct_batch *batch);
/* Definitions: the id of the first row; those of the others follow it. */
uint64_t ct_batch_first_id(const struct ct_batch *batch);

/* The values of column `i`, counted in `columns` of ct_cursor_new(): one a row.
 * Of a list: those of all rows one behind another, see ct_batch_offsets(). NULL
 * where the column is of another type, and where these rows lack the column or
 * have it in an encoding of a later version: ct_batch_has() tells these apart.
 * ct_batch_u64() is for CT_U64, CT_BOOL and CT_REF. */
bool ct_batch_has(const struct ct_batch *batch, size_t i);
const uint64_t *ct_batch_u64(const struct ct_batch *batch, size_t i);
const int64_t *ct_batch_i64(const struct ct_batch *batch, size_t i);
const double *ct_batch_f64(const struct ct_batch *batch, size_t i);
/* CT_BYTES: the bytes of all rows one behind another. */
const uint8_t *ct_batch_bytes(const struct ct_batch *batch, size_t i);

/* Lists and CT_BYTES: rows + 1 numbers, ascending; the values of row r are
 * those from offsets[r] on, before offsets[r + 1]. NULL for others. */
const uint32_t *ct_batch_offsets(const struct ct_batch *batch, size_t i);

/* -- Definitions -----------------------------------------------------------*/

/* Finds rows of definitions by epoch and id. The tables that are asked for are
 * read once and kept, of the last epochs that were asked for and up to 256 MiB
 * in all. Definitions that are damaged are as if they were not there. */
struct ct_lookup;

int ct_lookup_new(struct ct_lookup **out, const struct ct_trace *trace,
		  struct ct_error *error);
void ct_lookup_free(struct ct_lookup *lookup);

/* A string. There is a zero byte behind its `size` bytes, which is not counted,
 * and there may be others among them. It lives until the lookup is asked for
 * another epoch. 1: it is not there. */
int ct_lookup_string(struct ct_lookup *lookup, uint32_t epoch, uint64_t id,
		     const char **text, size_t *size, struct ct_error *error);

/* The same for printing: "?" where there is none. A failure is "?", too, and
 * the first one is kept for ct_lookup_failure(). */
const char *ct_lookup_name(struct ct_lookup *lookup, uint32_t epoch,
			   uint64_t id);
/* 0: ct_lookup_name() never failed. */
int ct_lookup_failure(const struct ct_lookup *lookup, struct ct_error *error);

/* The value that row `id` of a definition has in the column at `position`: as
 * 64 bits where it is a number (of CT_I64 in two's complement, of CT_F64 the
 * IEEE 754 bits), as text where it is bytes or refers to a string. Lists, and
 * tables that are no definitions, are read by a cursor. 1: it is not there. */
int ct_lookup_u64(struct ct_lookup *lookup, const struct ct_table *table,
		  uint32_t epoch, uint64_t id, size_t position, uint64_t *out,
		  struct ct_error *error);
int ct_lookup_text(struct ct_lookup *lookup, const struct ct_table *table,
		   uint32_t epoch, uint64_t id, size_t position,
		   const char **text, size_t *size, struct ct_error *error);

/* What is known about the machine and the recording, as text: tables.md lists
 * the keys, and those of which there may be several values; this is the last one.
 * 1: it is not known. Lives as long as the lookup. */
int ct_fact(struct ct_lookup *lookup, const char *key, const char **value,
	    struct ct_error *error);
/* The facts one by one, in the order in which their keys were first written, or
 * each of their values. 1: there is no fact i. */
int ct_fact_at(struct ct_lookup *lookup, size_t i, const char **key,
	       const char **value, struct ct_error *error);

#ifdef __cplusplus
}
#endif

#endif
