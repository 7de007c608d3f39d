/* One line of a format file, and what kind of column the field becomes. */
#ifndef RECORD_TRACEPOINT_FIELD_H
#define RECORD_TRACEPOINT_FIELD_H

#include "format/base/span.h"
#include "record/tracepoint/format.h"

#include <stdbool.h>
#include <stdint.h>

/* As it stands there; spans point into the text. */
struct rec_field_line {
	struct span type;      /* without __data_loc and an array's brackets */
	struct span name;
	bool is_array, dynamic, relative;
	uint64_t length;       /* of a fixed array; 0: not a number */
	uint64_t offset, size;
	bool is_signed;
};

/* false: the line is none. */
bool rec_field_line(struct span line, struct rec_field_line *out);

/* What it becomes; `n` columns of this kind, one behind another. */
struct rec_field rec_field_of(const struct rec_field_line *l, unsigned *n);

enum tf_privacy rec_field_privacy(const struct rec_field_line *l,
				  const struct rec_field *f, bool syscall);

/* Whether the text of a print format shows the field as a function's name. */
bool rec_field_is_code(struct span print, struct span name);

#endif
