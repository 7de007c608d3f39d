/* Standard output at the end of a program: whether all of it was written. */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <stdio.h>

/* NULL: everything was, or its reader went away, which had what it wanted; else
 * the reason why not. */
const char *out_finish(FILE *out);

#endif
