/* Trace files whose columns are, in some parts, of an encoding that nobody knows:
 * as a later version would write them. */
#ifndef TESTS_SUPPORT_ABSENT_H
#define TESTS_SUPPORT_ABSENT_H

#include <stddef.h>
#include <stdint.h>

/* Gives the column another encoding in all parts of the table. The file is sound
 * and its packed bodies are raw. Returns the number of parts. */
size_t absent_make(uint8_t *file, size_t n, uint32_t table, uint32_t column);

#endif
