/* Makes an allocation fail on purpose. Link with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc. */
#ifndef TESTS_SUPPORT_FAILALLOC_H
#define TESTS_SUPPORT_FAILALLOC_H

#include <stdbool.h>

void failalloc_at(long n); /* the n-th allocation from now on fails, once */
void failalloc_off(void);
bool failalloc_hit(void);  /* whether one failed since failalloc_at() */

#endif
