/* Reads the rows of a trace in memory back, for tests of what was written. */
#ifndef TESTS_ROWSBACK_H
#define TESTS_ROWSBACK_H

#include "format/base/buf.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROWSBACK_COLUMNS 16

struct rowsback_row {
	size_t chunk;
	uint32_t epoch;
	uint64_t id;        /* in its epoch */
	uint64_t watermark; /* of its part */
	uint64_t v[ROWSBACK_COLUMNS]; /* of a list: how many items */
	uint8_t *bytes;     /* of its only column of bytes */
	size_t n_bytes;
};

struct rowsback {
	struct rowsback_row *items;
	size_t n, cap;
	bool closed; /* the file ends with END and has no gap */
};

/* Fails the test where the file cannot be read. */
void rowsback_read(struct rowsback *to, struct span file, uint32_t table);
void rowsback_fini(struct rowsback *r);

/* NULL: there is none. */
const struct rowsback_row *rowsback_find(const struct rowsback *r,
					 uint32_t epoch, uint64_t id);

/* Whether the row's bytes are this text. */
bool rowsback_is(const struct rowsback_row *r, const char *text);

/* Fails the test unless each reference of each row of the file's catalog
 * tables meets a row of its epoch in the same chunk or an earlier one. */
void rowsback_check_references(struct span file);

#endif
