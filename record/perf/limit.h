/* The limit on open files, raised as far as it goes. */
#ifndef RECORD_PERF_LIMIT_H
#define RECORD_PERF_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `needed` descriptors more; false: there is none. */
bool rec_limit_raise(size_t needed);

#endif
