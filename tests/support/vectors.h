/* Reads the files of spec/vectors, whose README.md says how they are written.
 * Whatever is wrong with one fails the test at hand. */
#ifndef TESTS_SUPPORT_VECTORS_H
#define TESTS_SUPPORT_VECTORS_H

#include "format/base/buf.h"
#include "format/layout.h"
#include "format/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define VECTOR_COLUMNS 4
#define VECTOR_VALUES 64 /* rows of a part, items of a list column */

struct vector_column {
	uint64_t v[VECTOR_VALUES]; /* values; of bytes and lists: lengths */
	uint64_t items[VECTOR_VALUES];
	size_t n_items;
	struct buf bytes;          /* of all rows */
	struct buf statistics, encoding;
	struct buf streams;        /* one behind another */
	size_t lengths[TF_MAX_STREAMS];
	unsigned n_streams;
};

struct vector {
	char name[100]; /* empty: there was no more */
	struct tf_column schema[VECTOR_COLUMNS];
	struct vector_column columns[VECTOR_COLUMNS];
	uint32_t n_columns, rows;
	bool writer_differs;
};

/* Takes the next vector of a file. false: no more. */
bool vector_take(struct vector *out, FILE *from);
void vector_fini(struct vector *v); /* a zeroed one is fine */

#endif
