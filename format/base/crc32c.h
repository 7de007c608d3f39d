/* CRC-32C (Castagnoli, reflected polynomial 82F63B78), as iSCSI and ext4 use
 * it: crc32c(0, "123456789", 9) = E3069283. */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues from `crc` (0 to begin). */
uint32_t crc32c(uint32_t crc, const void *p, size_t n);

/* The portable way, for machines without the instruction and for tests. */
uint32_t crc32c_portable(uint32_t crc, const void *p, size_t n);

#endif
