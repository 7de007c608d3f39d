/* Whether the C library of this machine keeps frame pointers: a hint at how
 * whole the stacks of its programs will be. */
#ifndef RECORD_DOCTOR_FRAMES_H
#define RECORD_DOCTOR_FRAMES_H

#include <stdbool.h>

/* Tried on the one this program runs with. */
bool rec_libc_keeps_frames(void);

#endif
