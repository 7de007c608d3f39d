/* Stretches that have no row of a kind of events which the trace has elsewhere,
 * though they have rows that never come without one: so many, over so long, that
 * it was not recorded there, as in what was merged of parts that had different
 * events. */
#ifndef ANALYZE_GPU_HOLE_H
#define ANALYZE_GPU_HOLE_H

#include "format/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct an_gpu;

/* Rows that tell of ones that are missing, and how far apart they are at least. */
#define AN_HOLE_ROWS 16u
#define AN_HOLE_NS 250000000u

/* Of one kind. */
struct an_hole {
	unsigned what;       /* enum an_lack */
	size_t n;            /* stretches */
	uint64_t ns;         /* of all of them */
	uint64_t from;       /* of the first one */
};

#define AN_MAX_HOLES 16u

struct an_holes {
	struct an_hole v[AN_MAX_HOLES];
	size_t n;
};

/* Looks for them, and has nothing be sure in them: adds them to g->lossy. */
int an_holes_find(struct an_gpu *g, struct err *err);

#endif
