/* Heads of Intel's drivers, whose rows of display pipes say the device. */
#ifndef ANALYZE_GPU_PIPE_H
#define ANALYZE_GPU_PIPE_H

#include "analyze/gpu/model.h"

/* Names heads "0000:03:00.0/xe"; one that is "card0" becomes "card0/xe". Of two
 * cards with a crtc of one number a head is of that whose flips are done right
 * after its deliveries; where these are of both it stays as it was. */
int an_pipes_name(struct an_gpu *g, struct err *err);

#endif
