/* A record as its table takes it: with the numbers little-endian, and with a
 * word in front of what has no place of its own in the format. */
#ifndef RECORD_IMPORT_TRACEDAT_SHAPE_H
#define RECORD_IMPORT_TRACEDAT_SHAPE_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_dat_field {
	struct span name;
	uint16_t offset, size;
	uint8_t element; /* bytes of a number of it; 1: none to be turned */
	bool dynamic, relative;
};

struct rec_dat_shape {
	struct rec_dat_field *fields;
	size_t n;
	size_t cap;
	/* What comes last and is as long as the record lets it be ("char
	 * buf[]"): a dynamic array as other formats have. -1: there is none. */
	int open;
	struct buf text; /* the format file, with that put so */
	bool big;        /* endian, as the records come */
};

/* `long_size`: bytes of a long of the recorded kernel. */
int rec_dat_shape_init(struct rec_dat_shape *s, struct span text, bool big,
		       unsigned long_size, struct err *err);
void rec_dat_shape_fini(struct rec_dat_shape *s); /* zeroed is fine */

/* What *to held is gone. */
int rec_dat_shape_apply(const struct rec_dat_shape *s, struct span record,
			struct buf *to, struct err *err);

/* NULL: no such field. */
const struct rec_dat_field *rec_dat_shape_field(const struct rec_dat_shape *s,
						const char *name);

/* Of a record as it came. false: it has no such field, or is too short. */
bool rec_dat_shape_number(const struct rec_dat_shape *s, const char *name,
			  struct span record, uint64_t *out);

/* The bytes of a field of a record as it came; the open one, and any other of
 * size 0, has all that is left. */
bool rec_dat_shape_bytes(const struct rec_dat_shape *s, const char *name,
			 struct span record, struct span *out);

#endif
