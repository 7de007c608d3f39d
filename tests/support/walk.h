/* Reads all of a trace and sums up each part, so that two readings can be
 * compared. */
#ifndef TESTS_SUPPORT_WALK_H
#define TESTS_SUPPORT_WALK_H

#include "format/reader.h"

#include <stddef.h>
#include <stdint.h>

struct walk {
	uint64_t sums[256]; /* of each part: table, place and all values */
	size_t n;           /* parts that were read */
	size_t damaged;     /* parts or chunks that were not */
	uint64_t rows;
	int failed;         /* a failure that is no damage: its code */
	struct err err;     /* of the last damage or failure */
};

/* All tables, all columns. */
void walk_all(struct walk *w, const struct tf_reader *r);

#endif
