/* How a file ended, in words. */
#ifndef ANALYZE_ENDING_H
#define ANALYZE_ENDING_H

#include "format/reader.h"

/* "closed", "not closed", "cut short", "followed": for programs. */
const char *an_ending_word(const struct tf_reader *r);

/* The same for people: "closed, followed by 5 bytes that are not part of it".*/
#define AN_ENDING_TEXT 128
void an_ending_text(char to[AN_ENDING_TEXT], const struct tf_reader *r);

#endif
