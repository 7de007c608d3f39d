/* Rows that others contradict: one of them is wrong, and nothing tells which. They
 * are counted, and nothing is sure beside them. */
#ifndef ANALYZE_GPU_CONTRARY_H
#define ANALYZE_GPU_CONTRARY_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct an_gpu;

struct an_contraries {
	uint64_t deliveries; /* of a vblank that is not there, though such are
			      * around it, or of one that another crtc has; or
			      * far from it */
	uint64_t vblanks;    /* whose time is far from when they were told,
			      * unlike that of those around them */
	uint64_t runners;    /* jobs that another thread handed over than the one
			      * that their ring has for it */
	uint64_t submitters; /* jobs that another thread submitted than the one
			      * that made their fence */
	uint64_t absentees;  /* of threads that had no CPU by then */
	uint64_t signals;    /* jobs that ended without a signal, in a trace that
			      * has such */
};

/* Looks for them, and has nothing be sure where they are: adds that to g->lossy.
 */
int an_contraries_find(struct an_gpu *g, struct err *err);

#define AN_N_CONTRARIES 6u
/* What they contradict each other in, and how often; false: not in that. */
#define AN_CONTRARY_TEXT 160
bool an_contrary_text(const struct an_contraries *c, unsigned kind,
		      char to[AN_CONTRARY_TEXT]);

#endif
