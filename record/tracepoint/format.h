/* The format file of a tracepoint: its fields, and the table that they become
 * (spec/tables.md, "Tracepoints"). The file is that of tracefs, see
 * Documentation/trace/events.rst, section 2.2. */
#ifndef RECORD_TRACEPOINT_FORMAT_H
#define RECORD_TRACEPOINT_FORMAT_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "format/schema.h"
#include "record/state/row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rec_field_kind {
	REC_FIELD_NUMBER,      /* 1, 2, 4 or 8 bytes; also of a fixed array */
	REC_FIELD_STRING,      /* fixed char array */
	REC_FIELD_BYTES,       /* fixed, anything else */
	REC_FIELD_DYN_STRING,  /* a 32-bit word says where: the low half is the
				* offset, the high one the size */
	REC_FIELD_DYN_BYTES,
	REC_FIELD_DYN_LIST,    /* numbers of `element` bytes */
};

/* A column of the payload. */
struct rec_field {
	enum rec_field_kind kind;
	uint16_t offset, size; /* in the record */
	uint8_t element;       /* bytes of a number */
	bool is_signed;
	bool relative;         /* __rel_loc: counted from behind the word */
	bool is_code;          /* printed by %ps or the like: address of a
				* function */
};

struct rec_tracepoint {
	char *system, *name;
	uint64_t id;           /* common_type of its records */
	char *text;            /* of the format file */
	size_t text_size;
	struct tf_table table;
	struct tf_column *columns; /* of the table; their names are owned */
	struct rec_field *fields;  /* n; column TF_PAYLOAD_POSITION + i */
	size_t n;
	int key;               /* field named "id", -1: none */
	bool is_syscall;       /* of raw_syscalls or syscalls */

	struct rec_row row[REC_SHARDS_MAX];
};

/* Takes a copy of the text. `table` is the number of its table. ERR_FORMAT: not
 * a format file; ERR_LIMIT: more fields than a table may have columns. */
int rec_tracepoint_new(struct rec_tracepoint **out, const char *system,
		       const char *name, struct span text, uint32_t table,
		       struct err *err);
void rec_tracepoint_free(struct rec_tracepoint *t); /* NULL is fine */

#endif
