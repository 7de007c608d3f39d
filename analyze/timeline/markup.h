/* Text that may come from anywhere, as XML or HTML. */
#ifndef ANALYZE_TIMELINE_MARKUP_H
#define ANALYZE_TIMELINE_MARKUP_H

#include "format/base/span.h"

#include <stdio.h>

/* For content or a quoted attribute. What XML forbids, or is no UTF-8, becomes
 * U+FFFD; so does what turns the direction of text. Line breaks stay. */
void an_markup(FILE *to, struct span text);
void an_markup_cstr(FILE *to, const char *text);

/* The same for at most `columns` characters: a longer text ends in an ellipsis.
 */
void an_markup_cut(FILE *to, struct span text, size_t columns);

#endif
