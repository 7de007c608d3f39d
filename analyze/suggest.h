/* What a mistyped word may have meant. */
#ifndef ANALYZE_SUGGEST_H
#define ANALYZE_SUGGEST_H

#include <stddef.h>

/* How many letters differ, are missing, too many or swapped; at most 99. */
unsigned an_distance(const char *a, const char *b);

/* The word nearest to `text`, or NULL when none is near enough to be meant. */
const char *an_nearest(const char *text, const char *const *words, size_t n);

#endif
