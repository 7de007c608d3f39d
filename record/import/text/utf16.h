/* UTF-16 to UTF-8. */
#ifndef RECORD_IMPORT_TEXT_UTF16_H
#define RECORD_IMPORT_TEXT_UTF16_H

#include "format/base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of UTF-8 that n bytes of UTF-16 make at most. */
#define REC_TEXT_UTF16_ROOM(n) ((n) / 2 * 3 + 3)

/* Takes whole characters from *in and writes them to `to`, which has room for
 * all of them; half of a pair that is missing its other half stays, as does an
 * odd byte. What is no character becomes U+FFFD. Returns bytes written. */
size_t rec_text_utf16(struct span *in, bool big_endian, uint8_t *to);

#endif
