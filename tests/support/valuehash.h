/* A checksum of values, CRC-32 as zlib's crc32, that an independent reader can
 * make too: numbers as 8 bytes, little-endian; bytes as 8 bytes of length, then
 * themselves; lists as 8 bytes of count, then 8 bytes an item. */
#ifndef TESTS_SUPPORT_VALUEHASH_H
#define TESTS_SUPPORT_VALUEHASH_H

#include "format/reader.h"

#include <stddef.h>
#include <stdint.h>

struct valuehash {
	uint32_t table[256];
	uint32_t crc;
};

void valuehash_init(struct valuehash *h);
void valuehash_add(struct valuehash *h, const uint8_t *p, size_t n);

/* Of a column that is present, by position. */
void valuehash_add_value(struct valuehash *h, const struct tf_view *v,
			 uint32_t column, uint32_t row);
uint32_t valuehash_sum(const struct valuehash *h);

#endif
