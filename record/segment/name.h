/* What the files of a split recording are called: trace.ctr becomes
 * trace.20261129-203015.42.ctr, by the local time of its begin, so that they
 * sort, do not hide the extension, and tell when. */
#ifndef RECORD_SEGMENT_NAME_H
#define RECORD_SEGMENT_NAME_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Names differ where the times do by this much. */
#define REC_SEGMENT_STEP_NS 10000000u

/* false: the name is too long. */
bool rec_segment_name(char to[PATH_MAX], const char *path, uint64_t unix_ns);

#endif
