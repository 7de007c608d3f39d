/* The other program of two that are installed together. */
#ifndef BASE_BESIDE_H
#define BASE_BESIDE_H

#include <limits.h>

/* This program's own path with the name `own` at its end, which a prefix may
 * come before, made that of `other`; `other` itself, to be looked for in PATH,
 * where there is no such program. `path` holds the answer. */
const char *beside_program(char path[PATH_MAX], const char *own,
			   const char *other);

#endif
