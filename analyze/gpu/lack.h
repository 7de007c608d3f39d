/* What a trace does not have, and what cannot be told without it. */
#ifndef ANALYZE_GPU_LACK_H
#define ANALYZE_GPU_LACK_H

#include "analyze/gpu/model.h"

enum an_lack {
	AN_LACKS_SWITCHES,
	AN_LACKS_WAKEUPS,    /* any */
	AN_LACKS_WAKINGS,    /* those that tell for sure who wakes */
	AN_LACKS_VBLANKS,
	AN_LACKS_DELIVERIES,
	AN_LACKS_CALLS,      /* system calls, with begin and end */
	AN_LACKS_FLIPS,      /* of these the ones that hand in frames */
	AN_LACKS_WAIT_BEGINS,
	AN_LACKS_WAIT_ENDS,
	AN_LACKS_INITS,      /* of fences: what they are of, and who made them */
	AN_LACKS_SIGNALS,
	AN_LACKS_JOBS,
	AN_LACKS_SUBMITS,
	AN_LACKS_RUNS,
	AN_LACKS_JOB_ENDS,
	AN_N_LACKS,
};

/* Whether nothing like it was recorded: it may have happened. */
bool an_gpu_lacks(const struct an_gpu *g, enum an_lack what);

/* "vblanks: no drm_vblank_event", if there is no row of it, recorded or not; NULL
 * where there is one, or it goes without saying as another one is missing. */
const char *an_lack_text(const struct an_gpu *g, enum an_lack what);

/* The same of a kind that is missing for some time. */
#define AN_LACK_TEXT 320
void an_lack_hole_text(const struct an_hole *h, char to[AN_LACK_TEXT]);

#endif
