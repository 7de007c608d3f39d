/* Periods that are in a mix of counted moments. */
#ifndef ANALYZE_GPU_PERIOD_H
#define ANALYZE_GPU_PERIOD_H

#include "format/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct an_moment { uint64_t time; uint32_t count; };

#define AN_MAX_PERIODS 8

/* Those that several moments agree on, the most frequent one first. *n is 0
 * where there are none. */
int an_periods_find(double periods[AN_MAX_PERIODS], size_t *n,
		    const struct an_moment *v, size_t n_moments,
		    struct err *err);

#endif
