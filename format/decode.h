/* Streams back to values, one column of one part at a time. */
#ifndef FORMAT_DECODE_H
#define FORMAT_DECODE_H

#include "format/numbers.h"
#include "format/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tf_plan { /* a column's tail, understood */
	bool known; /* false: of an encoding or type not known here: absent */
	bool is_bytes, is_list;
	bool has_range; /* stated, or the column is constant */
	uint64_t min, max; /* i64 as two's complement */
	struct tf_numbers rows; /* values, or lengths */
	struct tf_numbers items;
	uint64_t total; /* bytes or items of all rows */
	size_t size;    /* scratch bytes that decoding takes */
};

/* Checks everything about the column that can be known without its streams. */
int tf_plan_take(struct tf_plan *out, const struct tf_column *c, uint32_t rows,
		 const struct tf_entry *e, struct err *err);

/* Decodes into memory from `j->mem`, which has room for plan->size bytes and
 * the state of the predictions. The column must be loaded in `j->body`. */
int tf_plan_run(const struct tf_plan *p, struct tf_job *j,
		struct tf_values *out);

#endif
