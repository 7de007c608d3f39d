/* UTF-8 from strangers: names may hold any bytes, terminals and JSON may not.*/
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "buf.h"
#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Takes the next code point of a span that is not empty. false: no valid one
 * begins here; one byte was taken and *out is that byte. */
bool utf8_next(struct span *s, uint32_t *out);

/* Whether a code point does something to a terminal instead of showing: C0, C1
 * and DEL, and what turns the direction of text. */
bool utf8_is_control(uint32_t code);

/* Appends `text` as a terminal may have it: control characters become \n, \t,
 * \x1b or \u202e, bytes that are no UTF-8 become \xff. */
void utf8_clean(struct buf *out, struct span text);

/* The same to a stream; takes no memory. */
void utf8_print(FILE *to, struct span text);
void utf8_print_cstr(FILE *to, const char *text);

/* Columns that cleaned text takes, one for each code point. */
size_t utf8_width(struct span clean);

#endif
