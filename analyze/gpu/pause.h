/* Was a client that showed nothing for long idle, or was it held up? */
#ifndef ANALYZE_GPU_PAUSE_H
#define ANALYZE_GPU_PAUSE_H

#include "analyze/gpu/model.h"

/* A frame behind a pause is late all the same if its client had handed it in
 * soon, or spent most of the time waiting for a fence or for a CPU, or running.
 * Then late frames get their numbers. */
void an_pauses_judge(struct an_gpu *g);

#endif
