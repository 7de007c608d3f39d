/* Numbers of a file in the byte order of the machine that wrote it. */
#ifndef RECORD_IMPORT_TRACEDAT_BYTES_H
#define RECORD_IMPORT_TRACEDAT_BYTES_H

#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_dat_bytes {
	struct span s;
	bool big; /* endian */
};

/* As those of span.h: one that fails takes nothing. */
bool rec_dat_u16(struct rec_dat_bytes *b, uint16_t *out);
bool rec_dat_u32(struct rec_dat_bytes *b, uint32_t *out);
bool rec_dat_u64(struct rec_dat_bytes *b, uint64_t *out);

/* Of 1, 2, 4 or 8 bytes that are there; 0 for other sizes. */
uint64_t rec_dat_number(const uint8_t *p, size_t size, bool big);

/* The number at an offset in a record; false: it does not lie in it. */
bool rec_dat_number_at(struct span record, uint64_t offset, uint64_t size,
		       bool big, uint64_t *out);

#endif
