/* Characters in bytes that may or may not be UTF-8. */
#ifndef FG_UTF8_H
#define FG_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffdu

/* Reads one character from the `n` > 0 bytes at `s`; returns how many bytes it
 * took. A byte that starts no valid sequence is one U+FFFD of one byte. */
size_t utf8_take(const char *s, size_t n, uint32_t *c);

/* Writes `c` at `to`, which has room for 4; returns the number of bytes. */
size_t utf8_put(uint32_t c, char *to);

/* May stand in an XML document. */
bool utf8_is_xml(uint32_t c);

/* Columns of a monospaced font: 0 combining, 2 wide, else 1. */
unsigned utf8_columns(uint32_t c);

#endif
