/* Where the fields of a tracepoint's record lie, and which columns of its table
 * hold them. From the text of its format file, which is not trusted. */
#ifndef ANALYZE_TRACEPOINT_LAYOUT_H
#define ANALYZE_TRACEPOINT_LAYOUT_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "format/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel has no record of more than 8 KiB. */
#define AN_MAX_RECORD (32u << 10)

enum an_field_kind {
	AN_FIELD_TYPE,    /* common_type and the like: of the record's head */
	AN_FIELD_FLAGS,
	AN_FIELD_PREEMPT,
	AN_FIELD_PID,
	AN_FIELD_NUMBER,
	AN_FIELD_NUMBERS, /* a fixed array, a column each */
	AN_FIELD_TEXT,    /* zero-terminated or as long as the field */
	AN_FIELD_BYTES,
	AN_FIELD_LIST,    /* numbers of `element` bytes */
	AN_FIELD_ABSENT,  /* no column has it: zero or empty */
};

struct an_field {
	enum an_field_kind kind;
	struct span name;       /* in the format's text */
	uint32_t offset, size;  /* of the field in the record's fixed part */
	uint32_t element;       /* bytes of a number */
	bool is_signed;
	bool dynamic;           /* its word says where its bytes are: behind
				 * the fixed part */
	bool relative;          /* counted from behind the word */
	bool pointer;
	uint32_t column;        /* position of the first one in the table */
	uint32_t n_columns;
};

struct an_layout {
	struct an_field *v;     /* in the order of the format */
	size_t n;
	uint32_t size;          /* of the fixed part */
};

/* `calls`: it is a tracepoint of one system call, whose rows are in the table
 * of all of them (raw_syscalls). ERR_FORMAT, with the reason: it is no format
 * of a record. */
int an_layout_make(struct an_layout *out, struct span format,
		   const struct tf_table *table, bool calls, uint32_t long_size,
		   struct err *err);
/* One that holds the columns of a table whose format is of no use. */
int an_layout_of_table(struct an_layout *out, const struct tf_table *table,
		       struct err *err);
void an_layout_fini(struct an_layout *l); /* a zeroed one is fine */

/* Position of a column of the payload by its name, or -1: the columns of
 * `sample`, which come before, may have the same names. */
int an_payload_column(const struct tf_table *table, struct span name);

#endif
